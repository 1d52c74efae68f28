"""Show what memory brings up, goals, the profile, conversations and what was learned, as lines for people."""

from collections.abc import Callable, Mapping
from typing import Final

from samemind.printable import one_line, safe
from samemind.rendering import HELD_BACK, Document, clock, counted


def _triggers(document: Document) -> list[str]:
    return [_trigger(trigger) for trigger in document["triggers"]] or ["nothing to bring up"]


def _trigger(trigger: Document) -> str:
    until = f", put off until {clock(trigger['snoozed_until'])}" if trigger["snoozed_until"] else ""
    return (
        f"{trigger['urgency']:.2f}  {trigger['id']}  {trigger['status']:<9}  {trigger['kind']:<19}  "
        f"{one_line(trigger['reason'])}{until}"
    )


def _moved(document: Document) -> list[str]:
    if document["changed"]:
        return [_trigger(document)]
    by = f" by {document['delivered_by_name']}" if document["delivered_by_name"] else ""
    return [f"it was {document['status']}{by} already", _trigger(document)]


def _calendar(document: Document) -> list[str]:
    if document["path"] is None:
        return str(document["text"]).splitlines()
    return [f"{counted(document['count'], 'reminder', 'reminders')} in {one_line(document['path'])}"]


def _goals(document: Document) -> list[str]:
    return [_goal(goal) for goal in document["goals"]] or ["no goals"]


def _goal(goal: Document) -> str:
    if goal["held"]:
        return f"{goal['rid']} {HELD_BACK}"
    if goal["status"] == "done":
        how = "done"
    elif goal["stagnant"]:
        how = "quiet"
    else:
        how = f"{len(goal['progress'])} told" if goal["progress"] else "open"
    return f"{goal['rid']}  {how:<8}  {one_line(goal['text'])}"


def _profile(document: Document) -> list[str]:
    lines = [f"{one_line(key)}: {one_line(value)}" for key, value in document["static"].items()]
    lines += [f"- {one_line(fact['text'])}" for fact in document["dynamic"]]
    return lines or ["nothing is known of you"]


def _blocks(document: Document) -> list[str]:
    return [f"{one_line(one['label'])}: {one_line(one['text'])}" for one in document["blocks"]] or [
        "no blocks"
    ]


def _sessions(document: Document) -> list[str]:
    lines = []
    for one in document["sessions"]:
        lines.append(
            f"{clock(one['started_at'])}  {one_line(one['session'])}, {counted(one['memories'], 'memory', 'memories')}"
        )
        lines.append(f"                  {one_line(one['summary'])}")
    return lines or ["no conversations"]


def _taught(document: Document) -> list[str]:
    return [f"{weight:.4f}  {name}" for name, weight in document["weights"].items()]


SHOWN: Final[Mapping[str, Callable[[Document], list[str]]]] = {
    "triggers list": _triggers,
    **dict.fromkeys(("triggers deliver", "triggers act", "triggers dismiss", "triggers snooze"), _moved),
    "calendar": _calendar,
    "goals list": _goals,
    **dict.fromkeys(("goals add", "goals done"), lambda document: [_goal(document)]),
    **dict.fromkeys(("profile show", "profile set"), _profile),
    "blocks list": _blocks,
    **dict.fromkeys(("blocks get", "blocks edit"), lambda document: [safe(document["text"])]),
    "sessions": _sessions,
    "feedback": _taught,
}
