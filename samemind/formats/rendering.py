"""What renderings of several commands say alike: counts, times, memories, and keys with their values."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import Any, Final

from samemind.formats.printable import one_line

Document = Mapping[str, Any]
# Enough to tell devices of one household apart at a glance; the whole id is in --json.
DEVICE_DIGITS: Final = 12
# Behind an id under which something waits for its owner.
HELD_BACK: Final = "(looks secret, so it is held here: samemind held)"


def counted(count: int, one: str, many: str = "") -> str:
    """Return so many of something; `many` where it takes more than an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def clock(moment: str) -> str:
    """Return a time in this machine's zone, to the minute."""
    return minute(datetime.fromisoformat(moment))


def day_or_clock(moment: str) -> str:
    """Return since or until when something holds: a day where it is the first moment of one, else to the minute."""
    from cognition.days import day_of  # here, as below: most of what is shown names no such time

    return day_of(round(datetime.fromisoformat(moment).timestamp() * 1_000)) or clock(moment)


def minute(moment: datetime) -> str:
    """Return a time in this machine's zone, to the minute; as it is where it lies beyond the years there."""
    with suppress(OverflowError):
        moment = moment.astimezone()
    return f"{moment:%Y-%m-%d %H:%M}"


def happens(memory: Document, zone: tzinfo | None = None) -> str:
    """Return when a memory says that something happens, and how it repeats; in this machine's zone where none is given.

    Empty where it says no such time.
    """
    if memory.get("event_start") is None:
        return ""  # as of most memories: they need not load what follows
    from cognition.days import happening

    def ms(moment: str) -> int:
        return round(datetime.fromisoformat(moment).timestamp() * 1_000)

    end = memory.get("event_end")
    when = happening(ms(memory["event_start"]), None if end is None else ms(end), zone)
    if not when:
        return ""
    rule = memory.get("repeats")
    return f"{when}{repeated_here(rule) if zone is None else repeated(rule)}"


def begun(document: Document) -> str:
    """Return, behind "nothing", when the memory begins, where what was asked about lies before that."""
    return f": this memory begins at {clock(document['begins'])}" if document.get("begins") else ""


def none_listed(document: Document) -> list[str]:
    """Say of a list without rows that there is nothing, or how many there are that were not asked for."""
    if not document["total"]:
        return empty(document, "no memories")
    return [
        f"none of {counted(document['total'], 'memory', 'memories')}: -n and --offset choose which are listed"
    ]


def empty(document: Document, nothing: str) -> list[str]:
    """Return that nothing was found, and what to do, or to ask instead, where something would be found by that."""
    away = document.get("put_away") or 0
    lines = [f"{nothing}{begun(document)}"]
    if document.get("empty"):
        lines.append('  nothing is remembered here yet: samemind remember "…", or samemind import FILE')
    if document.get("begins"):
        lines.append("  what had been said by then, though it came in later: --until instead of --as-of")
    if away:
        are, them = ("is", "it") if away == 1 else ("are", "them")
        lines.append(
            f"  {counted(away, 'memory', 'memories')} of that time {are} out of sight, replaced since or put away: "
            f"--include-cold shows {them}"
        )
    return lines


def repeated_here(rule: str | None) -> str:
    """Return how something repeats, behind a time in this machine's zone: see `repeated`."""
    if not rule:
        return ""
    from samemind.formats.own_zone import own_zone_name

    return repeated(rule, own_zone_name())


def repeated(rule: str | None, own_zone: str | None = None) -> str:
    """Return a rule of RFC 5545 in words, behind a comma: as far as these say all of it, and else as it is.

    With its zone, unless that is `own_zone`: whoever reads a time by UTC has to be told by which clock it repeats.
    """
    if not rule:
        return ""
    from cognition.reminding.rule_words import rule_in_words  # here: most of what is shown does not repeat

    return f", {one_line(rule_in_words(rule, own_zone))}"


def plain(value: Any) -> str:
    """Return a value on one line: text as it is, all else as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return one_line(text)


def titled(memory: Document) -> str:
    """Return who said a memory, its words on one line, and how often it was told."""
    who = f"{one_line(memory['speaker'])}: " if memory.get("speaker") else ""
    times = memory.get("tellings")
    often = f" (told {times} times)" if isinstance(times, int) and times > 1 else ""
    return f"{who}{one_line(memory['text'])}{often}"


def variant_lines(memory: Document) -> list[str]:
    """Return what each device wrote, where they edited one place of a memory at once, and how to settle it."""
    variants = memory.get("variants")
    if not variants:
        return []
    return [
        f"edited on several devices at once, and merged; `samemind edit {memory['rid']} TEXT` settles it:",
        *(
            f"  {one_line(each['device_name'] or '') or each['device'][:DEVICE_DIGITS]}: {one_line(each['text'])}"
            for each in variants
        ),
    ]


def pairs(document: Document) -> list[str]:
    """Return keys and their values, in two columns, without those that are null."""
    width = max((len(name) for name in document), default=0)
    return [f"{name:<{width}}  {plain(value)}" for name, value in document.items() if value is not None]
