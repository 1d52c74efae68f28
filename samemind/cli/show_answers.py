"""Show where a memory comes from, and why it does not come up, as lines for people."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from samemind.printable import one_line
from samemind.rendering import clock

Document = Mapping[str, Any]
# Enough to tell devices of one household apart at a glance; the whole id is in --json.
_DEVICE_DIGITS: Final = 12


def _why(document: Document) -> list[str]:
    lines: list[str] = []
    for link in document["chain"]:
        lines.append(f"{link['relation']:<10}  {one_line(link['text'] or 'forgotten')}")
        who = link["device_name"] or (link["device"] or "")[:_DEVICE_DIGITS]
        signed = {True: "signature holds", False: "SIGNATURE DOES NOT HOLD", None: "vouched for by the group"}
        told = [
            f"told by {link['speaker']}" if link["speaker"] else "",
            link["source"] or "",
            _where_from(link),
        ]
        lines.append(f"{'':<10}  {link['rid']}")
        by = f", on the word of {link['vouched_by'][:_DEVICE_DIGITS]} alone" if link["vouched_by"] else ""
        lines.append(f"{'':<10}  written on {who}, {signed[link['signature_ok']]}{by}")
        lines += [f"{'':<10}  {one_line(' '.join(part for part in told if part))}"] * any(told)
    return lines


def _where_from(link: Document) -> str:
    return " ".join(
        part for part in (link["session"], link["turn"], link["told_at"] and clock(link["told_at"])) if part
    )


def _stages(document: Document) -> list[str]:
    return [
        f"{'ok ' if stage['passed'] else 'NOT'}  {stage['name']:<10} {one_line(stage['detail'])}"
        for stage in document["stages"]
    ]


SHOWN: Final[Mapping[str, Callable[[Document], list[str]]]] = {"why": _why, "why-not": _stages}
