"""What commands say where there is nothing to say: why that is, and what to do next."""

import json
from pathlib import Path

import pytest

import samemind
from cognition.ingest.holding import COMPARED_CHARACTERS_MAX
from samemind.catalog import verb_named
from samemind.cli.formats import formatted
from samemind.cli.printing import show
from samemind.cli.terminal import memory_rows
from samemind.control.pouring import no_such_file
from samemind.formats.plain import to_json
from samemind.mcp.telling import _TOLD
from tests.support.cli import run


def test_an_empty_store_offers_the_first_step(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        for verb, empty in (("list", mind.list()), ("recall", mind.recall("tea"))):
            document = to_json(empty)
            assert document["empty"]
            assert "samemind remember" in show(verb, document)[-1]
        mind.remember("Ann moved to Lisbon")
        for verb, nothing in (
            ("list", mind.list(tag="none")),
            ("recall", mind.recall("tea", min_confidence=1.0)),
        ):
            document = to_json(nothing)
            assert not document["empty"]
            assert len(show(verb, document)) == 1, verb


def test_a_list_of_none_says_how_many_there_are(tmp_path: Path) -> None:
    """It said that there were no memories."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("Ann moved to Lisbon")
        mind.remember("Ben plays chess")
        said = ["none of 2 memories: -n and --offset choose which are listed"]
        for listed in (mind.list(limit=0), mind.list(offset=2)):
            assert show("list", to_json(listed)) == said
            assert memory_rows(to_json(listed), str) == said
        assert show("list", to_json(mind.list(tag="none", limit=0))) == ["no memories"]


def test_a_block_says_whether_nothing_is_known_or_nothing_fits(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert show("context", to_json(mind.context())) == ["nothing is known"]
        mind.remember("Ann moved to Lisbon", pin=True)
        assert "--max-tokens" in show("context", to_json(mind.context(max_tokens=2)))[0]
        told = show("context", to_json(mind.context("zebra stripes", min_confidence=1.0)))[0]
        assert "close enough" in told


def test_who_wants_more_answers_than_there_can_be_is_told_so(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(samemind.Usage, match="0 to 10000 for k, got 10001"):
            mind.recall("tea", k=10_001)


def test_two_texts_are_alike_by_at_most_one(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("Ann lives in Lisbon and works at Nextcloud")
        mind.remember("Ann lives in Porto and works at Nextcloud")
        reasons = [each.nominee.why for each in mind.review()]
    assert reasons
    assert all(float(why.rpartition("alike by ")[2]) <= 1 for why in reasons), reasons


def test_forgetting_nothing_says_so() -> None:
    nothing = {"rids": [], "tellings": 0, "confirmed_by": [], "outstanding": []}
    assert show("forget", nothing) == ["nothing was named, so nothing is forgotten"]
    assert _TOLD["forget"](nothing) == "nothing was named, so nothing is forgotten"


def test_a_file_that_is_not_there_says_what_to_check() -> None:
    assert "help import" in no_such_file("/proc/foo").hint


def test_what_became_of_memories_and_the_log_are_records(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert run(home, "remember", "Ann moved to Lisbon").code == 0
    told = [
        json.loads(line)
        for line in run(home, "diff", "--since", "2020", "--format", "jsonl").out.splitlines()
    ]
    assert [(each["change"], each["before"], each["after"]) for each in told] == [
        ("added", None, "Ann moved to Lisbon")
    ]
    head = run(home, "log", "--format", "csv").out.splitlines()[0]
    assert head.startswith("position,op_id,hash,")
    refused = run(home, "log", "--follow", "--format", "table")
    assert (refused.code, "jsonl" in refused.err) == (2, True)


def test_each_kind_of_change_is_one_record() -> None:
    memory = {"rid": "r", "text": "tea"}
    document = {
        "added": [memory],
        "changed": [{"rid": "c", "before": "a", "after": "b", "fields": {"pinned": True}}],
        "forgotten": [memory],
    }
    records = verb_named("diff").records(document)
    assert [(each["change"], each["before"], each["after"]) for each in records] == [
        ("added", None, "tea"),
        ("changed", "a", "b"),
        ("forgotten", "tea", None),
    ]
    assert formatted("table", document, records).splitlines()[0].split() == [
        "change", "rid", "before", "after", "fields",
    ]  # fmt: skip


def test_what_was_asked_for_and_is_held_is_named_where_no_answer_is_likely(tmp_path: Path) -> None:
    """Who tells a password and asks for it was told that nothing is remembered."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert mind.remember("The wifi password is sunflower42").held
        found = mind.recall("what is the wifi password?")
        assert (found.held, len(found)) == (1, 0)
        assert any("samemind held" in line for line in show("recall", to_json(found)))
        mind.remember("The attic has bad wifi")
        mind.remember("Ann moved to Lisbon")
        found = mind.recall("what is the wifi password?")
        assert found.held == 1
        assert found[0].text == "The attic has bad wifi"
        assert "sunflower42" not in str(to_json(found))
        assert "samemind held" in _TOLD["recall"](to_json(found))
        for likely in ("where does Ann live?", "who has bad wifi?"):
            assert mind.recall(likely).held == 0, likely
        assert mind.recall("sunflower42").held == 0  # or whoever asks could guess it
        assert mind.recall("wifi password", workspace="work").held == 0
        mind.drop_held(mind.held().held[0].id)
        assert mind.recall("what is the wifi password?").held == 0


def test_long_texts_that_are_held_do_not_hold_up_a_recall(tmp_path: Path) -> None:
    """Ten of a megabyte took a recall ten seconds."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert mind.remember("The wifi password is sunflower42").held
        longest = " ".join(f"note{number}" for number in range(COMPARED_CHARACTERS_MAX // 10))
        for number in range(3):
            assert mind.remember(f"The wifi password is dandelion{number}8 {longest}").held
        assert mind.recall("what is the wifi password?").held == 2, "a long one, and the short one behind it"
