"""A second reader of the protocol, written from docs/protocol alone; it imports nothing of this project.

It reads a frame of ops, builds every header anew, checks chains and signatures, folds what it took, and comes to the
two digests. What it needed to know and did not find in the pages was a hole in them. It takes the slow and obvious
way everywhere: what a writer had seen is a set of op ids, and a digest is summed up from nothing.
"""
