"""The commands about models of sentence-transformers that this device has to itself."""
