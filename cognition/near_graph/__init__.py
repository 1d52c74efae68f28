"""Name near vectors by a graph where there are very many: an extra, `ann`, beside the signatures of `embedding.index`.

Nothing here is needed, and all of it may be thrown away: without the library, below a size, or where the file beside
the store is missing, stale or spoiled, signatures answer, and `doctor` says why.
"""
