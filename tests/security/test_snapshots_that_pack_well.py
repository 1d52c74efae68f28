import zstandard

from replica.compaction import compact
from replica.limits import SNAPSHOT_BYTES_FREE, SNAPSHOT_RATIO_MAX
from replica.snapshot import make_snapshot
from tests.support.replicas import NOW_MS, acquaint, agree, core_of, remember, sync


def test_words_that_pack_better_than_a_bomb_reach_the_other_device() -> None:
    """What nobody would take, a device must not make: it could never bring a new one in."""
    ann = core_of("ann")
    for n in range(18):
        remember(ann, f"{n} " + "hahaha " * 140_000)
    compact(ann, NOW_MS)
    acquaint(ann, "ann", "ben")
    ben = core_of("ben")
    acquaint(ben, "ben", "ann")
    snapshot = make_snapshot(ann)
    size = zstandard.frame_content_size(snapshot)
    assert SNAPSHOT_BYTES_FREE < size <= SNAPSHOT_RATIO_MAX * len(snapshot)
    assert make_snapshot(ann) == snapshot, "or a transfer that was cut would not go on"
    sync(ann, ben)
    assert agree(ann, ben)
    cleo = core_of("cleo")
    remember(cleo, "hahaha " * 40_000)
    compact(cleo, NOW_MS)
    small = make_snapshot(cleo)
    assert SNAPSHOT_RATIO_MAX * len(small) < zstandard.frame_content_size(small), "a small one is as it was"
