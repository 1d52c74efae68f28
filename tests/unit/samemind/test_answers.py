"""What is asked for is answered by what is believed of it, whatever else shares its words."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trio

import samemind
from cognition.embedding.static import StaticEmbedder
from cognition.errors import ModelUnavailable
from samemind.cli.printing import show
from samemind.commands.memories.recall import Recalled
from samemind.formats.plain import from_json, to_json
from samemind.library.blocking import BlockingMind
from samemind.mcp.telling import tell
from samemind.panel.browsing import search
from samemind.panel.moments import Moments
from tests.bench.homes import ASIDE, LATER, MISSING, OTHERS, OTHERS_ASIDE, SEEN, SINCE, ask, pairs, read
from tests.support.devices import run
from tests.support.doors import opened

NOTES = (
    "I work at Barclays",
    "My work laptop is slow",
    "The gym near work closes at ten",
    "My sister works at Boots",
    "Mum asked whether I like work",
    "I work out on Mondays and Thursdays",
    "Alice works at Google in Dublin",
    "Dinner with the people from work on Friday",
    "The commute takes forty minutes by tram",
    "I just started at Stripe",
    "Ann's birthday is on 14 March",
    "My blood type is A negative",
    "I live in Leipzig",
    "The live show on Saturday was great",
)


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path_factory.mktemp("answers") / "m.db") as mind:
        for text in NOTES:
            mind.remember(text)
        mind.wait_for_queue()
        yield mind


def test_what_is_believed_comes_first_with_what_it_replaced_one_step_away(mind: BlockingMind) -> None:
    best = mind.recall("where do I work?").results[0]
    assert best.text == "I just started at Stripe"
    assert best.claim is not None
    assert (best.claim.entity, best.claim.relation) == ("owner", "works_at")
    assert (best.claim.value, best.claim.standing) == ("Stripe", "believed")
    (before,) = best.claim.earlier
    assert before.value == "Barclays"
    assert before.until is not None
    assert mind.get(before.rid).text == "I work at Barclays"
    assert best.confidence >= 0.9


def test_other_people_and_other_words_claim_nothing_of_it(mind: BlockingMind) -> None:
    claimed = [hit.text for hit in mind.recall("wo arbeite ich?").results if hit.claim is not None]
    assert claimed == ["I just started at Stripe"]
    assert mind.recall("where does Alice work?").results[0].text == "Alice works at Google in Dublin"
    assert mind.recall("Wann hat Ann Geburtstag?").results[0].text == "Ann's birthday is on 14 March"
    assert all(hit.claim is None for hit in mind.recall("is the laptop slow?").results)


def test_a_claim_is_told_by_every_interface_and_survives_the_way_there(mind: BlockingMind) -> None:
    recalled = mind.recall("where do I work?")
    document = to_json(recalled)
    assert from_json(Recalled, document) == recalled
    assert "[" in tell("recall", document)
    first, *_ = (line for line in tell("recall", document).splitlines() if line.startswith("- "))
    assert "BELIEVED NOW (before: Barclays [" in first
    assert "        believed now: works_at Stripe" in show("recall", document)
    assert "Stripe (" in mind.context("where do I work?").text
    assert "BELIEVED NOW (before: Barclays)" in mind.context("where do I work?").text


def test_the_panel_shows_what_is_believed_and_what_it_replaced(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop, trio.open_nursery() as nursery:
            for text in ("I work at Barclays", "My work laptop is slow", "I just started at Stripe"):
                await laptop.mind.remember(text, wait=True)
            found = await search(Moments(laptop.device, nursery), {"query": "where do I work?"})
            first, *others = found["memories"]
            assert first["claim"]["standing"] == "believed"
            assert [was["value"] for was in first["claim"]["earlier"]] == ["Barclays"]
            assert found["close"] >= 1
            assert all(other["claim"] is None for other in others)
            none = await search(Moments(laptop.device, nursery), {"query": "what is 2+2?"})
            assert none["close"] == 0

    run(main)


def test_what_cannot_both_hold_is_shown_with_its_other_side(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "m.db") as mind:
        mind.remember("I live in Porto")
        mind.remember("The port of Leith is closed")
        mind.remember("I live in Leith", wait=True)
        one, other, *_ = mind.recall("where do I live?").results
        assert [one.text, other.text] == ["I live in Leith", "I live in Porto"]
        assert one.claim is not None
        assert one.claim.standing == "disputed"
        assert [side.value for side in one.claim.against] == ["Porto"]
        assert "CONTRADICTED" in mind.context("where do I live?").text


@pytest.mark.parametrize(
    ("notes", "question"),
    [
        (("Я живу в Самаре", "Олег живёт в Самаре", "Я переехал в Тверь"), "Где я сейчас живу?"),
        (
            ("Alice lives in Berlin", "The live show was great", "I moved to Lisbon last year"),
            "where do I live",
        ),
        (("Giulia abita a Torino", "L'abito di Giulia è bello", "Abito a Cuneo"), "Dove abito?"),
        (("Kasia pracuje w szkole", "Praca w ogrodzie", "Pracuję w Allegro"), "gdzie pracuję"),
    ],
)
def test_what_is_told_of_whom_is_read_where_no_claim_was_and_the_latest_stands(
    tmp_path: Path, notes: tuple[str, ...], question: str
) -> None:
    with samemind.open_blocking(tmp_path / "m.db") as mind:
        for note in notes:
            mind.remember(note, wait=True)
        assert mind.recall(question).results[0].text == notes[-1]


def test_in_the_past_what_was_believed_then_comes_first(mind: BlockingMind, tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "m.db") as own:
        own.remember("I work at Barclays", wait=True)
        then = datetime.now(UTC)  # what it states was read by then
        time.sleep(0.01)
        own.remember("I just started at Stripe", wait=True)
        (was, *_) = own.recall("where do I work?", as_of=then.isoformat()).results
        assert was.claim is not None
        assert (was.claim.value, was.claim.standing) == ("Barclays", "believed")


@pytest.mark.parametrize(
    "question", ["what is 2+2?", "how do I sort a list in Python?", "who won the world cup in 1998?"]
)
def test_what_has_nothing_to_do_with_memory_sends_nothing(mind: BlockingMind, question: str) -> None:
    assert mind.context(question).text == ""


def test_a_question_about_work_sends_no_blood_type(mind: BlockingMind) -> None:
    assert "blood" not in mind.context("where do I work?").text
    assert "blood type" in mind.context("what is my blood type?").text


def test_homes_have_ten_to_twenty_notes_and_every_question_an_answer() -> None:
    seen, aside, since = read(SEEN), read(ASIDE), read(SINCE)
    assert len(seen) == len(aside) == 25
    assert len(since) == 10
    assert len({home.language for home in (*seen, *aside)}) >= 4
    for home in (*seen, *aside, *since):
        assert 10 <= len(home.notes) <= 20, home.name
        assert all(question.right for question in home.questions), home.name
    assert not {home.notes for home in seen} & {home.notes for home in aside}


def test_homes_with_anothers_fact_have_four_pairs_each_in_ten_languages() -> None:
    for path in (OTHERS, OTHERS_ASIDE):
        homes = read(path)
        assert len({home.language for home in homes}) == len(homes) == 10
        for home in homes:
            alone = list(pairs(home))
            assert [pair.questions[0].text for pair in alone] == [each.text for each in home.questions[:4]]
            for pair, question in zip(alone, home.questions, strict=False):
                own = {pair.notes[at] for at in pair.questions[0].right}
                assert own == {home.notes[at] for at in question.right}
                assert len(set(pair.notes)) == 3


def test_fifty_homes_written_later_have_an_answer_to_every_question_and_two_questions_without() -> None:
    later, missing = read(LATER), read(MISSING)
    assert len(later) == 50
    assert [home.name for home in missing] == [home.name for home in later]
    for home, without in zip(later, missing, strict=True):
        assert 10 <= len(home.notes) <= 20, home.name
        assert all(question.right for question in home.questions), home.name
        assert [bool(question.right) for question in without.questions] == [False, False], home.name


def test_an_everyday_home_answers(tmp_path: Path) -> None:
    """Three of the homes that the ranking was made with; all of them are `python -m tests.bench.homes`."""
    homes = {home.name: home for home in read(SEEN)}
    for name in ("en starter", "de anfang", "uk дім"):
        assert all(answered.right for answered in ask(homes[name])), name


def test_without_the_vectors_of_words_a_recall_goes_on_with_those_of_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was out of file descriptors failed at every question."""

    def spent(_: StaticEmbedder) -> None:
        raise ModelUnavailable("Too many open files")

    with samemind.open_blocking(tmp_path / "m.db") as own:
        own.remember("Ann works at Barclays", wait=True)
        monkeypatch.setattr(StaticEmbedder, "_load", spent)
        assert [hit.text for hit in own.recall("who is employed at Barclays?")] == ["Ann works at Barclays"]
