"""The one way in: take in what is told, link what says the same, keep back what looks secret."""
