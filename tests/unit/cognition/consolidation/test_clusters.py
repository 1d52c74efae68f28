"""Which memories belong together: alike, of one time and one workspace, three to twenty of them."""

import numpy as np
import pytest

from cognition.consolidation.clusters import ClusterCandidate, clusters, mean
from cognition.days import DAY_MS
from cognition.embedding.products import Vectors
from tests.support.published import published

NOW = 1_700_000_000_000


def alike(count: int, cosine: float) -> Vectors:
    """Vectors of length 1, any two of which have this cosine."""
    rows = np.zeros((count, 64), np.float64)
    rows[:, 0] = np.sqrt(cosine)
    rows[np.arange(count), np.arange(1, count + 1)] = np.sqrt(1 - cosine)
    return rows.astype(np.float32)


def candidates(count: int, *, days: float = 0.0, workspace: str | None = None) -> list[ClusterCandidate]:
    """Memories told one after another, `days` apart."""
    return [
        ClusterCandidate(number + 1, bytes([number + 1]), NOW + int(number * days * DAY_MS), workspace)
        for number in range(count)
    ]


def sizes(some: list[ClusterCandidate], vectors: Vectors) -> list[int]:
    return [len(each) for each in clusters(some, vectors, range(len(some)))]


@published("YD-28")
@pytest.mark.parametrize(
    ("count", "expected"), [(2, []), (3, [3]), (20, [20]), (21, [20]), (43, [20, 20, 3])]
)
def test_three_to_twenty_memories_make_a_cluster(count: int, expected: list[int]) -> None:
    assert sizes(candidates(count), alike(count, 0.8)) == expected


@published("YD-28")
@pytest.mark.parametrize(("cosine", "expected"), [(0.69, []), (0.71, [3])])
def test_any_two_are_more_alike_than_0_7(cosine: float, expected: list[int]) -> None:
    assert sizes(candidates(3), alike(3, cosine)) == expected


@published("YD-28")
@pytest.mark.parametrize(("days", "expected"), [(15.0, [3]), (15.5, [])])
def test_any_two_lie_within_thirty_days(days: float, expected: list[int]) -> None:
    """The third is 30 days from the first, or 31."""
    assert sizes(candidates(3, days=days), alike(3, 0.9)) == expected


def test_a_chain_of_neighbours_is_no_cluster() -> None:
    """Each is like the next, and the first is not like the last."""
    angles = np.radians([0, 40, 80, 120])
    chain = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    assert sizes(candidates(4), chain) == []


def test_memories_of_two_workspaces_never_meet() -> None:
    mixed = [*candidates(2, workspace="home"), ClusterCandidate(9, b"9", NOW, "work")]
    assert sizes(mixed, alike(3, 0.9)) == []
    assert sizes([*mixed[:2], ClusterCandidate(9, b"9", NOW, "home")], alike(3, 0.9)) == [3]


def test_what_is_not_new_makes_no_cluster_by_itself() -> None:
    some, vectors = candidates(6), np.concatenate([alike(3, 0.9), -alike(3, 0.9)])
    assert clusters(some, vectors, []) == []
    (found,) = clusters(some, vectors, [4])
    assert {one.id for one in found} == {4, 5, 6}


def test_a_vector_that_says_nothing_is_like_no_other() -> None:
    assert sizes(candidates(4), np.zeros((4, 8), np.float32)) == []


def test_clusters_do_not_hang_on_the_order_of_rows() -> None:
    some, vectors = candidates(30, days=0.5), alike(30, 0.8)
    turned = clusters(some[::-1], vectors[::-1], range(30))
    assert [{one.id for one in each} for each in turned] == [
        {one.id for one in each} for each in clusters(some, vectors, range(30))
    ]


@published("YD-30")
def test_the_vector_of_a_summary_is_the_mean_at_length_1() -> None:
    vectors = alike(3, 0.5)
    expected = vectors.mean(axis=0) / np.linalg.norm(vectors.mean(axis=0))
    assert mean(vectors) == pytest.approx(expected, abs=1e-6)
    assert np.linalg.norm(mean(vectors)) == pytest.approx(1)
    assert not mean(np.array([[1, 0], [-1, 0]], np.float32)).any()
    assert mean(np.zeros((0, 4), np.float32)).shape == (4,)
