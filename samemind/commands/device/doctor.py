"""Look for problems, and say how to solve them."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from samemind.commands.device._parts import Check, is_ok
from samemind.declaring import Agents, Command, Effects, Method
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    """Look for problems, and say how to solve them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctored:
    """What was looked at; `ok` when nothing needs doing."""

    ok: bool
    checks: list[Check]


async def run(device: "Device", options: Doctor) -> Doctored:
    """Look at everything that may be wrong; quick, unlike `verify`, but for models that are slow to load."""
    from samemind.commands.device._checks import (
        background,
        disk,
        embedding,
        group_checks,
        key,
        member_checks,
        nearest,
        quota_checks,
        repeating,
        reranker,
        settings,
        store,
        taking,
        thinking,
        vouched_checks,
    )
    from samemind.commands.device._clones import clone_checks
    from samemind.commands.device._mailbox_checks import mailbox_checks
    from samemind.commands.device._surroundings import surroundings
    from samemind.commands.group._peers import peer_views
    from samemind.formats.own_zone import own_zone_name

    await device.mind.try_models()
    queue = await device.mind.embedding.state()
    checks = [key(device), disk(device), embedding(device, queue.pending, queue.failed)]
    checks.append(nearest(device))
    checks.append(reranker(device, await device.mind.reranking.pending()))
    checks += thinking(device)
    checks += background(device)
    checks += settings(device)
    checks += await taking(device)
    checks += await device.replica.run(store)
    checks += await device.replica.read(partial(repeating, now_ms=device.now_ms(), own_zone=own_zone_name()))
    checks += await device.replica.run(group_checks)
    checks += await device.replica.run(member_checks)
    checks += await device.replica.run(vouched_checks)
    checks += await clone_checks(device)
    checks += await mailbox_checks(device)
    views = await peer_views(device)
    checks += quota_checks(views)
    checks += await surroundings(device, views)
    return Doctored(ok=all(check.ok for check in checks), checks=checks)


def render(document: Document) -> list[str]:
    lines = []
    for check in document["checks"]:
        lines.append(f"{'ok ' if check['ok'] else 'NOT'}  {check['name']:<10} {one_line(check['detail'])}")
        if check["fix"]:
            lines.append(f"     {'':<10} {check['fix']}")
    return lines


COMMAND: Final = Command(
    "doctor",
    Doctor,
    Doctored,
    run=run,
    render=render,
    effects=Effects.READ,
    waits_for_reading=False,
    agents=Agents.FULL,
    panel=True,
    library=Method("doctor"),
    went_well=is_ok,
    rows="checks",
    place=9,
    daily=True,
)
