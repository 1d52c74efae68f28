"""Results as JSON, and back."""

import json
from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime, timedelta, timezone

import pytest

from samemind._tools import generate
from samemind.commands.graph._parts import EdgeView
from samemind.commands.graph.graph import Graph
from samemind.commands.group._parts import PeerView
from samemind.commands.memories.recall import Hit, Recalled
from samemind.formats.memory_view import MemoryView
from samemind.formats.plain import from_json, to_json

NOON = datetime(2023, 5, 8, 12, 0, 0, 250_000, tzinfo=UTC)


def test_times_are_utc_with_milliseconds_whatever_zone_they_were_in() -> None:
    lisbon = NOON.astimezone(timezone(timedelta(hours=1)))
    assert (
        to_json(PeerView(device_id="d", name="n", last_sync=lisbon))["last_sync"]
        == "2023-05-08T12:00:00.250Z"
    )


def test_a_result_with_everything_in_it_survives_the_socket() -> None:
    memory = MemoryView(
        rid="r", text="t", tags=["a"], meta={"k": 1}, created_at=NOON, updated_at=NOON, device="d", origin="o"
    )
    hit = Hit(
        rid="r", text="t", score=0.5, type=None, speaker="Ann", session=None, turn=None, created_at=NOON, told_at=NOON,
        device="d", origin="o", why={"found": [{"rank": 0}]},
    )  # fmt: skip
    recalled = Recalled(query="q", took_ms=1.5, results=[hit])
    edge = EdgeView(source="a", relation="r", target="b", weight=1.0)
    for result in (memory, hit, recalled, Graph(edges=[edge], entities=["a", "b"])):
        assert from_json(type(result), json.loads(json.dumps(to_json(result)))) == result


def test_a_key_that_a_later_version_adds_is_left_out() -> None:
    edge = EdgeView(source="a", relation="r", target="b", weight=1.0)
    assert from_json(EdgeView, {**to_json(edge), "colour": "red"}) == edge


def test_every_result_is_frozen_and_takes_its_fields_by_name() -> None:
    for command in generate.commands():
        for kind in (*generate.types_of(command.result), *generate.types_of(command.says)):
            for one in fields(kind):
                with pytest.raises(FrozenInstanceError):
                    setattr(object.__new__(kind), one.name, None)
            assert getattr(kind, "__match_args__", None) == (), kind
