"""What a phone is told, asked and shown, on its own."""

import shutil
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from cognition.contradictions.slots import ClaimStatus, SettledBy
from cognition.contradictions.tables import judged_of
from cognition.tables import CognitionTables
from replica import NameNotFound, parse_memory_id, show_memory_id
from replica.keys import Ed25519PrivateKey
from replica.storage.sql import REST_ROWS_MIN
from samemind.phone.host import LOG_LEFT_BYTES_MIN, LooksSecret, Phone
from sync.identity import Identity
from tests.support.links import identity
from tests.support.phones import NOW_MS, meet, pair, phone, read_all

DAY_MS = 86_400_000


def test_what_is_told_is_found_as_it_is_typed() -> None:
    device = phone()
    told = device.remember("The dentist is at Hauptstrasse 12", now_ms=NOW_MS)
    device.remember("Maria's birthday is on 3 March", now_ms=NOW_MS + 1)
    for typed in ("de", "dentis", "where is the dentist?", "hauptstrasse 12"):
        (best, *_) = device.ask(typed, limit=5, now_ms=NOW_MS + 2)
        assert best["rid"] == told["rid"], typed
    assert device.ask("submarine", limit=5, now_ms=NOW_MS) == []
    assert device.ask("", limit=5, now_ms=NOW_MS) == []
    assert device.ask('") OR *', limit=5, now_ms=NOW_MS) == []


def test_what_another_device_finds_is_shown_as_it_reads_here_or_not_at_all() -> None:
    device = phone()
    car, bicycle, pot = (
        parse_memory_id(device.remember(text, now_ms=NOW_MS + number)["rid"])
        for number, text in enumerate(
            ("The car stands in Elm Street", "The bicycle is at the station", "A pot with a car on it")
        )
    )
    device.done(show_memory_id(pot), now_ms=NOW_MS + 5)  # put away
    named = [bicycle, pot, bytes(16), bicycle]
    hits = device.answered("where is the car?", named, limit=5, now_ms=NOW_MS + 9)
    assert [parse_memory_id(each["rid"]) for each in hits] == [bicycle, car]
    assert len(device.answered("where is the car?", named, limit=1, now_ms=NOW_MS + 9)) == 1
    for nothing in ([], [bytes(16), pot]):
        assert device.answered("where is the car?", nothing, limit=5, now_ms=NOW_MS + 9) == []
    device.forget(show_memory_id(bicycle), now_ms=NOW_MS + 10)
    assert device.answered("where is the car?", named, limit=5, now_ms=NOW_MS + 11) == []


def test_a_time_in_the_question_lifts_what_is_of_that_time() -> None:
    device = phone()
    device.remember("Lunch with Jonas was good", now_ms=NOW_MS - 40 * DAY_MS)
    device.remember("Lunch with Jonas was loud", now_ms=NOW_MS - DAY_MS)
    device.remember("Lunch with Jonas was long", now_ms=NOW_MS - 40 * DAY_MS + 1)
    (best, *_) = device.ask("lunch with Jonas yesterday", limit=3, now_ms=NOW_MS)
    assert best["text"].endswith("loud")


def test_the_same_telling_under_one_name_is_stored_once() -> None:
    device = phone()
    first = device.remember("The key is under the pot", now_ms=NOW_MS)
    again = device.remember("The key is under the pot", rid=first["rid"], now_ms=NOW_MS + 1)
    assert again["rid"] == first["rid"]
    assert len(device.recent(limit=10, now_ms=NOW_MS)) == 1


def test_what_a_clock_far_ahead_stamped_comes_last_and_stands_under_the_day_on_which_it_was_told() -> None:
    device = phone()
    right = device.remember("Told by a right clock", now_ms=NOW_MS)["rid"]
    device.remember("Told by a wrong one", now_ms=NOW_MS + 1_000 * DAY_MS)
    device.edit(right, "Told by a right clock, and changed", now_ms=NOW_MS + 1_000 * DAY_MS + 1)
    device.remember("Told afterwards", now_ms=NOW_MS + DAY_MS)
    days = [
        (each["text"], (each["changed_ms"] - NOW_MS) // DAY_MS)
        for each in device.recent(limit=9, now_ms=NOW_MS + DAY_MS)
    ]
    assert days == [
        ("Told afterwards", 1),
        ("Told by a right clock, and changed", 0),
        ("Told by a wrong one", 1_000),
    ]


def test_a_secret_is_told_only_on_purpose() -> None:
    device = phone()
    text = "my password is hunter2-Tr0ub4dor&3"
    with pytest.raises(LooksSecret, match="looks like a secret"):
        device.remember(text, now_ms=NOW_MS)
    assert device.recent(limit=10, now_ms=NOW_MS) == []
    device.remember(text, anyway=True, now_ms=NOW_MS)
    assert [each["text"] for each in device.recent(limit=10, now_ms=NOW_MS)] == [text]


def test_a_secret_comes_into_a_memory_only_on_purpose_and_what_it_holds_may_stay() -> None:
    device = phone()
    rid = device.remember("Wifi at the cabin", now_ms=NOW_MS)["rid"]
    text = "Wifi at the cabin: my password is hunter2-Tr0ub4dor&3"
    with pytest.raises(LooksSecret, match="looks like a secret"):
        device.edit(rid, text, now_ms=NOW_MS)
    assert device.memory(rid)["text"] == "Wifi at the cabin"
    assert device.edit(rid, text, anyway=True, now_ms=NOW_MS)["text"] == text
    assert device.edit(rid, f"Upstairs. {text}", now_ms=NOW_MS)["text"] == f"Upstairs. {text}"


def test_what_is_to_be_done_falls_due_and_is_put_away() -> None:
    device = phone()
    told = device.remember("Remind me to call the plumber tomorrow at 9", now_ms=NOW_MS)
    assert NOW_MS < told["due_ms"] < NOW_MS + 2 * DAY_MS
    assert [each["due_ms"] for each in device.due(now_ms=NOW_MS)] == [told["due_ms"]]
    device.done(told["rid"], now_ms=NOW_MS + DAY_MS)
    assert device.due(now_ms=NOW_MS + DAY_MS) == []


def test_what_repeats_is_due_again_at_its_next_time() -> None:
    device = phone()
    told = device.remember("Remind me every Monday at 9 to water the plants", now_ms=NOW_MS)
    first_ms, week_ms = told["due_ms"], 7 * DAY_MS
    assert [each["due_ms"] for each in device.due(now_ms=NOW_MS)] == [first_ms]
    later_ms = first_ms + 3 * week_ms + DAY_MS
    assert [each["due_ms"] for each in device.due(now_ms=later_ms)] == [first_ms + 3 * week_ms]
    device.done(told["rid"], now_ms=later_ms)
    assert [each["due_ms"] for each in device.due(now_ms=later_ms)] == [first_ms + 4 * week_ms]
    device.done(told["rid"], now_ms=later_ms)  # before its time
    assert [each["due_ms"] for each in device.due(now_ms=later_ms)] == [first_ms + 5 * week_ms]


def test_what_repeats_by_the_month_is_listed_again_when_its_last_time_is_long_over() -> None:
    device = phone()
    told = device.remember("Remind me every month on the 1st at 9 to pay the rent", now_ms=NOW_MS)
    (due,) = device.due(now_ms=told["due_ms"] + 20 * DAY_MS)
    assert 28 * DAY_MS <= due["due_ms"] - told["due_ms"] <= 31 * DAY_MS


@pytest.mark.parametrize("when", ["tomorrow at 9", "every Monday at 9", "every Monday from 9 to 10"])
def test_what_was_put_away_by_mistake_is_due_again_as_it_was(when: str) -> None:
    """Each telling of it, and nothing else."""
    device = phone()
    plants, again, bob = (
        device.remember(f"Remind me {when} to {what}", now_ms=NOW_MS + number)
        for number, what in enumerate(("water the plants", "water the plants", "call Bob"))
    )
    tellings = [device.memory(each["rid"]) for each in (plants, again)]
    before = device.due(now_ms=NOW_MS)
    done = device.done(plants["rid"], now_ms=NOW_MS)
    device.done(bob["rid"], now_ms=NOW_MS)
    left = [each for each in device.due(now_ms=NOW_MS) if each["rid"] == bob["rid"]]
    device.not_done(done["before"], now_ms=NOW_MS)
    assert [device.memory(each["rid"])["due_ms"] for each in (plants, again)] == [
        each["due_ms"] for each in tellings
    ]
    after = {each["rid"]: each["due_ms"] for each in device.due(now_ms=NOW_MS)}
    assert after == {each["rid"]: each["due_ms"] for each in [before[0], *left]}


@pytest.mark.parametrize(("text", "left"), [("tomorrow", 0), ("every Monday", 1)])
def test_a_reminder_that_is_told_twice_is_listed_once_and_put_away_at_once(text: str, left: int) -> None:
    device = phone()
    told = [
        device.remember(f"Remind me {text} at 9 to water the plants", now_ms=NOW_MS + number)
        for number in (0, 1)
    ]
    device.remember("Remind me tomorrow at 10 to call Bob", now_ms=NOW_MS)
    due = {each["rid"]: each["due_ms"] for each in device.due(now_ms=NOW_MS) if "plants" in each["text"]}
    assert due == {told[0]["rid"]: told[0]["due_ms"]}
    device.done(told[0]["rid"], now_ms=NOW_MS)
    plants = [each["due_ms"] for each in device.due(now_ms=NOW_MS) if "plants" in each["text"]]
    assert plants == [told[0]["due_ms"] + 7 * DAY_MS] * left
    assert len(device.due(now_ms=NOW_MS)) == 1 + left, "and nothing else"


def test_who_asks_to_be_reminded_at_no_certain_time_is_told_so() -> None:
    device = phone()
    assert device.remember("Remind me to stretch", now_ms=NOW_MS)["is_without_time"]
    assert not device.remember("Remind me tomorrow at 9 to stretch", now_ms=NOW_MS)["is_without_time"]
    assert not device.remember("We stretched", now_ms=NOW_MS)["is_without_time"]


def test_a_contradiction_is_shown_and_settled() -> None:
    device = phone()
    device.remember("I live in Bern", now_ms=NOW_MS)
    device.remember("I live in Basel", now_ms=NOW_MS + 1)
    read_all(device, now_ms=NOW_MS + 1)
    (question,) = device.questions(now_ms=NOW_MS)
    values = [side["value"] for side in question["sides"]]
    assert sorted(values) == ["Basel", "Bern"]
    with pytest.raises(NameNotFound, match="not asked about any more"):
        device.settle(question["slot"], ["Bonn"], now_ms=NOW_MS + 2)
    assert device.settle(question["slot"], ["Basel"], now_ms=NOW_MS + 2) == []
    assert _beliefs(device, question["slot"]) == {"Bern": "hidden", "Basel": "held"}
    with pytest.raises(NameNotFound, match="settled already"):
        device.settle("00" * 16, ["Basel"], now_ms=NOW_MS + 3)


def test_a_contradiction_is_settled_by_what_changed_and_since_when() -> None:
    device, question = _two_cities()
    since_ms = NOW_MS - 30 * DAY_MS
    assert device.settle(question["slot"], ["Basel"], since_ms=since_ms, now_ms=NOW_MS + 2) == []
    judged = judged_of(device.connection, bytes.fromhex(question["slot"]))
    assert judged.settled_by is SettledBy.CHANGE
    held = [belief.told for belief in judged.beliefs if belief.standing is ClaimStatus.HELD]
    assert [(told.value, told.valid_from) for told in held] == [("Basel", since_ms)]


def test_a_contradiction_of_two_things_is_settled_and_not_asked_about_again() -> None:
    device, question = _two_cities()
    assert device.settle(question["slot"], ["Bern", "Basel"], now_ms=NOW_MS + 2) == []
    assert _beliefs(device, question["slot"]) == {"Bern": "held", "Basel": "held"}


def test_a_contradiction_is_settled_by_what_is_typed_instead() -> None:
    device, question = _two_cities()
    with pytest.raises(LooksSecret):
        device.merge(question["slot"], "The password is hunter2-Trombone9", now_ms=NOW_MS + 2)
    assert len(device.questions(now_ms=NOW_MS)) == 1
    assert device.merge(question["slot"], "In Olten,  between them", now_ms=NOW_MS + 3) == []
    assert device.recent(limit=1, now_ms=NOW_MS)[0]["text"] == "In Olten,  between them"
    held = {value for value, standing in _beliefs(device, question["slot"]).items() if standing == "held"}
    assert held == {"In Olten, between them"}
    with pytest.raises(NameNotFound, match="settled already"):
        device.merge("00" * 16, "In Olten", now_ms=NOW_MS + 4)


@pytest.mark.parametrize("since_ms", [None, NOW_MS])
def test_what_was_merged_elsewhere_with_a_value_in_its_words_is_not_settled_once_more(
    since_ms: int | None,
) -> None:
    device, question = _two_cities()
    device.merge(question["slot"], "In Bern, and Basel in winter", now_ms=NOW_MS + 2)
    with pytest.raises(NameNotFound, match="settled already"):
        device.settle(question["slot"], ["Basel"], since_ms=since_ms, now_ms=NOW_MS + 4)


def test_a_decision_is_taken_back_however_it_was_made() -> None:
    device, question = _two_cities()
    slot = question["slot"]
    assert device.reopen(slot, now_ms=NOW_MS + 2) == [question], "what is open stays so"
    device.settle(slot, ["Basel"], now_ms=NOW_MS + 3)
    assert device.reopen(slot, now_ms=NOW_MS + 4) == [question]
    device.settle(slot, ["Bern"], since_ms=NOW_MS, now_ms=NOW_MS + 5)
    assert [each["sides"] for each in device.reopen(slot, now_ms=NOW_MS + 6)] == [question["sides"]]
    rids = {each["rid"] for each in device.recent(limit=10, now_ms=NOW_MS)}
    device.merge(slot, "In Olten, between them", now_ms=NOW_MS + 7)
    (again,) = device.reopen(slot, now_ms=NOW_MS + 8)
    assert again["sides"] == question["sides"]
    assert {each["rid"] for each in device.recent(limit=10, now_ms=NOW_MS)} == rids
    with pytest.raises(NameNotFound, match="settled already"):
        device.reopen("00" * 16, now_ms=NOW_MS + 9)


def test_what_is_put_off_is_neither_asked_nor_counted_until_its_time() -> None:
    device, question = _two_cities()
    until_ms = NOW_MS + DAY_MS
    assert device.snooze(question["slot"], until_ms, now_ms=NOW_MS + 2) == []
    assert device.questions(now_ms=until_ms - 1) == []
    assert device.status(now_ms=until_ms - 1)["questions"] == 0
    assert device.questions(now_ms=until_ms) == [question]
    assert device.status(now_ms=until_ms)["questions"] == 1
    device.settle(question["slot"], ["Bern"], now_ms=NOW_MS + 3)
    for slot in (question["slot"], "00" * 16):
        with pytest.raises(NameNotFound, match="settled already"):
            device.snooze(slot, until_ms, now_ms=NOW_MS + 4)
    assert len(device.reopen(question["slot"], now_ms=NOW_MS + 5)) == 1, "it is asked at once"


def test_what_nobody_decided_cannot_be_taken_back() -> None:
    device, question = _two_cities()
    device.remember("I moved to Zurich last week", now_ms=NOW_MS + 2)
    read_all(device, now_ms=NOW_MS + 3)
    assert device.questions(now_ms=NOW_MS) == []
    with pytest.raises(NameNotFound, match="no decision settled this"):
        device.reopen(question["slot"], now_ms=NOW_MS + 4)


def _two_cities() -> tuple[Phone, dict[str, Any]]:
    """Return a phone that was told two cities, and what it asks about them."""
    device = phone()
    device.remember("I live in Bern", now_ms=NOW_MS)
    device.remember("I live in Basel", now_ms=NOW_MS + 1)
    read_all(device, now_ms=NOW_MS + 1)
    (question,) = device.questions(now_ms=NOW_MS)
    return device, question


def _beliefs(device: Phone, slot: str) -> dict[str, str]:
    judged = judged_of(device.connection, bytes.fromhex(slot))
    return {belief.told.value: belief.standing.value for belief in judged.beliefs}


def test_what_a_page_shows_first_costs_the_same_however_much_is_told() -> None:
    """A start waits for it, and every memory would have to come from the browser's disk."""
    device = phone()
    steps = []
    for many in (300, 2_700):
        for number in range(many):
            device.remember(f"The passport of Maria lies on shelf s{number}", now_ms=NOW_MS + many + number)
        counted = [0]
        device.connection.set_progress_handler(partial(_count, counted), 10)
        assert len(device.recent(limit=40, now_ms=NOW_MS)) == 40
        device.connection.set_progress_handler(None, 0)
        steps.append(counted[0])
    few, most = steps
    assert most < 1.5 * few, steps
    (plan,) = device.connection.execute("EXPLAIN QUERY PLAN SELECT count(*) FROM memory WHERE parent IS NULL")
    assert "USING COVERING INDEX memory_by_news" in plan[3]


def test_what_is_told_is_read_behind_the_commit_and_after_a_kill_from_where_it_was(tmp_path: Path) -> None:
    """Reading takes ten times as long as storing on a phone, and who tells waits for storing alone."""
    path = str(tmp_path / "memory.db")
    device = phone(path=path)
    device.remember("I live in Bern", now_ms=NOW_MS)
    device.remember("I live in Basel", now_ms=NOW_MS + 1)
    stored = device.status(now_ms=NOW_MS)["position"]
    assert (stored, device.has_unread, device.questions(now_ms=NOW_MS)) == (2, True, [])
    assert device.read(now_ms=NOW_MS + 2, budget_s=0)  # one of the two, and then it is killed
    assert device.questions(now_ms=NOW_MS) == []
    device.connection.close()
    again = phone(path=path)
    assert again.has_unread
    read_all(again, now_ms=NOW_MS + 3)
    (question,) = again.questions(now_ms=NOW_MS)
    assert sorted(side["value"] for side in question["sides"]) == ["Basel", "Bern"]
    position = again.status(now_ms=NOW_MS)["position"]
    assert not again.read(now_ms=NOW_MS + 4)
    assert again.status(now_ms=NOW_MS)["position"] == position > stored


def test_what_is_edited_before_it_was_read_is_read_as_it_was_told() -> None:
    device = phone()
    device.remember("I live in Bern", now_ms=NOW_MS)
    rid = device.remember("I live in Basel", now_ms=NOW_MS + 1)["rid"]
    device.edit(rid, "Never mind", now_ms=NOW_MS + 2)
    assert not device.has_unread
    (question,) = device.questions(now_ms=NOW_MS)
    assert len(question["sides"]) == 2


def test_what_is_forgotten_before_it_was_read_leaves_nothing() -> None:
    device = phone()
    rid = device.remember("Anna moved to Berlin last week and works at a bakery", now_ms=NOW_MS)["rid"]
    device.forget(rid, now_ms=NOW_MS + 1)
    read_all(device, now_ms=NOW_MS + 2)
    assert device.recent(limit=10, now_ms=NOW_MS) == []
    assert device.status(now_ms=NOW_MS)["position"] == 2


def test_what_is_edited_and_forgotten() -> None:
    device = phone()
    rid = device.remember("The wifi is slow", now_ms=NOW_MS)["rid"]
    assert device.edit(rid, " The wifi is fast ", now_ms=NOW_MS + 1)["text"] == "The wifi is fast"
    device.forget(rid, now_ms=NOW_MS + 2)
    assert device.recent(limit=10, now_ms=NOW_MS) == []
    assert device.ask("wifi", limit=5, now_ms=NOW_MS) == []
    with pytest.raises(NameNotFound, match=rid):
        device.forget(rid, now_ms=NOW_MS)
    with pytest.raises(NameNotFound, match=rid):
        device.memory(rid)


def test_it_is_all_there_when_it_is_opened_again(tmp_path: Path) -> None:
    device = phone(path=str(tmp_path / "memory.db"))
    device.remember("The key is under the pot", now_ms=NOW_MS)
    digests, status = device.digests(), device.status(now_ms=NOW_MS)
    device.connection.close()
    again = phone(path=str(tmp_path / "memory.db"))
    assert (again.digests(), again.status(now_ms=NOW_MS)) == (digests, status)
    assert [each["text"] for each in again.recent(limit=5, now_ms=NOW_MS)] == ["The key is under the pot"]


def test_to_be_opened_again_takes_no_signature(tmp_path: Path) -> None:
    """One takes milliseconds on a phone, and a start has nothing to say that was not said at the first one."""
    path, made = str(tmp_path / "memory.db"), identity("phone")
    signed: list[bytes] = []

    class Counting:
        def __getattr__(self, name: str) -> Any:
            return getattr(made.private_key, name)

        def sign(self, message: bytes) -> bytes:
            signed.append(message)
            return made.private_key.sign(message)

    counted = Identity(cast("Ed25519PrivateKey", Counting()), made.certificate, made.device_id)
    for expected in (1, 1):
        device = Phone.open(path, counted, name="phone", random=Random(1), now_ms=NOW_MS)
        device.connection.close()
        assert len(signed) == expected


def test_what_was_written_is_brought_into_the_file_once_it_is_much(tmp_path: Path) -> None:
    """A start reads what was not: and SQLite alone would leave it until that is 64 MB."""
    path = tmp_path / "memory.db"
    device = phone(path=str(path))
    device.remember("The key is under the pot", now_ms=NOW_MS)
    device.rest()
    small = path.stat().st_size
    number = 0
    while device.connection.total_changes < REST_ROWS_MIN:
        number += 1
        device.remember(f"telling {number}", now_ms=NOW_MS + number)
    device.rest()
    large = path.stat().st_size
    assert large > 20 * small
    log = path.with_name("memory.db-wal")
    length, head = log.stat().st_size, log.read_bytes()[:32]
    device.remember("one more, over what is in the file now", now_ms=NOW_MS + number + 1)
    assert log.stat().st_size == length
    assert log.read_bytes()[:32] == head, "the log has begun anew already, and its head is flushed"
    device.rest()
    assert path.stat().st_size == large
    digests = device.digests()
    device.connection.close()
    assert phone(path=str(path)).digests() == digests


def test_a_log_that_an_earlier_start_left_is_brought_over_at_the_first_rest(tmp_path: Path) -> None:
    device = phone(path=str(tmp_path / "memory.db"))
    log = tmp_path / "memory.db-wal"
    number = 0
    while log.stat().st_size < LOG_LEFT_BYTES_MIN:
        number += 1
        device.remember(f"telling {number}", now_ms=NOW_MS + number)
    assert device.connection.total_changes < REST_ROWS_MIN
    killed = tmp_path / "killed"
    killed.mkdir()
    for name in ("memory.db", "memory.db-wal"):
        shutil.copy(tmp_path / name, killed / name)
    again = phone(path=str(killed / "memory.db"))
    before = (killed / "memory.db").stat().st_size
    again.rest()
    assert (killed / "memory.db").stat().st_size > before
    assert again.digests() == device.digests()


def test_room_behind_the_log_is_no_log_that_an_earlier_start_left(tmp_path: Path) -> None:
    device = phone(path=str(tmp_path / "memory.db"))
    device.remember("The key is under the pot", now_ms=NOW_MS)
    killed = tmp_path / "killed"
    killed.mkdir()
    shutil.copy(tmp_path / "memory.db", killed / "memory.db")
    log = (tmp_path / "memory.db-wal").read_bytes()
    (killed / "memory.db-wal").write_bytes(log.ljust(2 * LOG_LEFT_BYTES_MIN, b"\0"))
    again = phone(path=str(killed / "memory.db"))
    before = (killed / "memory.db").stat().st_size
    again.rest()
    assert (killed / "memory.db").stat().st_size == before
    assert again.digests() == device.digests()


def test_a_question_of_common_words_costs_little_beside_one_of_a_rare_word() -> None:
    device = phone()
    for number in range(1_500):
        device.remember(f"The passport of Maria lies on shelf s{number}", now_ms=NOW_MS + number)
    steps = {}
    for question in ("passport of Maria", "shelf s77"):
        counted = [0]
        device.connection.set_progress_handler(partial(_count, counted), 100)
        assert device.ask(question, limit=5, now_ms=NOW_MS + 2_000)
        device.connection.set_progress_handler(None, 0)
        steps[question] = counted[0]
    # One query for each row that holds a word would take hundreds of times as many steps.
    assert steps["passport of Maria"] < 30 * steps["shelf s77"], steps


def _count(counted: list[int]) -> int:
    counted[0] += 1
    return 0


def test_words_are_merged_behind_what_is_told_and_found_before_and_after_that() -> None:
    device = phone()
    for number in range(40):
        device.remember(f"note {number} about the garden", now_ms=NOW_MS + number)
    before = _segments(device)
    found = device.ask("garden", limit=50, now_ms=NOW_MS + 50)
    read_all(device)
    assert not device.is_behind
    assert before >= 40 > 8 > _segments(device)
    assert device.ask("garden", limit=50, now_ms=NOW_MS + 50) == found
    assert len(found) == 40


def test_who_tells_without_a_pause_has_words_merged_before_finding_grows_slow() -> None:
    device = phone()
    for number in range(150):
        device.remember(f"note {number} about the garden", now_ms=NOW_MS + number)
    assert _segments(device) < 100


def test_nothing_waits_for_a_model_that_no_phone_has() -> None:
    device = phone()
    rid = device.remember("a note about the garden", now_ms=NOW_MS)["rid"]
    device.edit(rid, "a note about the house", now_ms=NOW_MS + 1)
    device.connection.execute("UPDATE cognition SET value = 'an older one' WHERE name = 'version'")
    CognitionTables(embeds=False).migrate(device.connection)
    assert device.connection.execute("SELECT count(*) FROM embed_queue").fetchall() == [(0,)]
    assert [hit["text"] for hit in device.ask("house", limit=5, now_ms=NOW_MS + 2)] == [
        "a note about the house"
    ]


def _segments(device: Phone) -> int:
    ((count,),) = device.connection.execute("SELECT count(DISTINCT segid) FROM memory_text_idx")
    return int(count)


def test_what_two_devices_wrote_at_once_is_shown_until_one_of_them_settles_it() -> None:
    one, laptop = phone(), phone("laptop")
    pair(one, laptop)
    rid = one.remember("The key is kept by Ann", now_ms=NOW_MS)["rid"]
    meet(one, laptop)
    one.edit(rid, "The key is kept by Dora", now_ms=NOW_MS + 1)
    laptop.edit(rid, "The key is kept by Carla", now_ms=NOW_MS + 2)
    assert one.memory(rid)["variants"] == []
    meet(one, laptop)
    wrote = [
        {"text": "The key is kept by Carla", "by": "laptop"},
        {"text": "The key is kept by Dora", "by": "phone"},
    ]
    assert one.memory(rid)["variants"] == laptop.recent(limit=1, now_ms=NOW_MS)[0]["variants"] == wrote
    assert one.edit(rid, wrote[1]["text"], now_ms=NOW_MS + 3)["variants"] == []
