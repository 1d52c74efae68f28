"""What looks secret is held on its own device until somebody decides."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import samemind
from cognition.ingest.holding import LISTED_MAX, QuarantinedText, find_held, held_here
from cognition.ingest.local import LocalTables
from replica import MemoryId
from samemind.library.blocking import BlockingMind
from tests.support import cli
from tests.support.minds import Home

CARD = "My card is 4111 1111 1111 1111. I moved to Lisbon, and I work at Google these days."


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def ops(mind: BlockingMind) -> int:
    return mind.stats().ops


def test_a_secret_is_no_memory_and_no_op_until_it_is_released(mind: BlockingMind) -> None:
    before = ops(mind)
    told = mind.remember(CARD, speaker="Ann", tag=["money"], read=True)
    assert (told.held, told.op_id, told.facts) == (True, None, [])
    assert ops(mind) == before
    assert mind.list().total == 0
    assert mind.recall("card").results == []
    (held,) = mind.held().held
    assert (held.id, held.kinds, "4111" in held.shown) == (told.rid, ["card"], False)
    released = mind.release_held(told.rid[:13])
    memory = mind.get(told.rid)
    assert (memory.text, memory.speaker, memory.tags, released.rid) == (CARD, "Ann", ["money"], told.rid)
    assert {mind.get(rid).text for rid in released.facts} >= {"Ann moved to Lisbon"}
    assert mind.held().held == []
    with pytest.raises(samemind.NotFound, match="no quarantined text"):
        mind.release_held(told.rid)


def test_a_question_names_held_texts_that_share_more_than_its_small_words(mind: BlockingMind) -> None:
    mind.remember("The password for the breeders' forum is Heron-Wiese-88!")
    mind.remember("Das Passwort für das WLAN ist schilfrohr2026.")
    assert mind.recall("What is the password for the forum?").held == 1
    assert mind.recall("Wie ist das WLAN-Passwort?").held == 1
    assert mind.recall("What is my shoe size?").held == 0
    assert mind.recall("Was ist das für ein Vogel?").held == 0


def test_what_is_dropped_leaves_no_trace_in_any_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with samemind.open_blocking(home) as mind:
        told = mind.remember("The wifi password is Sunny-Beach42")
        assert mind.drop_held(told).id == told.rid, "what `remember` returned names it"
        assert mind.held().held == []
        mind.remember("Something else")
    assert not [path for path in home.iterdir() if path.is_file() and b"Sunny-Beach42" in path.read_bytes()]


def test_the_same_secret_told_twice_is_held_once(mind: BlockingMind) -> None:
    first, second = mind.remember(CARD), mind.remember(CARD)
    assert first.rid == second.rid
    assert len(mind.held().held) == 1


def test_a_secret_in_metadata_is_one_too(mind: BlockingMind) -> None:
    told = mind.remember("How to get in", meta={"password": "Sunny-Beach42"})
    assert told.held
    assert mind.remember("How to get in", meta={"door": "red"}).held is False


def test_a_batch_and_an_import_keep_secrets_back_and_take_the_rest(
    mind: BlockingMind, tmp_path: Path
) -> None:
    batch = mind.remember_many([{"text": "one"}, {"text": CARD}, {"text": "two"}])
    assert batch.count == 3
    assert batch.held == [batch.rids[1]]
    file = tmp_path / "notes.jsonl"
    file.write_text(
        "\n".join(json.dumps({"id": str(n), "text": text}) for n, text in enumerate(["three", CARD]))
    )
    for _ in range(2):
        assert mind.import_(file).held == 1
    assert mind.list().total == 3
    assert len(mind.held().held) == 1  # one text, and one decision about it
    mind.release_held(batch.rids[1])
    assert mind.import_(file).held == 0


def test_an_import_holds_a_secret_in_an_edge_a_claim_and_the_profile_too(
    mind: BlockingMind, tmp_path: Path
) -> None:
    """Each is held as a memory that says the same, and what is no secret comes in beside it."""
    rid = mind.remember("The house by the lake is red").rid
    claim = {"kind": "claim", "rid": rid, "entity": "house", "relation": "wifi password"}
    edge = {"kind": "edge", "source": "house", "relation": "has_password"}
    lines = [
        {**claim, "id": "1", "value": "Sunny-Beach42"},
        {**claim, "id": "2", "relation": "colour", "value": "red"},
        {**edge, "target": "Rainy-Beach43"},
        {**edge, "relation": "lies_by", "target": "lake"},
        {"kind": "setting", "name": "profile.password", "value": "Windy-Beach44"},
    ]
    file = tmp_path / "export.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    for new in (1, 0):
        imported = mind.import_(file)
        assert (imported.imported, imported.held, imported.failed) == (new, 3, [])
    mind.export(tmp_path / "all.jsonl")
    written = (tmp_path / "all.jsonl").read_text()
    assert '"colour"' in written
    assert '"lies_by"' in written
    assert "Beach" not in written
    held = {one.id: one.kinds for one in mind.held().held}
    assert list(held.values()) == [["password"]] * 3
    for one in held:
        mind.release_held(one)
    texts = {memory.text for memory in mind.list()}
    assert {"house wifi password: Sunny-Beach42", "house has password: Rainy-Beach43"} < texts
    assert mind.import_(file).held == 0  # it was decided


def test_a_claim_of_a_memory_that_was_released_with_its_secret_is_held_no_more(
    mind: BlockingMind, tmp_path: Path
) -> None:
    rid = mind.remember("My wifi password: Sunny-Beach42").rid
    mind.release_held(rid)
    claim = {
        "kind": "claim",
        "id": "1",
        "rid": rid,
        "entity": "me",
        "relation": "password",
        "value": "Sunny-Beach42",
    }
    (tmp_path / "claims.jsonl").write_text(json.dumps(claim))
    assert mind.import_(tmp_path / "claims.jsonl").held == 0
    mind.export(tmp_path / "all.jsonl")
    assert '"kind": "claim"' in (tmp_path / "all.jsonl").read_text()


def test_an_unheld_prefix_and_a_wrong_id_are_errors(mind: BlockingMind) -> None:
    with pytest.raises(samemind.NotFound):
        mind.drop_held("0123456789")
    with pytest.raises(samemind.Usage):
        mind.drop_held("zz")


def test_the_command_line_says_that_something_is_held(tmp_path: Path) -> None:
    home = tmp_path / "home"
    told = cli.run(home, "remember", CARD)
    assert "held here: samemind held" in told.out
    assert "card: My card is 41…" in cli.run(home, "held").out
    assert "1 text looks secret and is not remembered" in cli.run(home, "doctor").out
    (tmp_path / "one.jsonl").write_text(json.dumps({"text": f"{CARD} still"}) + "\n")
    assert "1 looks secret and is held here" in cli.run(home, "import", str(tmp_path / "one.jsonl")).out


def test_a_secret_in_an_edit_is_held_and_the_memory_stays_as_it_is_until_it_is_released(
    mind: BlockingMind,
) -> None:
    rid = mind.remember("Money matters").rid
    before = ops(mind)
    edited = mind.edit(rid, CARD)
    assert edited.text == "Money matters"
    assert ops(mind) == before
    (held,) = mind.held().held
    assert (held.id, held.about, held.kinds, "4111" in held.shown) == (edited.held, rid, ["card"], False)
    assert mind.edit(rid, CARD).held == held.id  # one change, and one decision about it
    assert mind.correct(rid, CARD).held == held.id
    assert {hit.text for hit in mind.recall("Lisbon").results} <= {
        "Money matters"
    }  # by its meaning, once that is made
    released = mind.release_held(held.id)
    assert (released.rid, mind.get(rid).text, mind.held().held) == (rid, CARD, [])
    assert {mind.get(fact).text for fact in released.facts} >= {"I moved to Lisbon"}
    # What it holds already was released: other words around it are nobody's business.
    assert mind.edit(rid, f"{CARD} And so on.").held is None


@pytest.mark.parametrize(
    "values",
    [
        {"meta.password": "Sunny-Beach42"},
        {"topic": "password: Sunny-Beach42"},
        {"importance": 0.5, "meta.pwd": "Sunny-Beach42"},
    ],
)
def test_a_secret_in_a_field_is_held_with_the_others_of_its_change(
    mind: BlockingMind, values: dict[str, Any]
) -> None:
    rid = mind.remember("How to get in", meta={"door": "red"}).rid
    before = mind.get(rid)
    held = mind.set(rid, **values).held
    assert held is not None
    assert mind.get(rid) == before
    assert "Sunny-Beach42" not in repr(mind.held())
    mind.release_held(held)
    after = mind.get(rid)
    assert "Sunny-Beach42" in repr(after)
    assert (after.importance, after.meta["door"]) == (values.get("importance"), "red")
    assert mind.set(rid, **values).held is None


def test_a_held_change_leaves_with_the_memory_that_it_is_about(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with samemind.open_blocking(home) as mind:
        rid = mind.remember("How to get in").rid
        mind.edit(rid, "The wifi password is Sunny-Beach42")
        mind.set(rid, **{"meta.password": "Windy-Beach43"})
        assert len(mind.held().held) == 2
        mind.forget(rid)
        assert mind.held().held == []
    for path in home.iterdir():
        assert not path.is_file() or b"-Beach4" not in path.read_bytes()


def test_a_store_from_before_changes_were_held_learns_to_hold_them() -> None:
    connection = Home().connection
    connection.execute("DROP TABLE held")
    connection.execute(
        """CREATE TABLE held (rid BLOB PRIMARY KEY, kinds TEXT NOT NULL, text TEXT NOT NULL, fields BLOB NOT NULL,
           held_at INTEGER NOT NULL) WITHOUT ROWID"""
    )
    connection.execute("INSERT INTO held VALUES (?, 'card', ?, ?, 5)", (bytes(16), CARD, b"\x80"))
    for _ in range(2):
        LocalTables().migrate(connection)
    assert held_here(connection) == [QuarantinedText(MemoryId(bytes(16)), ("card",), CARD, {}, 5)]
    connection.close()


def test_what_was_changed_since_stays_when_a_held_change_of_fields_is_released(mind: BlockingMind) -> None:
    rid = mind.remember("How to get in", meta={"door": "red", "floor": "3"}, tag=["home"]).rid
    noted = mind.set(rid, **{"meta.pwd": "Sunny-Beach42", "meta.floor": ""}).held
    labelled = mind.tag(rid, "password: Windy-Beach43").held
    assert noted is not None
    assert labelled is not None
    mind.set(rid, **{"meta.place": "attic", "meta.door": "blue"})
    mind.tag(rid, "keys")
    mind.tag(rid, "home", remove=True)
    mind.release_held(noted)
    mind.release_held(labelled)
    after = mind.get(rid)
    assert after.meta == {"door": "blue", "place": "attic", "pwd": "Sunny-Beach42"}
    assert after.tags == ["keys", "password: Windy-Beach43"]


def test_a_held_edit_of_words_that_were_changed_since_needs_a_decision(mind: BlockingMind) -> None:
    rid = mind.remember("Money matters").rid
    held = mind.edit(rid, CARD).held
    assert held is not None
    mind.edit(rid, "Money matters little")
    with pytest.raises(samemind.NeedsDecision, match="changed meanwhile") as raised:
        mind.release_held(held)
    assert (raised.value.code, raised.value.exit_code) == ("changed_meanwhile", 4)
    assert mind.get(rid).text == "Money matters little"
    assert [each.id for each in mind.held().held] == [held]
    assert mind.edit(rid, CARD).held == held  # told again, it is meant for what the memory says now
    mind.release_held(held)
    assert mind.get(rid).text == CARD


def test_a_secret_beside_words_that_are_remembered_already_is_held(mind: BlockingMind) -> None:
    rid = mind.remember("How to get in").rid
    assert mind.remember("How to get in", meta={"password": "Sunny-Beach42"}).held
    assert mind.get(rid).meta == {}


def test_a_goal_that_looks_secret_is_held_and_is_a_goal_once_released(mind: BlockingMind) -> None:
    before = ops(mind)
    goal = mind.add_goal(CARD)
    assert (goal.held, "4111" in goal.text, ops(mind), list(mind.goals())) == (True, False, before, [])
    assert mind.add_goal(CARD).rid == goal.rid
    mind.release_held(goal.rid)
    assert [(one.rid, one.text, one.held) for one in mind.goals()] == [(goal.rid, CARD, False)]


def test_doors_that_hold_nothing_back_refuse_a_secret_and_write_nothing(mind: BlockingMind) -> None:
    secret = "Sunny-Beach42"
    contradiction = (
        mind.remember("I work at Google", read=True),
        mind.remember("I work at Meta", read=True),
    )[1].contradictions[0]
    block = mind.edit_block("house", "It is red")
    before = ops(mind)
    for write in (
        lambda: mind.resolve(contradiction, merge=f"I work at Google, my password is {secret}"),
        lambda: mind.edit_block("house", f"The password is {secret}"),
        lambda: mind.edit_block("wifi password", secret),
        lambda: mind.set_profile(city="Lisbon", password=secret),
        lambda: mind.relate("house", "has_password", secret),
    ):
        with pytest.raises(samemind.Usage, match=r"looks like a secret \(password\)") as raised:
            write()
        assert raised.value.code == "secret"
        assert secret not in f"{raised.value.message} {raised.value.hint}"
    assert (ops(mind), mind.held().held) == (before, [])
    # Its memory can be edited: that is held, and once it is released, other words around it are refused no more.
    held = mind.edit(block.rid, f"The password is {secret}").held
    assert held is not None
    mind.release_held(held)
    assert mind.edit_block("house", f"It is red, and the password is {secret}").rid == block.rid
    mind.relate("house", "has_token", block.rid)


def test_what_was_held_after_a_thousand_others_is_found_by_its_id() -> None:
    """An import of many secrets could not be released: only those that are listed were looked through."""
    connection = Home().connection
    rids = [MemoryId(n.to_bytes(16)) for n in range(LISTED_MAX + 1)]
    connection.executemany(
        "INSERT INTO held (rid, kinds, text, fields, held_at) VALUES (?, 'card', ?, ?, 5)",
        [(rid, CARD, b"\x80") for rid in rids],
    )
    assert [each.rid for each in held_here(connection)] == rids[:-1]
    assert [each.rid for each in find_held(connection, rids[-1], rids[-1])] == rids[-1:]
    connection.close()
