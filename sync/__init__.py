"""How two replicas meet and come to agree."""
