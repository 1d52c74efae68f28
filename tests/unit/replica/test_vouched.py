"""By whose word ops are known that nobody here has seen signed."""

import pytest

from replica.compaction import LEASE_MS, compact
from replica.ids import DeviceId
from replica.late import may_ask
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.vouched import split
from tests.support.replicas import NOW_MS, group, remember, sync

ANN, BEN, MAKER = (DeviceId(bytes([n]) * 32) for n in range(3))


@pytest.mark.parametrize(
    ("told", "runs"),
    [
        ([], [(3, 9, MAKER)]),
        ([(1, 4, ANN)], [(3, 4, ANN), (5, 9, MAKER)]),
        ([(8, 20, ANN)], [(3, 7, MAKER), (8, 9, ANN)]),
        ([(3, 6, ANN), (5, 8, BEN)], [(3, 6, ANN), (7, 8, BEN), (9, 9, MAKER)]),
        ([(3, 8, ANN), (4, 5, BEN)], [(3, 8, ANN), (9, 9, MAKER)]),
        ([(1, 2, ANN), (10, 12, BEN)], [(3, 9, MAKER)]),
    ],
)
def test_every_op_of_a_run_is_known_by_one_word_whatever_the_maker_says(
    told: list[tuple[int, int, DeviceId]], runs: list[tuple[int, int, DeviceId]]
) -> None:
    assert list(split(3, 9, told, MAKER)) == runs


def test_who_was_asked_for_what_is_signed_is_asked_again_once_more_is_known_by_word() -> None:
    ann, ben, cleo = group("ann", "ben", "cleo")

    def hand_over(text: str) -> None:
        remember(ann, text)
        assert compact(ann, NOW_MS + LEASE_MS)
        absorb(cleo, read_snapshot(make_snapshot(ann), cleo), NOW_MS)

    hand_over("one")
    assert may_ask(cleo, ben.device)
    sync(cleo, ben)
    assert not may_ask(cleo, ben.device)
    hand_over("two")
    assert may_ask(cleo, ben.device)
