"""Answer what pages of memories ask: a page of a list, its facets, what fits a search, one memory with all there is.

These are no verbs: they are shaped by what a screen shows, and may change with it. Whatever is asked of now can be
asked of a moment of the past (`at`, `by`).
"""

import re
import sqlite3
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from cognition import Filters
from cognition.contradictions.finding import disputed_among, slots_about, slots_stated
from cognition.contradictions.slots import ClaimStatus, judge
from cognition.contradictions.tables import selves_of, told_of
from cognition.entities import entities, names_meant, triples_of, whole_graph
from cognition.words import OWNER
from replica import MemoryId, memories_of, parse_memory_id, show_memory_id
from replica.fields import MS_MAX
from replica.reads.devices import device_names
from replica.reads.facts import fact_numbers_of
from replica.reads.graph import edges_of
from replica.reads.ids import number_of, numbers_of
from samemind.commands.answers.why import ExplainWhy
from samemind.commands.answers.why import run as why
from samemind.commands.memories._standing import view_of
from samemind.commands.memories.history import ShowHistory
from samemind.commands.memories.history import run as history
from samemind.commands.memories.recall import count_held_for, show_claim
from samemind.errors import Usage
from samemind.formats.ids import find_memory
from samemind.formats.memory_view import MemoryView
from samemind.formats.plain import show_time, to_json
from samemind.formats.times import at_ms, read_end, read_time, read_until
from samemind.formats.views import text_variants, view_of_memory
from samemind.panel.catalogue import FACETS, FacetQuery
from samemind.panel.moments import Moments, Standpoint

if TYPE_CHECKING:
    from samemind.device import Device

Asked = Mapping[str, Any]
# A screen shows a dozen; a thumb that flings asks for a few pages.
PAGE_MAX: Final = 200
FOUND_MAX: Final = 60
# A card shows so much of a memory; its own page shows all.
CARD_CHARACTERS: Final = 600
VALUES_MAX: Final = 40
VALUE_CHARACTERS_MAX: Final = 400
# Below this, what was found is near, and says nothing about what was asked: `context` leaves out less (0.1), since a
# model reads on where a person would be misled.
CLOSE: Final = 0.2
# What is less than half as likely as the best is further off: of sixty memories fifty are a little alike.
BESIDE_THE_BEST: Final = 0.5
# A beginning of one letter fits half of all memories.
BEGINNING_MIN: Final = 2
LIKE_IT_MAX: Final = 6
NAMES_MAX: Final = 24
EDGES_MAX: Final = 100
# More than the page of a name lists.
WRITTEN_MAX: Final = 500
# More names than these cover each other on any screen, and their edges are a cloud.
NODES_MAX: Final = 150
GRAPH_EDGES_MAX: Final = 600
# The latest statements: a tenth of a second of the reading thread.
STATEMENTS_MAX: Final = 20_000
# This day in each of so many years before.
YEARS: Final = 40
_WORD: Final = re.compile(r"\w+")


async def browse(moments: Moments, asked: Asked) -> dict[str, Any]:
    """Return a page of memories, the latest told first; with `facets`, what there is to choose by."""
    offset, limit = _count(asked, "offset", 0, 1 << 31), _count(asked, "limit", 60, PAGE_MAX)
    async with _standing(moments, asked) as (now, wanted):
        ids, total = now.catalogue.page(wanted, offset=offset, limit=limit)
        found: dict[str, Any] = {
            "total": total,
            "of": len(now.catalogue),
            "stale": now.stale,
            "memories": await now.read(partial(_cards, ids)),
        }
        if asked.get("facets"):
            found["facets"] = await _facets(now, wanted)
            moments.read_names()
        return found


async def search(moments: Moments, asked: Asked) -> dict[str, Any]:
    """Return what fits a few words, the likeliest first: by meaning, and by words of which the last may be unfinished.

    `close` says how many of the first answer what was asked; what follows is only the nearest there is. `held` counts
    the texts that may answer better and are held back, since they look secret.
    """
    query, k = _text(asked, "query"), _count(asked, "k", 20, FOUND_MAX)
    began = time.perf_counter()
    async with _standing(moments, asked) as (now, wanted):
        hits = await now.mind.recall(
            query, k=k, filters=Filters(since_ms=wanted.since_ms, until_ms=wanted.until_ms)
        )
        by_rid = {bytes(hit.rid): hit for hit in hits}

        def read(connection: sqlite3.Connection) -> tuple[list[int], set[int], dict[int, bytes]]:
            rids = dict(_numbers(connection, by_rid))
            literal = _begin_so(connection, query, k)
            chosen = bool(any(wanted.values.values()))
            kept = now.catalogue.among(wanted, [*rids, *literal])
            # A fact, or an older telling, may be what fits; the list leaves them out, a search must not.
            found = [number for number in rids if not chosen or number in kept]
            return found, {number for number in literal if number in kept}, rids

        found, literal, rids = await now.read(read)
        sureness = {number: by_rid[rids[number]].confidence for number in found}
        # The first is what is thought to answer; of the others the likelier comes first, as each says how likely it is.
        least = max(CLOSE, BESIDE_THE_BEST * max(sureness.values(), default=0.0))
        close = [number for number in found if sureness[number] >= least]
        close[1:] = sorted(close[1:], key=lambda number: -sureness[number])
        spelled = [
            number
            for number in sorted(literal, reverse=True)
            if number not in sureness or number not in close
        ]
        rest = [number for number in found if number not in close and number not in literal]
        order = [*close, *spelled, *rest][:k]
        cards = await now.read(partial(_cards, order))
        held = await count_held_for(
            now.read,
            query,
            sureness=max(sureness.values(), default=0.0),
            narrowed=any(asked.get(name) for name in ("at", "by", "since", "until", *FACETS)),
        )
    for card in cards:
        hit = by_rid.get(bytes(parse_memory_id(card["rid"])))
        card["confidence"] = None if hit is None else round(hit.confidence, 3)
        card["why"] = [] if hit is None else [one.channel for one in hit.found]
        card["claim"] = None if hit is None or hit.claim is None else to_json(show_claim(hit.claim))
        card["contradiction_id"] = (
            None if hit is None or hit.contradiction is None else hit.contradiction.hex()
        )
    return {
        "query": query,
        "memories": cards,
        "close": min(len(close) + len(spelled), len(cards)),
        "held": held,
        "took_ms": round((time.perf_counter() - began) * 1e3, 1),
    }


async def cards(moments: Moments, asked: Asked) -> dict[str, Any]:
    """Return memories by their ids, as a list shows them; those that are gone are left out."""
    rids = asked.get("rids")
    if not isinstance(rids, list) or len(rids) > PAGE_MAX:
        raise Usage(f"rids: expected a list of at most {PAGE_MAX} ids", code="invalid")
    try:
        wanted = [parse_memory_id(str(rid)) for rid in rids]
    except ValueError as error:
        raise Usage(f"rids: {error}", code="invalid") from None
    async with moments.at(*_moment(asked)) as now:
        return {
            "memories": await now.read(lambda connection: _cards([*_numbers(connection, wanted)], connection))
        }


async def names(moments: Moments, asked: Asked) -> dict[str, Any]:
    """Return whom and what memories name and edges join, as far as texts were read: nobody waits until all are."""
    await moments.names_read()
    async with moments.at(*_moment(asked)) as now:
        limit = _count(asked, "limit", 40, PAGE_MAX)
        found = await now.read(lambda connection: entities(connection, limit=limit))
        return {"names": [{"name": name, "memories": count} for name, count in found]}


async def graph(moments: Moments, asked: Asked) -> dict[str, Any]:
    """Return how names are related, as much of the whole as a screen holds, and how much that leaves out."""
    await moments.names_read()
    limit = _count(asked, "limit", NODES_MAX, NODES_MAX)
    async with moments.at(*_moment(asked)) as now:
        whole = await now.read(
            partial(whole_graph, nodes_max=limit, edges_max=GRAPH_EDGES_MAX, read_max=STATEMENTS_MAX)
        )
    return {
        "nodes": [{"name": name, "related": related} for name, related in whole.nodes],
        "edges": [
            {"source": source, "relation": relation, "target": target}
            for source, relation, target in whole.edges
        ],
        "names": whole.names,
        "statements": whole.statements,
        "complete": whole.complete,
    }


async def about(moments: Moments, asked: Asked) -> dict[str, Any]:
    """Return what is believed of somebody or something, and was, and the relations that were written by hand."""
    name = asked.get("name")
    if not isinstance(name, str) or not name.strip():
        raise Usage(f"name: expected a name, got {name!r:.60}", code="invalid")
    async with moments.at(*_moment(asked)) as now:
        return await now.read(partial(_known_of, name=name.strip()))


def _known_of(connection: sqlite3.Connection, *, name: str) -> dict[str, Any]:
    return {"beliefs": _beliefs(connection, name=name), "relations": _written(connection, name=name)}


def _written(connection: sqlite3.Connection, *, name: str) -> list[list[str]]:
    """Return the edges that were written from or to a name in any case: what texts state is none of them."""
    edges = {
        edge[:3]: None
        for each in sorted(names_meant(connection, name, None))
        for edge in edges_of(connection, each, limit=WRITTEN_MAX)
    }
    return [list(edge) for edge in [*edges][:WRITTEN_MAX]]


def _beliefs(connection: sqlite3.Connection, *, name: str) -> list[dict[str, Any]]:
    """Return the claims on an entity slot by slot, the latest of each first, with the time and who told it."""
    found: list[dict[str, Any]] = []
    for slot, relation in slots_about(connection, name, limit=EDGES_MAX):
        judged = judge(relation, told_of(connection, slot))
        is_open = judged.status is not None and judged.status.value == "open"
        ids = [belief.told.id for belief in judged.beliefs]
        speakers = {each.id: each.memory.fields.get("speaker") for each in memories_of(connection, ids)}
        found += [
            {
                "relation": relation,
                "value": belief.told.value,
                "standing": belief.standing.value,
                "from": _shown(belief.told.from_ms),
                "until": None if belief.until_ms is None else _shown(belief.until_ms),
                "speaker": speakers.get(belief.told.id),
                "rid": show_memory_id(MemoryId(belief.told.rid)),
                "open": is_open,
            }
            for belief in sorted(judged.beliefs, key=lambda each: each.told.from_ms, reverse=True)
        ]
    return found[:EDGES_MAX]


async def timeline(moments: Moments, asked: Asked, now_ms: int) -> dict[str, Any]:
    """Return when memories were told, and since when this store can be asked of its past."""
    wanted = _wanted(asked)
    async with moments.at(None, None) as now:
        told = now.catalogue.bars(wanted, now_ms)
        first = now.catalogue.first_written_ms()
    return {
        "first_written": None if first is None else _shown(first),
        "bars": None
        if told is None
        else {"first": _shown(told.first_ms), "last": _shown(told.last_ms), "counts": told.counts},
    }


async def on_this_day(moments: Moments, asked: Asked, now_ms: int) -> dict[str, Any]:
    """Return what was told on this day of the years before, the latest year first."""
    today = (
        datetime.fromtimestamp(now_ms / 1_000).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    )
    days = []
    for back in range(1, YEARS + 1):
        try:
            first = today.replace(year=today.year - back)
        except ValueError:
            continue  # the 29th of February
        days.append((int(first.timestamp() * 1e3), int((first + timedelta(days=1)).timestamp() * 1e3)))
    async with moments.at(None, None) as now:
        ids = now.catalogue.on_days(days)
        shown = ids[: _count(asked, "limit", 3, PAGE_MAX)]
        return {"total": len(ids), "memories": await now.read(partial(_cards, shown))}


async def memory(device: "Device", moments: Moments, asked: Asked) -> dict[str, Any]:
    """Return one memory with everything that there is about it."""
    _, seen_by = _moment(asked)
    async with _standing(moments, asked) as (now, _):
        moment_ms = now.moment_ms
        rid = await now.read(lambda connection: find_memory(connection, _text(asked, "rid"), summary=True))
        now_ms = device.now_ms() if moment_ms is None else moment_ms

        def read(connection: sqlite3.Connection) -> dict[str, Any]:
            view = view_of(connection, rid, now_ms=now_ms, profile=device.mind.profile)
            return {"memory": to_json(view), **_about(connection, rid, view)}

        found = await now.read(read)
        alike = [other for other, _ in await now.mind.related(rid)][:LIKE_IT_MAX]
        found["alike"] = await now.read(lambda connection: _cards([*_numbers(connection, alike)], connection))
    named = show_memory_id(rid)
    past = {} if moment_ms is None else {"as_of": asked.get("at"), "seen_by": seen_by}
    found["chain"] = to_json((await why(device, ExplainWhy(rid=named, **past))).chain)
    story = to_json(await history(device, ShowHistory(rid=named)))
    found["horizon"] = story["horizon"]
    found["versions"] = [
        each
        for each in story["versions"]
        if moment_ms is None or read_time(each["at"], name="at") <= moment_ms
    ]
    return found


def _about(connection: sqlite3.Connection, rid: MemoryId, view: MemoryView) -> dict[str, Any]:
    """Return what stands around a memory: what it was read from, its facts and claims, names and relations."""
    number = number_of(connection, rid)
    facts = fact_numbers_of(connection, rid)
    names = [
        name
        for (name,) in connection.execute(
            "SELECT name FROM entity_mention WHERE id = ? ORDER BY name LIMIT ?", (number, NAMES_MAX)
        )
    ]
    shown = show_memory_id(rid)
    edges = [edge[:3] for edge in edges_of(connection, shown, limit=EDGES_MAX)]
    told = _told_of(connection, names, view.speaker)
    parent = () if view.parent is None else (parse_memory_id(view.parent),)
    return {
        "parent": next(iter(_cards([*_numbers(connection, parent)], connection)), None),
        "facts": _cards(facts, connection),
        "tellings": _cards(
            [*_numbers(connection, [parse_memory_id(each) for each in view.same])], connection
        ),
        "members": _cards(
            [*_numbers(connection, [parse_memory_id(each) for each in view.summary_of])], connection
        ),
        "claims": _claims(connection, [each for each in (number, *facts) if each is not None]),
        "names": names,
        "relations": [list(edge) for edge in edges]
        + [list(edge) for edge in told if edge not in edges][:EDGES_MAX],
    }


def _told_of(
    connection: sqlite3.Connection, names: Sequence[str], speaker: str | None
) -> dict[tuple[str, str, str], None]:
    """Return how what a memory names is related; two names that stand in one relation bring it once.

    Who owns all this, and whoever said it, is named in half of what there is: what they are related to belongs to a
    memory only where it names the other end too.
    """
    selves = selves_of(connection)
    here = {name.casefold() for name in names}

    def tells(name: str) -> bool:
        return selves.named(name) != OWNER and name.casefold() != (speaker or "").casefold()

    return dict.fromkeys(
        edge[:3]
        for name in names
        for edge in triples_of(connection, name, limit=EDGES_MAX)
        if tells(name) or {edge[0].casefold(), edge[2].casefold()} <= here
    )


def _claims(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[dict[str, Any]]:
    """Return what memories claim, what became of it, and what stands against it or came in its place."""
    found = []
    for slot, entity, relation in slots_stated(connection, numbers):
        judged = judge(relation, told_of(connection, slot))
        own = [belief for belief in judged.beliefs if belief.told.id in set(numbers)]
        if not own:
            continue  # so much was claimed there that this does not count any more
        others = [
            belief
            for belief in judged.beliefs
            if belief.told.id not in set(numbers) and belief.told.value != own[-1].told.value
        ]
        holding = [belief for belief in others if belief.standing is ClaimStatus.HELD]
        last = own[-1]
        found.append(
            {
                "entity": entity,
                "relation": relation,
                "value": last.told.value,
                "standing": last.standing.value,
                "from": _shown(last.told.from_ms),
                "until": None if last.until_ms is None else _shown(last.until_ms),
                "contradiction": slot.hex() if judged.status is not None else None,
                "open": judged.status is not None and judged.status.value == "open",
                "instead": [_instead(belief.told.rid, belief.told.value) for belief in holding],
                "replaced": [
                    _instead(belief.told.rid, belief.told.value)
                    for belief in others
                    if belief.standing is not ClaimStatus.HELD and last.standing is ClaimStatus.HELD
                ],
            }
        )
    return found


def _instead(rid: bytes, value: str) -> dict[str, str]:
    return {"rid": show_memory_id(MemoryId(rid)), "value": value}


def cards_of(ids: Sequence[int], connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Return memories as a list shows them, in the order of these row numbers."""
    return _cards(ids, connection)


def _cards(ids: Sequence[int], connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Return memories as a list shows them, in the order of these row numbers."""
    if not ids:
        return []
    marks = ",".join("?" * len(ids))
    page = [*memories_of(connection, ids)]
    variants = text_variants(connection, (shown.memory for shown in page))
    views = {shown.id: view_of_memory(shown, variants=variants.get(shown.rid, [])) for shown in page}
    disputed = disputed_among(connection, ids)
    retired = {
        number for (number,) in connection.execute(f"SELECT id FROM claim_retired WHERE id IN ({marks})", ids)
    }
    return [
        _card(views[number], disputed=number in disputed, holds=number not in retired)
        for number in ids
        if number in views
    ]


def _card(view: MemoryView, *, disputed: bool, holds: bool) -> dict[str, Any]:
    text = view.text
    return {
        "rid": view.rid,
        "text": text if len(text) <= CARD_CHARACTERS else f"{text[:CARD_CHARACTERS]}…",
        "told_at": show_time(view.told_at or view.created_at),
        "speaker": view.speaker,
        "device": view.device,
        "device_name": view.device_name,
        "type": view.type,
        "tags": view.tags,
        "source": view.source,
        "workspace": view.workspace,
        "pinned": view.pinned,
        "parent": view.parent,
        "at_once": bool(view.variants),
        "disputed": disputed,
        "holds": holds,
    }


async def _facets(now: Standpoint, wanted: FacetQuery) -> dict[str, list[dict[str, Any]]]:
    names = {device.hex(): name for device, name in (await now.read(device_names)).items()}
    return {
        facet: [
            {"value": value, "count": count} | ({"name": names.get(value)} if facet == "device" else {})
            for value, count in values
        ]
        for facet, values in now.catalogue.counted(wanted).items()
    }


def _numbers(connection: sqlite3.Connection, rids: Iterable[bytes]) -> dict[int, bytes]:
    """Return the row numbers of memories with their ids, in the order of these."""
    wanted = [MemoryId(bytes(rid)) for rid in rids]
    known = numbers_of(connection, wanted)
    return {known[rid]: rid for rid in wanted if rid in known}


def _begin_so(connection: sqlite3.Connection, query: str, limit: int) -> list[int]:
    """Return the newest memories that hold all words of a search, the last of which may be unfinished."""
    *words, last = _WORD.findall(query) or [""]
    if len(last) < BEGINNING_MIN:
        return []
    match = " ".join([*(f'"{word}"' for word in words), f'"{last}"*'])
    rows = connection.execute(
        "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?", (match, limit)
    )
    return [number for (number,) in rows]


def _wanted(asked: Asked) -> FacetQuery:
    """Read which memories are meant; everything in it comes from a page and is bounded first."""
    values: dict[str, tuple[str, ...]] = {}
    for facet in FACETS:
        given = asked.get(facet) or []
        if (
            not isinstance(given, list)
            or len(given) > VALUES_MAX
            or not all(isinstance(each, str) and len(each) <= VALUE_CHARACTERS_MAX for each in given)
        ):
            raise Usage(f"{facet}: expected a list of at most {VALUES_MAX} short texts", code="invalid")
        values[facet] = tuple(given)
    since, until = asked.get("since"), asked.get("until")
    return FacetQuery(
        values,
        None if not since else read_time(_text(asked, "since"), name="since"),
        None if not until else read_until(_text(asked, "until"), name="until"),
    )


@asynccontextmanager
async def _standing(moments: Moments, asked: Asked) -> AsyncIterator[tuple[Standpoint, FacetQuery]]:
    """Hold the store of the moment that is asked for, and say which memories are meant.

    Before this store began, what it holds now stands for what had been said by then: a chat of years ago that was
    brought in yesterday.
    """
    wanted = _wanted(asked)
    moment_ms, seen_by = _moment(asked)
    if moment_ms is not None and seen_by is None:
        async with moments.at(None, None) as now:
            first_ms = now.catalogue.first_written_ms()
            if first_ms is None or moment_ms < first_ms:
                until_ms = moment_ms + 1 if wanted.until_ms is None else min(moment_ms + 1, wanted.until_ms)
                yield now, replace(wanted, until_ms=until_ms)
                return
    async with moments.at(moment_ms, seen_by) as then:
        yield then, wanted


def _moment(asked: Asked) -> tuple[int | None, str | None]:
    """Read which moment is meant, and as which device knew it; nothing is now."""
    at, by = asked.get("at"), asked.get("by")
    moment_ms = None if not at else min(MS_MAX, max(0, read_end(_text(asked, "at"), name="at") - 1))
    return moment_ms, None if not by else _text(asked, "by")


def _text(asked: Asked, name: str) -> str:
    value = asked.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Usage(f"{name}: expected a text", code="invalid")
    return value


def _count(asked: Asked, name: str, default: int, most: int) -> int:
    value = asked.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise Usage(f"{name}: expected a whole number from 0 to {most}", code="invalid")
    return value


def _shown(milliseconds: int) -> str | None:
    moment = at_ms(milliseconds)
    return None if moment is None else show_time(moment)


__all__ = ["browse", "cards", "graph", "memory", "names", "on_this_day", "search", "timeline"]
