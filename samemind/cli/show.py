"""Say in plain text what a verb's result says: lines for people, and one bare line for `--raw`."""

from collections.abc import Callable, Mapping
from typing import Final

from samemind.catalog import NAMES, verb_named
from samemind.cli import show_mailbox
from samemind.commands.contradictions._parts import nominated, raised
from samemind.printable import one_line, safe
from samemind.rendering import DEVICE_DIGITS, HELD_BACK, Document, clock, counted, pairs, plain, titled


def show(verb: str, document: Document, *, terminal: bool = False) -> list[str]:
    """Return a result as lines for people, on a terminal as rows that fit it."""
    if terminal and verb == "list":
        from samemind.cli.terminal import memory_rows  # for whoever sits there

        return memory_rows(document, titled)
    render = _SHOWN.get(verb) or (verb_named(verb).render if verb in NAMES else None) or pairs
    return render(document)


def show_said(verb: str, document: Document) -> list[str]:
    """Return what a verb says before its end as lines for people."""
    render = verb_named(verb).render_said or pairs
    return render(document)


def raw_line(verb: str, document: Document) -> str:
    """Return a result as one line without decoration."""
    if "text" in document and "rid" in document:
        return _bare(document)
    for name in ("results", "memories"):
        if isinstance(document.get(name), list):
            return " | ".join(map(_bare, document[name]))
    if verb == "remember":
        return one_line(document["rid"])
    return " ".join(
        f"{name}={plain(value)}" for name, value in document.items() if value not in (None, [], {}, "")
    )


def _bare(memory: Document) -> str:
    return one_line(f"{memory['rid']} {titled(memory)}")


def _remembered(document: Document) -> list[str]:
    if document.get("held"):
        return [f"{document['rid']} {HELD_BACK}"]
    same = len(document["says_same"])
    told = f" (says the same as {counted(same, 'telling', 'tellings')} before)" if same else ""
    return [
        f"{document['rid']}{told}",
        *_reminder(document.get("reminder")),
        *raised(document),
        *nominated(document["nominees"]),
    ]


def _reminder(reminder: Document | None) -> list[str]:
    if reminder is None:
        return []
    repeats = f", {reminder['repeats']}" if reminder["repeats"] else ""
    return [f"reminder: {clock(reminder['due'])}{repeats}"]


def _hits(document: Document) -> list[str]:
    lines: list[str] = []
    for hit in document["results"]:
        lines.append(f"{hit['score']:.4f}  {titled(hit)}")
        disputed = f"  in dispute: {hit['contradiction_id'][:12]}" if hit.get("contradiction_id") else ""
        lines.append(f"        {hit['rid']}  {_where(hit)}{disputed}")
        lines += [f"        {line}" for line in _claimed(hit.get("claim"))]
        lines += [
            f"        by {reason['channel']}: rank {reason['rank'] + 1}, {reason['score']:.3f}"
            for reason in (hit.get("why") or {}).get("found", [])
        ]
    return [*(lines or ["nothing found"]), *_unembedded(document)]


def _claimed(claim: Document | None) -> list[str]:
    """Return what a hit says of the thing that was asked for, and a line for each value beside it."""
    if claim is None:
        return []
    said = {"believed": "believed now", "disputed": "in dispute", "replaced": "no longer"}[claim["standing"]]
    beside = [
        f"{word}: {one_line(each['value'])}  {each['rid']}"
        for word, name in (("now", "now"), ("before", "earlier"), ("against it", "against"))
        for each in claim[name]
    ]
    return [f"{said}: {one_line(claim['relation'])} {one_line(claim['value'])}", *beside]


def _unembedded(document: Document) -> list[str]:
    count = document["unembedded"]
    return (
        [f"{count} memories could be found by their words alone: they wait to be embedded"] if count else []
    )


def _memories(document: Document) -> list[str]:
    lines = [f"{memory['rid']}  {titled(memory)}" for memory in document["memories"]]
    left = document["total"] - len(lines)
    return (
        [*lines, f"and {left} more: -n {document['total']} shows all"]
        if lines and left > 0
        else lines or ["no memories"]
    )


def _memory(document: Document) -> list[str]:
    hidden = {"text", "origin", "device", "held"}
    fields = {
        name: value
        for name, value in document.items()
        if name not in hidden and value not in (None, [], {}, False)
    }
    held = [] if document.get("held") is None else [f"{document['held']} {HELD_BACK}"]
    return [safe(document["text"]), "", *pairs(fields), *held]


def _where(memory: Document) -> str:
    parts = [memory.get("session"), memory.get("turn"), clock(memory.get("told_at") or memory["created_at"])]
    return " ".join(one_line(part) for part in parts if part)


def _forget(document: Document) -> list[str]:
    lines = [f"forgot {rid}" for rid in document["rids"]]
    if document["tellings"] > 1:
        lines.append(f"{document['tellings']} tellings in all: those named, and what said the same")
    confirmed, outstanding = document["confirmed_by"], document["outstanding"]
    if confirmed or outstanding:
        lines += [f"nothing of it is left on {device[:DEVICE_DIGITS]}" for device in confirmed]
        lines += [f"not confirmed yet by {device[:DEVICE_DIGITS]}" for device in outstanding]
    return lines


def _versions(document: Document) -> list[str]:
    lines = []
    for version in document["versions"]:
        who = version["device_name"] or version["device"][:DEVICE_DIGITS]
        change = " ".join(f"{name}={plain(value)}" for name, value in version["change"].items())
        text = "" if version["text"] is None else one_line(version["text"])
        lines.append(f"{clock(version['at'])}  {who:<12} {version['kind']:<9} {change or text}")
    return lines


_SHOWN: Final[Mapping[str, Callable[[Document], list[str]]]] = {
    "remember": _remembered,
    "remember-many": lambda document: [f"{document['count']} remembered"],
    "recall": _hits,
    "get": _memory,
    "list": _memories,
    **dict.fromkeys(("edit", "set", "tag", "pin", "unpin", "archive", "unarchive"), _memory),
    "forget": _forget,
    **show_mailbox.SHOWN,
    "history": _versions,
    "version": lambda document: [document["version"]],
    "completion": lambda document: [document["script"]],
}
