"""The block for a prompt, and where a memory comes from."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import samemind
from samemind.library.blocking import BlockingMind
from tests.support.calling import Call, remember
from tests.support.published import published


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


@published("ME-19")
def test_one_call_gives_what_is_relevant_recent_frequent_and_stale(mind: BlockingMind) -> None:
    mind.remember("Ann moved to Lisbon", speaker="Ann")
    for number in range(20):  # more than a simple question is answered with
        mind.remember(f"Ann went for a walk by the lake on day {number}", no_dedup=True)
    mind.remember("The deploy key rotates on Mondays", pin=True, wait=True)
    block = mind.context("where does Ann live?", overview=True)
    assert [section.title for section in block.sections] == ["", "Pinned", "Recent"]
    assert block.sections[0].lines[0].startswith("- Ann: Ann moved to Lisbon")
    assert block.sections[1].lines[0].startswith("- The deploy key")
    assert block.total == 22
    assert len(set(block.rids)) == len(block.rids), "nothing stands there twice"
    start = mind.context()
    assert start.kind == "overview"
    assert [section.title for section in start.sections] == ["Pinned", "Recent"]


@published("ME-19")
def test_of_an_empty_store_the_context_is_empty_and_no_failure(call: Call) -> None:
    said = call("context", "anything", "--overview", "--json")
    assert (said.code, said.json["total"], said.json["text"], said.json["sections"]) == (0, 0, "", [])
    assert said.json["class"], "the key is the contract's word"


@published("ME-18")
def test_a_budget_of_tokens_is_kept(mind: BlockingMind) -> None:
    for number in range(30):
        mind.remember(f"Station {number} of the long walk was near the river, said the guide", no_dedup=True)
    for budget in (0, 40, 100, 300):
        block = mind.context("which station was near the river?", max_tokens=budget, overview=True)
        assert block.tokens <= budget
    assert mind.context("river", window=4_000).tokens <= 500
    assert mind.context("river", window=4_000, max_tokens=40).tokens <= 40
    with pytest.raises(samemind.Usage):
        mind.context("river", max_tokens=-1)


def test_why_follows_a_fact_to_the_text_it_was_taken_from(mind: BlockingMind) -> None:
    told = mind.remember(
        "Alice is the tech lead at Stripe. She prefers Python over Java.",
        speaker="Ann",
        session="chat 1",
        read=True,
    )
    why = mind.why(told.facts[0])
    assert [(link.relation, link.rid) for link in why.chain] == [
        ("itself", told.facts[0]),
        ("taken from", told.rid),
    ]
    assert why.signature_ok is True
    assert why.chain[1].speaker == "Ann"
    assert why.chain[1].op_id == told.op_id
    assert mind.why(told).derived == sorted(told.facts)


def test_what_was_forgotten_still_says_which_device_wrote_it(mind: BlockingMind) -> None:
    told = mind.remember("a passing thought")
    mind.forget(told)
    (link,) = mind.why(told).chain
    assert (link.text, link.op_id, link.signature_ok) == (None, told.op_id, True)


def test_why_sees_a_header_that_was_changed_in_the_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with samemind.open_blocking(home) as mind:
        told = mind.remember("Ann moved to Lisbon")
        assert mind.why(told).signature_ok is True
    connection = sqlite3.connect(home / "memory.db")
    connection.execute(
        "UPDATE op SET hlc = hlc + 1 WHERE rid = ?", (bytes.fromhex(told.rid.replace("-", "")),)
    )
    connection.commit()
    connection.close()
    with samemind.open_blocking(home) as mind:
        assert mind.why(told).signature_ok is False


def test_why_not_names_the_stage_that_dropped_a_memory(mind: BlockingMind) -> None:
    told = mind.remember("Ann moved to Lisbon", workspace="private")
    assert mind.why_not(told, "Ann").found is True
    hidden = mind.why_not(told, "Ann", workspace="work")
    assert hidden.found is False
    assert (hidden.stages[-1].name, hidden.stages[-1].passed) == ("filters", False)


@published("PM-57")
def test_several_workspaces_are_read_together_and_others_are_not(mind: BlockingMind) -> None:
    for space in ("home", "work", "secret"):
        mind.remember(f"the walrus of {space}", workspace=space)
    found = {hit.text for hit in mind.recall("walrus", workspace=["home", "WORK"])}
    assert found == {"the walrus of home", "the walrus of work"}
    assert {memory.text for memory in mind.list(workspace="secret")} == {"the walrus of secret"}
    assert len(mind.recall("walrus")) == 3, "its owner asks for all"


@published("PM-58")
def test_a_fault_makes_doctor_fail_with_its_name(call: Call, tmp_path: Path) -> None:
    assert call("doctor", "--json").code == 0
    (tmp_path / "home").chmod(0o777)
    said = call("doctor", "--json")
    assert said.code == 1
    (bad,) = (check for check in said.json["checks"] if not check["ok"])
    assert bad["name"] == "home"
    assert bad["fix"].startswith("chmod go-w")


@published("PM-59")
def test_stats_count_what_is_there_by_type_and_space(mind: BlockingMind) -> None:
    for number in range(3):
        mind.remember(f"walrus number {number} was seen", type="episodic", no_dedup=True, workspace="zoo")
    kept = mind.remember("Ann likes tea", type="factual", pin=True)
    mind.archive(mind.remember("the shed is green"))
    mind.forget(kept)
    stats = mind.stats()
    assert stats.memories == 4
    assert stats.forgotten == 1
    assert stats.by_type["episodic"] == 3
    assert stats.by_workspace == {"zoo": 3, "": 1}
    assert sum(stats.by_tier.values()) == 4


@published("PM-60")
def test_after_a_warmup_the_first_recall_loads_nothing(tmp_path: Path) -> None:
    import trio

    from samemind.commands.device.warmup import Warmup
    from samemind.commands.device.warmup import run as warmup
    from samemind.commands.memories.recall import Recall
    from samemind.commands.memories.recall import run as recall
    from samemind.config import Home
    from samemind.device import open_device

    async def main() -> None:
        async with open_device(Home.at(tmp_path), program="a test", answers=False) as device:
            indexes = [device.mind.embedding._index]
            await warmup(device, Warmup())
            indexes.append(device.mind.embedding._index)
            await recall(device, Recall(query="anything"))
            indexes.append(device.mind.embedding._index)
            assert indexes[0] is None
            assert indexes[1] is not None
            assert indexes[2] is indexes[1]

    trio.run(main)


@published("ME-22")
def test_a_rule_about_how_to_work_comes_up_when_its_task_does(mind: BlockingMind) -> None:
    rule = "When the user asks for a commit message, write one line in the imperative and no trailers"
    told = mind.remember(rule, type="procedural")
    for number in range(8):
        mind.remember(f"The picnic number {number} was by the lake", no_dedup=True)
    block = mind.context("write a commit message for this change")
    assert block.rids[0] == told.rid
    mind.edit(told, f"{rule}, ever")
    assert "trailers, ever" in str(mind.context("write a commit message for this change"))


def test_a_conversation_is_read_from_a_file_on_the_command_line(call: Call, tmp_path: Path) -> None:
    remember(call, "Ann moved to Lisbon")
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "Where does Ann live?"}) + "\n")
    said = call("context", "--window", "4096", "--conversation", str(file), "--json")
    assert said.code == 0
    system, user = said.json["messages"]
    assert "Lisbon" in system["content"]
    assert user == {"role": "user", "content": "Where does Ann live?"}
    file.write_text("no json")
    said = call("context", "--window", "4096", "--conversation", str(file), "--json")
    assert (said.code, said.json["error"]["code"]) == (2, "bad_line")
    assert call("context", "--window", "9", "--conversation", str(tmp_path / "none")).code == 3
