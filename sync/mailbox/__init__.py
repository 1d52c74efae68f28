"""Meet through a place that is always there: a folder, a server or storage that keeps files and knows nothing else."""
