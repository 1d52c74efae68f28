"""Say what came of a tool in a few words, beside the structured result.

What memory holds is quoted between fences that mark it as data, and nothing inside can close them: a memory may say
"ignore your instructions", and it stays something that somebody once said.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC
from types import MappingProxyType
from typing import Any, Final

from cognition.context.fences import FENCE_CLOSES, FENCE_OPENS, harmless, quoted
from cognition.contradictions.relations import subject_of
from samemind.formats.rendering import DEVICE_DIGITS, counted, happens, repeated
from samemind.mcp.structured import (
    EDGES_MAX,
    TEXT_CHARACTERS_MAX,
    Document,
    beside_text,
    cut_off,
    elsewhere,
    next_offset,
    short_id,
    short_value,
    some,
    within_bounds,
)

# The kind of trigger that brings up a contradiction.
_ESCALATION: Final = "conflict_escalation"
# Those that know of no `offset`: a larger `limit` tells more.
_BEGINNINGS: Final[Mapping[str, str]] = {
    "contradictions list": "contradictions",
    "entities": "entities",
    "queue list": "entries",
}
# What `context` leaves out: a model can make nothing of the figure itself.
WEAK_BELOW: Final = 0.1


def tell(verb: str, document: Document, asked: Document = MappingProxyType({})) -> str:
    """Return a result in a few words, and how what was `asked` goes on."""
    told = _TOLD[verb](document) if verb in _TOLD else _quoted(within_bounds(verb, document))
    following = next_offset(verb, document, asked)
    if following is not None:
        return f"{told}\nthere is more: `offset` {following} goes on"
    listed = document[_BEGINNINGS[verb]] if verb in _BEGINNINGS else ()
    if listed and len(listed) == asked.get("limit"):
        return f"{told}\nthere may be more: a larger `limit` tells"
    return told


def fenced(text: str) -> str:
    """Return a text as data; nothing in it can end the fence, or steer a terminal."""
    return f"{FENCE_OPENS}\n{harmless(text)}\n{FENCE_CLOSES}" if text else "nothing found"


def line(memory: Document, among: Collection[str] = (), *, whole: bool = False) -> str:
    """Return a memory as one line: who told it, what, when, whether it is a weak match, and how to name it.

    `among` are those that are told along with it. `whole`: however long it is.
    """
    when = (memory.get("told_at") or memory.get("created_at") or "")[:10]
    when += f", when: {event}" if (event := happens(memory, UTC)) not in ("", when) else ""
    often = f", told {memory['tellings']} times" if memory.get("tellings", 1) > 1 else ""
    weak = ", weak" if memory.get("confidence", 1) < WEAK_BELOW else ""
    mark = f" CONTRADICTED [{short_id(memory['contradiction_id'])}]" if memory.get("contradiction_id") else ""
    written = _written_line(memory) if memory.get("variants") else ""
    mark += f" EDITED ON SEVERAL DEVICES AT ONCE, and merged; they wrote: {written}" if written else ""
    said = memory.get("text") or ""
    text = _said(said, memory.get("speaker"), whole=whole) if said else "(forgotten)"
    about = f"{when}{often}{weak}"
    return f"- {text}{f' ({about})' if about else ''} [{memory['rid']}]{mark}{claim_words(memory.get('claim'), among)}"


def _said(text: str | None, speaker: str | None = None, *, whole: bool = False) -> str:
    """Return a text as it stands on a line, without a mark of ours in it but that it was cut."""
    if not text:
        return ""
    if whole:
        return quoted(text, speaker=speaker)
    return f"{quoted(text[:TEXT_CHARACTERS_MAX], speaker=speaker)}{cut_off(text)}"


def merged_words(document: Document) -> str:
    """Return which memories of a block devices edited at once, and what each of them wrote; empty without any."""
    lines = "\n".join(f"- {_written_line(each)} [{each['rid']}]" for each in document["merged"])
    return lines and (
        "Edited on several devices at once, and merged to what perhaps nobody wrote; ask the user which is right, "
        f"then `correct`. They wrote:\n{fenced(lines)}"
    )


def _written_line(memory: Document) -> str:
    return " | ".join(_said(each["text"]) for each in memory["variants"])


def claim_words(claim: Document | None, among: Collection[str] = ()) -> str:
    """Return what a hit says of the thing that was asked for: that it holds, what does, or what is against it."""
    if claim is None:
        return ""
    if claim["standing"] == "disputed":
        against = ", ".join(f"{quoted(each['value'])} [{each['rid']}]" for each in elsewhere(claim, among))
        return f" (against it: {against})" if against else ""
    told, when, others = (
        (" NO LONGER", "now", claim["now"])
        if claim["standing"] == "replaced"
        else (" BELIEVED NOW", "before", claim["earlier"])
    )
    beside = ", ".join(f"{quoted(each['value'])} [{each['rid']}]" for each in others)
    return f"{told} ({when}: {beside})" if beside else told


def _remembered(document: Document) -> str:
    if document.get("held"):
        return (
            f"NOT remembered: it looks secret, so it waits on this device as {document['rid']} until its owner "
            "releases it (samemind held). Tell the user so."
        )
    facts = f", with {counted(len(document['facts']), 'fact')} beside it" if document["facts"] else ""
    against = "; it contradicts what is known: see `contradictions`" if document["contradictions"] else ""
    same = f"; it says the same as {len(document['says_same'])} told before" if document["says_same"] else ""
    reminder = document.get("reminder")
    due = (
        f"; due {reminder['due']}{repeated(reminder['repeats']) or ', once'}: tell the user so"
        if reminder
        else ""
    )
    if document.get("reminder_missing"):
        due = "; NO reminder, since it names no certain time to come: ask the user for one"
    lines = [f"remembered {document['rid']}{facts}{same}{due}{against}"]
    if document["nominees"]:
        told = "\n".join(map(nominee_line, document["nominees"]))
        lines.append(
            "It may repeat or contradict what was told before. Where you can tell, `settle` the two ids as repeats, "
            f"changed, disagree, two_things or same:\n{fenced(told)}"
        )
    return "\n".join(lines)


def _remembered_many(document: Document) -> str:
    held = len(document["held"])
    waiting = f"; {held} look secret and wait until their owner releases them (samemind held)" if held else ""
    return f"{document['count']} remembered{waiting}"


def _changed(document: Document) -> str:
    """Return a memory as it stands after a change: its fields are beside that."""
    if document["held"]:
        return _kept_back(document["held"])
    return fenced(line(document))


def nominee_line(each: Document) -> str:
    """Return an older memory that a new one may repeat or contradict, as one line: its values against the new ones."""
    values = "; ".join(
        f"{quoted(value['before'])} then, {quoted(value['now'])} now" for value in each["values"]
    )
    return f"{line(each)}{f' {values}' if values else ''}"


def _recalled(document: Document) -> str:
    if not document["results"] and not document["query"].strip():
        return "the question is empty: say in `query` what to look for"
    among = {hit["rid"] for hit in document["results"]}
    found = fenced("\n".join(line(hit, among) for hit in document["results"]))
    lines = [found]
    for event in document.get("events") or ():
        when = happens({"event_start": event["begins"], "event_end": event["ends"]}, UTC)
        lines.append(f"{event['side']} the event that {event['rid']} tells of: {when}")
    if document.get("held"):
        lines.append(
            "something about this was told and is kept back, since it looks secret: "
            "the user can see and release it by `samemind held`"
        )
    if document.get("unembedded"):
        lines.append(f"{document['unembedded']} more can be found by their words only, so far")
    return "\n".join(lines)


def _listed(document: Document) -> str:
    shown = "\n".join(map(line, document["memories"]))
    return f"{len(document['memories'])} of {document['total']}\n{fenced(shown)}"


def change_lines(difference: Document) -> tuple[list[str], list[str], list[str]]:
    """Return what was changed, forgotten and told, a line each; what was told in the same words by one, as one."""
    told: dict[tuple[str | None, ...], list[Document]] = {}
    for memory in difference["added"]:
        words = " ".join((memory["text"] or "").split()).casefold()
        told.setdefault((memory["speaker"], memory["workspace"], words), []).append(memory)
    return (
        [_change_line(each) for each in difference["changed"]],
        [f"forgotten: {line(each)[2:]}" for each in difference["forgotten"]],
        [f"told: {line({**some[-1], 'tellings': len(some)})[2:]}" for some in told.values()],
    )


def _change_line(each: Document) -> str:
    before, after = (_said(each[name]) for name in ("before", "after"))
    if before == after:
        return f"changed: {after} ({', '.join(each['fields'])}) [{each['rid']}]"
    return f"changed: {before} → {after} [{each['rid']}]"


def _differing(document: Document) -> str:
    changed, forgotten, told = change_lines(document)
    return fenced("\n".join([*changed, *forgotten, *told]))


def _logged(document: Document) -> str:
    lines = "\n".join(map(_op_line, document["ops"]))
    return f"{fenced(lines)}\n`after` {document['position']} tells what comes later"


def _op_line(op: Document) -> str:
    about = ", ".join([op["rid"]] if op["rid"] else some(op["rids"]))
    status = "" if op["status"] == "folded" else f" ({op['status']})"
    return " ".join(
        f"- {_when(op['at'])} {_device(op)} {op['kind']} {about and f'[{about}]'}{status}".split()
    )


def _when(moment: str) -> str:
    """Return a time of a result to the minute, in UTC as it stands there."""
    return moment[:16].replace("T", " ")


def _device(record: Document) -> str:
    return str(record["device_name"] or record["device"][:DEVICE_DIGITS])


def _history(document: Document) -> str:
    lines = [_version_line(each) for each in document["versions"]]
    if document["variants"]:
        lines.append(
            f"- edited on several devices at once, and merged; they wrote: {_written_line(document)}"
        )
    since = f"; nothing is kept of before {_when(document['horizon'])}" if document["horizon"] else ""
    head = (
        f"{len(document['versions'])} of {document['total']} versions of {document['rid']}, the latest{since}"
    )
    return f"{head}\n{fenced(chr(10).join(lines))}"


def _version_line(each: Document) -> str:
    beside = " ".join(f"{name}={_plain(short_value(value))}" for name, value in beside_text(each).items())
    text = _said(each["text"]) if "text" in each["change"] or not beside else ""
    about = " ".join(filter(None, (text, beside and f"({beside})")))
    return " ".join(f"- {_when(each['at'])} {_device(each)} {each['kind']}: {about}".split())


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _sessions(document: Document) -> str:
    lines = [" ".join(_session_line(each).split()) for each in document["sessions"]]
    return f"{len(lines)} of {document['total']}\n{fenced(chr(10).join(lines))}"


def _session_line(each: Document) -> str:
    title = f"{each['topic']}, " if each["topic"] else ""
    who = f" by {', '.join(some(each['speakers']))}" if each["speakers"] else ""
    return (
        f"- {title}{each['memories']} told {_when(each['started_at'])} to {_when(each['ended_at'])}{who}: "
        f"{quoted(each['summary'])} [{each['session']}]"
    )


def _graph(document: Document) -> str:
    edges = document["edges"]
    lines = "\n".join(map(edge_words, edges[:EDGES_MAX]))
    more = f"\n{EDGES_MAX} of {len(edges)}: ask for one of these names" if len(edges) > EDGES_MAX else ""
    left = f"\n{counted(document['left'], 'text')} not read for names yet" if document["left"] else ""
    return f"{fenced(lines)}{more}{left}"


def edge_words(edge: Document) -> str:
    """Return an edge as one line."""
    gone = " (no longer)" if edge.get("replaced") else ""
    return " ".join(f"- {edge['source']} {edge['relation'].replace('_', ' ')} {edge['target']}{gone}".split())


def _goals(document: Document) -> str:
    return fenced("\n".join(" ".join(_goal_line(each).split()) for each in document["goals"]))


def _goal_line(each: Document) -> str:
    last = f", the last {_when(each['last_progress_at'])}" if each["last_progress_at"] else ""
    told = f"{len(each['progress'])} told of it{last}" if each["progress"] else "nothing told of it"
    stagnant = ", stagnant" if each["stagnant"] else ""
    return f"- {quoted(each['text'])} ({each['status']}, {told}{stagnant}) [{each['rid']}]"


def _queue(document: Document) -> str:
    lines = [" ".join(_entry_line(each).split()) for each in document["entries"]]
    return f"{document['pending']} waiting, {document['failed']} failed\n{fenced(chr(10).join(lines))}"


def _entry_line(each: Document) -> str:
    trouble = f": {each['last_error']}" if each["last_error"] else ""
    tried = counted(each["attempts"], "time")
    return (
        f"- {each['work']}, {each['status']}, tried {tried}: {quoted(each['what'])}{trouble} [{each['id']}]"
    )


def _retracted(document: Document) -> str:
    done = "would be" if document["dry_run"] else "are"
    counts = "; ".join(
        f"{len(document[name])} {name}: {', '.join(some(document[name]))}"
        for name in ("rids", "facts", "edges", "settings", "judgments")
        if document[name]
    )
    looked = (
        f"\nThese of others it wrote to, and they stay as it left them: {', '.join(some(document['changed']))}"
        if document["changed"]
        else ""
    )
    told = counts.replace("rids:", "memories:", 1) or "nothing"
    return fenced(f"{done} taken back: {told}{looked}")


def told_why(document: Document) -> str:
    """Return where a memory comes from, link by link, and the whole of what it says itself."""
    lines = []
    for nth, link in enumerate(document["chain"]):
        signed = {True: "signature holds", False: "signature does NOT hold", None: "vouched for by the group"}
        where = link["device_name"] or (link["device"] or "an unknown device")[:12]
        told = line({**link, "told_at": link["told_at"] or link["written_at"]}, whole=not nth)
        source = f", from {quoted(link['source'])}" if link["source"] else ""
        lines.append(
            f"{link['relation']}: {told}{source}; written on {where}, {signed[link['signature_ok']]}"
        )
    return fenced("\n".join(lines))


def _contradictions(document: Document) -> str:
    lines = map(contradiction_line, document["contradictions"])
    return fenced("\n".join(" ".join(each.split()) for each in lines))


def contradiction_line(each: Document) -> str:
    """Return a contradiction as one line: who said what, and how to name it."""
    sides = " | ".join(f"{name}: {_side(each[name])}" for name in ("a", "b")) + "".join(
        f" | {_side(side)}" for side in each["others"]
    )
    subject = subject_of(each["entity"], each["relation"], in_words=True)
    return f"- {subject}{sides} [{each['id']}] {each['status']}, {each['severity']}"


def _side(side: Document) -> str:
    who = f"{quoted(side['speaker'])}, " if side["speaker"] else ""
    when = (side["told_at"] or "")[:10]
    return f"{quoted(side['value'])} ({who}{when} [{side['rid']}])"


def _settled(document: Document) -> str:
    stands = f"{document['verdict']}, by {document['by']}"
    if not document["changed"]:
        return f"it stood already: {stands}"
    asked = "; the user can be asked: see `contradictions`" if document["verdict"] == "disagree" else ""
    return f"settled: {stands}{asked}"


def _resolved(document: Document) -> str:
    """Return what holds now, and what does not any more."""
    found = document["contradiction"]
    held, before, hidden = (
        dict.fromkeys(quoted(each["value"]) for each in found["beliefs"] if each["standing"] == standing)
        for standing in ("held", "replaced", "hidden")
    )
    # What holds again held before too, which reads as if it held no more.
    others = "; ".join(
        f"{name}: {', '.join(some)}"
        for name, values in (("before", before), ("hidden", hidden))
        if (some := [value for value in values if value not in held])
    )
    subject = subject_of(found["entity"], found["relation"], in_words=True)
    merged = f" [{document['rid']}]" if document["rid"] else ""
    done = found["status"] if document["changed"] else f"it stood already: {found['status']}"
    told = f"- {subject}{', '.join(held)}{f' ({others})' if others else ''}{merged}"
    return f"{done}\n{fenced(' '.join(told.split()))}"


def _reopened(document: Document) -> str:
    """Return what is open again, and between which values."""
    found = document["contradiction"]
    values = [quoted(side["value"]) for side in (found["a"], found["b"], *found["others"])]
    subject = subject_of(found["entity"], found["relation"], in_words=True)
    done = "it was open already" if found["status"] == "open" and not document["changed"] else found["status"]
    gone = "".join(f"\nforgotten: {rid}" for rid in document["forgotten"])
    told = f"- {subject}{' or '.join(values)}"
    return f"{done}\n{fenced(' '.join(told.split()))}{gone}"


def _kept_back(held: str) -> str:
    return (
        f"NOT changed: it looks secret, so the change waits on this device as {held} until its owner "
        "releases it (samemind held). Tell the user so."
    )


def _corrected(document: Document) -> str:
    if document["held"]:
        return _kept_back(document["held"])
    settled = (
        f"; that settled {counted(len(document['settled']), 'contradiction')}" if document["settled"] else ""
    )
    against = "; it contradicts what is known: see `contradictions`" if document["contradictions"] else ""
    return f"corrected {document['rid']}{settled}{against}"


def _review(document: Document) -> str:
    lines = []
    for each in document["nominees"]:
        when = (each.get("told_at") or "")[:10]
        lines.append(f"- {_said(each['text'])} ({when}) [{each['rid']}]")
        lines.append(f"  with {nominee_line(each['nominee'])[2:]}")
    left = (
        f"\n{counted(document['left'], 'older text')} not compared: it took too long"
        if document["left"]
        else ""
    )
    return f"{len(document['nominees'])} of {document['total']}\n{fenced(chr(10).join(lines))}{left}"


def _context(document: Document) -> str:
    """Return the block, which has fences of its own, and what waits for the user behind it."""
    nothing = "nothing that is known is close enough, or fits into so few tokens"
    parts = [document["text"] or (nothing if document["total"] else "nothing is known")]
    # Of a question one line is enough.
    triggers = [
        each for each in document["triggers"] if each["kind"] != _ESCALATION or not document["questions"]
    ]
    if document["questions"]:
        lines = "\n".join(map(_question, document["questions"]))
        parts.append(
            f"Not all of this can be true; ask the user when it fits, then `resolve`:\n{fenced(lines)}"
        )
    if merged := merged_words(document):
        parts.append(merged)
    if triggers:
        parts.append(
            "Waiting to be brought up; call `triggers_deliver` with the id before you tell the user of one:\n"
            f"{_triggers(triggers)}"
        )
    return "\n\n".join(parts)


def _question(each: Document) -> str:
    subject = subject_of(each["entity"], each["relation"], in_words=True)
    return f"- {subject}{' or '.join(map(quoted, each['values']))}? [{each['id']}]"


def _trigger(each: Document) -> str:
    until = f" until {each['snoozed_until']}" if each.get("snoozed_until") else ""
    return f"- {quoted(each['reason'])} ({each['kind']}, {each['status']}{until}) [{each['id']}]"


def _triggers(triggers: Sequence[Document]) -> str:
    return fenced("\n".join(" ".join(_trigger(each).split()) for each in triggers))


def _triggers_and_coming(document: Document) -> str:
    coming = "\n".join(
        " ".join(
            f"- {quoted(each['text'])} (due {each['due']}{repeated(each['repeats'])}) [{each['rid']}]".split()
        )
        for each in document["coming"]
    )
    waiting = _triggers(document["triggers"]) if document["triggers"] else "nothing to bring up now"
    return f"{waiting}\n\nReminders that are not due yet:\n{fenced(coming)}" if coming else waiting


def _moved(document: Document) -> str:
    told = "" if document["changed"] else "nothing changed: do not tell the user of it again. "
    return f"{told}{_triggers([document])}"


def _quoted(document: Document) -> str:
    """Return a result that has no words of its own: as JSON, which may quote memories."""
    return fenced(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


_TOLD: Final[Mapping[str, Callable[[Document], str]]] = {
    "remember": _remembered,
    "remember-many": _remembered_many,
    "recall": _recalled,
    "list": _listed,
    "get": lambda document: fenced(line(document, whole=True)),
    **dict.fromkeys(("edit", "set", "tag", "pin", "unpin", "archive", "unarchive"), _changed),
    "context": _context,
    "diff": _differing,
    "log": _logged,
    "history": _history,
    "sessions": _sessions,
    "graph": _graph,
    "goals list": _goals,
    "queue list": _queue,
    "retract": _retracted,
    "triggers list": _triggers_and_coming,
    **dict.fromkeys(("triggers deliver", "triggers act", "triggers dismiss", "triggers snooze"), _moved),
    "forget": lambda document: (
        f"forgot {len(document['rids'])}: {', '.join(document['rids'])}"
        if document["rids"]
        else "nothing was named, so nothing is forgotten"
    ),
    "why": told_why,
    "contradictions list": _contradictions,
    "contradictions resolve": _resolved,
    "contradictions reopen": _reopened,
    "contradictions review": _review,
    "correct": _corrected,
    "settle": _settled,
}
