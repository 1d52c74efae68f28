"""Decide which memories belong under one summary. Pure: numbers, times and vectors in, clusters out.

A cluster is 3 to 20 memories of which any two are more alike than 0.7 and lie within 30 days of each other. Any two: a
chain of neighbours drifts, and its ends have nothing to do with each other. Clusters grow around what is new, so that
the work is in proportion to that: a cluster that new memories complete holds one of them.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cognition.consolidation.extract import MEMBERS_MIN
from cognition.days import DAY_MS
from cognition.embedding.products import Vectors, products

SIMILARITY_MIN: Final = 0.7
WINDOW_DAYS: Final = 30
MEMBERS_MAX: Final = 20


class ClusterCandidate(NamedTuple):
    """A memory that could be consolidated: its row's number and id, when it was told, and where it belongs.

    Memories of different workspaces never meet in one summary: one would tell the other what it holds.
    """

    id: int
    rid: bytes
    time_ms: int
    workspace: str | None = None


def clusters(
    candidates: Sequence[ClusterCandidate], vectors: Vectors, seeds: Sequence[int]
) -> list[list[ClusterCandidate]]:
    """Return disjoint clusters, each around one of the seeds (places in `candidates`), the oldest seed first.

    `vectors` has a row of length 1 for each candidate.
    """
    if not seeds:
        return []
    seeds = sorted(seeds, key=lambda at: (candidates[at].time_ms, candidates[at].rid))
    times = np.array([one.time_ms for one in candidates], np.int64)
    places = {one.workspace: number for number, one in enumerate(candidates)}
    spaces = np.array([places[one.workspace] for one in candidates], np.int64)
    taken = np.zeros(len(candidates), np.bool_)
    found: list[list[ClusterCandidate]] = []
    table = products(vectors[seeds], vectors)
    # Most of what is told is like nothing else: only the rest is looked at one by one. A seed is like itself.
    several = np.flatnonzero((table > SIMILARITY_MIN).sum(axis=1) >= MEMBERS_MIN - 1)
    for seed, cosines in ((seeds[at], table[at]) for at in several):
        if taken[seed]:
            continue
        near = (cosines > SIMILARITY_MIN) & ~taken & (spaces == spaces[seed])
        near &= np.abs(times - times[seed]) <= WINDOW_DAYS * DAY_MS
        near[seed] = False
        around = np.flatnonzero(near)
        if len(around) < MEMBERS_MIN - 1:
            continue
        # The most alike first; equal ones by age and id, which is the same on every device.
        order = sorted(
            around.tolist(), key=lambda at: (-float(cosines[at]), candidates[at].time_ms, candidates[at].rid)
        )
        members = _grown(seed, order, vectors, times)
        if len(members) >= MEMBERS_MIN:
            taken[members] = True
            found.append([candidates[at] for at in members])
    return found


def _grown(seed: int, order: Sequence[int], vectors: Vectors, times: NDArray[np.int64]) -> list[int]:
    members = [seed]
    for at in order:
        if len(members) == MEMBERS_MAX:
            break
        if np.abs(times[members] - times[at]).max() > WINDOW_DAYS * DAY_MS:
            continue
        if bool((vectors[members] @ vectors[at] > SIMILARITY_MIN).all()):
            members.append(at)
    return members


def mean(vectors: Vectors) -> Vectors:
    """Return the mean of some vectors at length 1; of none, or of opposites, the zero vector."""
    total = vectors.sum(axis=0) if len(vectors) else np.zeros(vectors.shape[1:], np.float32)
    length = float(np.linalg.norm(total))
    return total / length if length > 0 else total
