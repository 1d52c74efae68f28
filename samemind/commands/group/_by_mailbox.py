"""Pair through a mailbox. What is open is written down, and goes on after a start."""

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio

from replica import DeviceId
from samemind.config import Home
from samemind.control.server import Say
from samemind.device import Device
from samemind.durable import whole_file
from samemind.formats.plain import to_json
from samemind.formats.times import at_ms, read_span

if TYPE_CHECKING:
    from samemind.home.mailboxes import SavedMailbox
    from sync.mailbox.box import Mailbox
    from sync.mailbox.meeting import CodeByMailbox, Opening
    from sync.meeting import Partner
    from sync.pairing import Introduction
    from sync.pairing import PairingResult as PairedDevice
    from sync.syncer import Syncer

# The other writes within a second of its own look; the two are paired whatever comes of it.
FIRST_LOOK_WAITS_S: Final = (0.0, 0.5, 1.0, 2.0, 4.0)
FIRST_LOOK_SECONDS_MAX: Final = 30.0


async def pair_by_mailbox(
    device: Device, syncer: "Syncer", name: str, code: str | None, *, wait: str | None, say: Say
) -> "Partner":
    """Show a code and wait at a mailbox, or prove one there: the two need not be on one network, only up."""
    from samemind.home.mailboxes import mailbox_named, told_of  # here: few pair in this way
    from sync.errors import MailboxError
    from sync.mailbox.meeting import WAIT_MS_MAX, CodeByMailbox
    from sync.mailbox.places import open_box, seen_from_outside
    from sync.meeting import partner_of
    from sync.pairing import WINDOW_MS, Introduction

    settled = mailbox_named(device.home, name)
    wait_ms = (
        None if wait is None else read_span(wait, name="--wait", least_ms=WINDOW_MS, most_ms=WAIT_MS_MAX)
    )
    proof = None if code is None else CodeByMailbox.parse(code)
    box, introduction = open_box(settled.place, device.host), Introduction(device.name)
    address = seen_from_outside(settled.url)
    try:
        if proof is None:
            opening = read_opening(device.home, settled.url, device.now_ms(), wait_ms)
            keep = partial(_keep, device.home, settled.url)
            paired = await _offer(
                device,
                box,
                introduction,
                syncer.banned,
                name,
                say,
                address=address,
                opening=opening,
                keep=keep,
            )
        else:
            paired = await _join(device, box, introduction, syncer.banned, proof, wait_ms, address, say)
    except MailboxError as error:
        raise told_of(settled, error) from None
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(1):
            await box.aclose()
    partner = partner_of(paired, None)
    await syncer.take_in(partner, shows_code=proof is None)
    await _first_look(device, settled, partner.device_id)
    return partner


async def _first_look(device: Device, settled: "SavedMailbox", partner: DeviceId) -> None:
    """Leave the other what it may read from now on, and take what it leaves, while both are known to be there.

    What lay in the mailbox before was sealed for others.
    """
    from samemind.commands.mailbox._looking import look_into
    from sync.errors import SyncError

    with trio.move_on_after(FIRST_LOOK_SECONDS_MAX), suppress(SyncError):
        for wait_s in FIRST_LOOK_WAITS_S:
            await trio.sleep(wait_s)
            await look_into(device, settled)
            if await device.replica.run(lambda core, _: partner in core.contacts):
                return


async def _join(
    device: Device,
    box: "Mailbox",
    introduction: "Introduction",
    revoked: Collection[DeviceId],
    code: "CodeByMailbox",
    wait_ms: int | None,
    address: str,
    say: Say,
) -> "PairedDevice":
    from sync.mailbox.meeting import join_by_mailbox

    there: list[str] = []
    paired = await join_by_mailbox(
        box,
        device.identity,
        introduction,
        code,
        wait_ms=wait_ms,
        meets_at=there.append,
        revoked=revoked,
    )
    if there != [address]:  # signed for by the other device: people may wonder, and both may be right
        await say({"meets_at": there[0]})
    return paired


async def _offer(
    device: Device,
    box: "Mailbox",
    introduction: "Introduction",
    revoked: Collection[DeviceId],
    name: str,
    say: Say,
    **goes_on: Any,
) -> "PairedDevice":
    from sync.errors import SyncError
    from sync.mailbox.meeting import CodeByMailbox, mood_of, offer_by_mailbox

    telling, told = trio.open_memory_channel[dict[str, Any]](16)
    failure: SyncError | None = None

    def tell(shown: CodeByMailbox, left_ms: int) -> None:
        expires_at = to_json(at_ms(device.now_ms() + left_ms))
        telling.send_nowait({"code": str(shown), "mailbox": name, "expires_at": expires_at})

    def refused(error: SyncError) -> None:
        telling.send_nowait({"refused": str(error), "mood": mood_of(error).name.lower()})

    async def pass_on() -> None:
        async for news in told:
            await say(news)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_on)
        with telling:
            try:
                return await offer_by_mailbox(
                    box,
                    device.identity,
                    introduction,
                    tell=tell,
                    refused=refused,
                    now_ms=device.now_ms,
                    revoked=revoked,
                    **goes_on,
                )
            except SyncError as error:  # out of the nursery, which would make a group of it
                failure = error
    raise failure


def read_opening(home: Home, url: str, now_ms: int, wait_ms: int | None) -> "Opening":
    """Return the opening that is under way at a mailbox, if it is of the kind that is asked for; or a new one."""
    from sync.code import WORDS_LONG, WORDS_SHORT
    from sync.errors import InvalidCode
    from sync.mailbox.meeting import CodeByMailbox, Opening

    try:
        plain = _read(home)[url]
        code = plain.pop("code")
        opening = Opening(code=None if code is None else CodeByMailbox.parse(code), **plain)
        asked = WORDS_SHORT if wait_ms is None else WORDS_LONG
        if opening.is_open(now_ms) and (opening.words == asked or wait_ms is None):
            return opening
    except (KeyError, TypeError, AttributeError, InvalidCode):
        pass  # there is none, or a file that somebody mended by hand
    return Opening.new(now_ms, wait_ms)


async def _keep(home: Home, url: str, opening: "Opening | None") -> None:
    await trio.to_thread.run_sync(partial(_write, home, url, opening))


def _write(home: Home, url: str, opening: "Opening | None") -> None:
    found = {place: plain for place, plain in _read(home).items() if place != url}
    if opening is not None:
        code = None if opening.code is None else str(opening.code)
        found[url] = {**asdict(opening), "code": code}
    if not found:
        home.pairings.unlink(missing_ok=True)
        return
    with whole_file(home.pairings) as scratch:
        scratch.write_text(json.dumps(found), "utf-8")
    home.pairings.chmod(0o600)


def _read(home: Home) -> Mapping[str, dict[str, Any]]:
    try:
        found = json.loads(home.pairings.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
