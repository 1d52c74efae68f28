"""A member that signs claims of numbers, dates and units that nobody means: every device folds them, and answers."""

from pathlib import Path
from random import Random

import pytest

from cognition.contradictions.tables import judged_of
from cognition.contradictions.values import slot_id
from replica import Claim, Core, Remember, Write, new_memory_id
from replica.fields import MS_MAX, Value
from replica.limits import FIELD_STRING_BYTES_MAX
from samemind import open_blocking
from tests.support.deciding import connection_of, make_store, records
from tests.support.devices import devices, run
from tests.support.phones import phone
from tests.support.replicas import NOW_MS, group, settle

LONG = 5_000  # more digits than Python reads as a number
VALUES = (
    *("1e300", "1e400", "10**9999", "NaN", "Infinity", "-inf", "1/0", "0x" + "f" * 1_000, "1" + "0" * 400),
    *("9" * LONG, "-" + "9" * LONG, "9" * FIELD_STRING_BYTES_MAX, "9" * 400 + " years", "9" * LONG + " days"),
    *("9" * 400 + ":99", "99999:99999 pm", "1" + ",000" * 3_000 + " kg", "€" + "9" * 400, "9" * 400 + " EUR"),
    *("-5 years", "-1", "99999-12-31", "0000-00-00", "32.13.0000", "99999999999999-01-01", "year 99999"),
    *("in 99999999999999 years", "since " + "9" * 500, "1 " + "m" * (FIELD_STRING_BYTES_MAX - 2)),
    *("5 " + "km " * LONG, "million " * 1_900, "億" * LONG, "٣" * LONG, "²" * 300, "\0\uffff", "(" * 8_000),
)
RELATIONS = ("age", "born", "price", "duration", "lives_in")


def tell(core: Core, *, seed: str) -> None:
    """Claim each of them: since nothing, since before all years, and since after all."""
    random = Random(seed)
    writes = []
    for number, value in enumerate(VALUES):
        for relation, since in zip(RELATIONS, (None, -MS_MAX, MS_MAX, 0, None), strict=True):
            rid = new_memory_id(NOW_MS, random)
            fields: dict[str, Value] = {} if since is None else {"told_at": since, "event_start": since}
            writes += [
                Write(Remember(f"Ann{number % 3} {relation} {value[:60]}", fields), rid),
                Write(Claim(f"Ann{number % 3}", relation, value, (), since), rid),
            ]
    core.commit(writes, NOW_MS)


@pytest.fixture
def cores() -> list[Core]:
    return group("ann", "eve", make_store=make_store)


def test_devices_fold_them_alike_and_what_others_claim_stands_beside_them(cores: list[Core]) -> None:
    ann, eve = cores
    rid = new_memory_id(NOW_MS, Random(1))
    ann.commit(
        [Write(Remember("Ann0 is 42", {}), rid), Write(Claim("Ann0", "age", "42 years", (), None), rid)],
        NOW_MS,
    )
    tell(eve, seed="eve")
    settle(cores)
    assert records(ann) == records(eve)
    beliefs = judged_of(connection_of(ann), slot_id(None, "Ann0", "age")).beliefs
    assert "42 years" in [each.told.value for each in beliefs]
    assert len(beliefs) == 1 + len(VALUES[::3])


def test_a_phone_folds_them_and_answers() -> None:
    called = phone()
    tell(called.core, seed="phone")
    told = called.remember("Ann0 is 42 years old", now_ms=NOW_MS)
    while called.read(now_ms=NOW_MS):
        pass
    assert told["rid"] in [each["rid"] for each in called.ask("how old is Ann0?", limit=50, now_ms=NOW_MS)]
    assert called.recent(limit=200, now_ms=NOW_MS)
    assert called.questions(now_ms=NOW_MS)


def test_thinking_and_every_answer_go_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            await laptop.replica.run(lambda core, _: tell(core, seed="laptop"))

    run(main)
    with open_blocking(tmp_path / "laptop.db") as mind:
        told = mind.remember("My neighbour Zoe is 42 years old")
        mind.think()
        found = mind.contradictions()
        assert found
        for each in found:
            assert mind.contradiction(each.id).id == each.id
        assert told.rid in [hit.rid for hit in mind.recall("How old is Zoe?")]
        assert "Zoe is 42" in str(mind.context("How old is Zoe?"))
        assert mind.recall("Who was 42 " + "9" * LONG + " days ago, or on 0000-00-00, in the year 99999?")
        assert mind.stats().memories > len(VALUES)
        mind.doctor()
