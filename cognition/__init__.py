"""What memory means to an agent; reads the replica, writes only ops."""
