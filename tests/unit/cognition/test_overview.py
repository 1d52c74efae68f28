"""What an agent is told before anything was asked."""

from cognition.context.block import Context
from cognition.context.budget import tokens
from cognition.context.overview import PINNED, RECENT, STALE, STALE_MS, OverviewSection, read_overview, widen
from cognition.filters import Filters
from replica import short_memory_ids
from replica.ops import Set, Write
from tests.support.minds import NOW_MS, Home

EMPTY = Context("", 0, "overview", (), ())


def parts_of(home: Home, now_ms: int = NOW_MS) -> list[OverviewSection]:
    return read_overview(home.connection, Filters(), now_ms=now_ms)


def test_a_memory_stands_in_the_first_part_that_it_belongs_to_and_facts_beside_their_parent_in_none() -> None:
    home = Home()
    rule = home.remember("Keep it short", pinned=True)
    said = home.remember("Olga moved to Porto, and Pavel stayed")
    home.remember("Olga moved to Porto", parent=bytes(said))
    parts = parts_of(home, NOW_MS + 2 * STALE_MS)
    assert [(part.title, {memory.rid for memory in part.memories}) for part in parts] == [
        (PINNED, {rule}),
        (RECENT, {rule, said}),
        (STALE, {rule, said}),
    ]
    made = widen(EMPTY, parts, max_tokens=1_000)
    assert [(section.title, len(section.lines)) for section in made.sections] == [(PINNED, 1), (RECENT, 1)]
    assert made.rids == (rule, said)


def test_what_was_told_twice_stands_there_once() -> None:
    home = Home()
    home.remember("Keep it short", pinned=True)
    home.remember("Olga keeps bees")
    home.remember("Olga keeps bees")
    home.remember("Keep it short")
    made = widen(EMPTY, parts_of(home), max_tokens=1_000)
    assert [(section.title, len(section.lines)) for section in made.sections] == [(PINNED, 1), (RECENT, 1)]
    every = [memory.rid for part in parts_of(home) for memory in part.memories]
    names = short_memory_ids(home.connection, every)
    named = widen(EMPTY, parts_of(home), max_tokens=1_000, names=names)
    assert [[*map(_without_name, section.lines)] for section in named.sections] == [
        [*section.lines] for section in made.sections
    ]


def test_what_a_clock_far_ahead_stamped_is_no_recent_memory_until_it_is_said_when_it_was_told() -> None:
    home = Home()
    home.now_ms = NOW_MS + 2 * STALE_MS
    ahead = home.remember("Told by a wrong clock")
    home.now_ms = NOW_MS
    first, last = home.remember("Told afterwards"), home.remember("Told last of all")

    def recent() -> list[bytes]:
        (rids,) = (
            [memory.rid for memory in part.memories] for part in parts_of(home) if part.title == RECENT
        )
        return rids

    assert recent() == [last, first, ahead]
    home.commit(Write(Set("told_at", NOW_MS + 1), ahead))
    assert recent() == [ahead, last, first]


def _without_name(line: str) -> str:
    said, _, name = line.removesuffix("]").rpartition(" [")
    assert len(name) >= 12
    return said


def test_an_overview_takes_what_fits_to_the_token() -> None:
    home = Home()
    for number in range(5):
        home.remember(f"Olga keeps bees behind mill {number}")
    parts = parts_of(home)
    whole = widen(EMPTY, parts, max_tokens=1_000)
    assert len(whole.rids) == 5
    assert tokens(whole.text) == whole.tokens
    assert widen(EMPTY, parts, max_tokens=whole.tokens) == whole
    assert len(widen(EMPTY, parts, max_tokens=whole.tokens - 1).rids) == 4
    assert widen(EMPTY, parts, max_tokens=0) == EMPTY
