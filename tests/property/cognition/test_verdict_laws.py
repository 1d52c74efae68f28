"""Verdicts that devices give while apart come to the same on all of them, in whatever order they meet."""

from random import Random

import pytest

from cognition.judging.settling import SettledMemory, settle
from cognition.judging.verdicts import WEIGHTS, Verdict, standing
from replica import Core, Forget, MemoryId, Remember, Write, new_memory_id
from replica.verify import verify_replica
from tests.support.deciding import connection_of, make_store, records
from tests.support.replicas import NOW_MS, agree, group, sync
from tests.support.replicas import settle as meet

TEXTS = ("The room costs 430 €", "Rent for the room: 455 €", "The room is 430 euros", "Ann sold the piano")


def verdicts_of(core: Core, rids: list[MemoryId]) -> list[object]:
    connection = connection_of(core)
    return [standing(connection, one, other) for one in rids for other in rids if one < other]


def tell_verdict(
    core: Core, random: Random, rids: list[MemoryId], texts: dict[MemoryId, str], now_ms: int
) -> None:
    connection = connection_of(core)
    here = [
        rid for rid in rids if connection.execute("SELECT 1 FROM memory WHERE rid = ?", (rid,)).fetchone()
    ]
    if len(here) < 2:
        return
    older, newer = sorted(random.sample(here, 2), key=rids.index)
    verdict, weight = random.choice(list(Verdict)), random.choice(list(WEIGHTS.values()))
    held = standing(connection, older, newer)
    if held is None or held.weight <= weight:
        settle(
            core,
            connection,
            SettledMemory(older, texts[older], None),
            SettledMemory(newer, texts[newer], None),
            verdict,
            weight=weight,
            since_ms=random.choice([None, now_ms]),
            now_ms=now_ms,
        )


@pytest.mark.parametrize("seed", range(24))
def test_devices_that_judge_apart_agree_on_every_verdict_and_every_record(seed: int) -> None:
    random = Random(seed)
    cores = group(*(f"device {number}" for number in range(3)), make_store=make_store)
    rids = [new_memory_id(NOW_MS + number, random) for number in range(len(TEXTS))]
    texts = dict(zip(rids, TEXTS, strict=True))
    cores[0].commit([Write(Remember(text, {}), rid) for rid, text in texts.items()], NOW_MS)
    for core in cores[1:]:
        sync(cores[0], core)
    for step in range(random.randrange(4, 30)):
        core = random.choice(cores)
        match random.choice(["judge", "judge", "judge", "sync", "forget"]):
            case "judge":
                tell_verdict(core, random, rids, texts, NOW_MS + step)
            case "sync":
                sync(core, random.choice([each for each in cores if each is not core]))
            case _ if random.random() < 0.1:
                core.commit([Write(Forget((random.choice(rids),)))], NOW_MS + step)
            case _:
                pass
    meet(cores, NOW_MS + 100)
    assert agree(*cores), seed
    first = cores[0]
    for core in cores:
        assert verdicts_of(core, rids) == verdicts_of(first, rids), seed
        assert records(core) == records(first), seed
        assert verify_replica(core).ok, seed
