"""Check every chain and signature, and recompute the state from the log."""

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from samemind.commands.device._parts import is_ok
from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.formats.rendering import DEVICE_DIGITS, Document, counted

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from replica.verify import Verification
    from samemind.control.server import Say
    from samemind.device import Device
    from samemind.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """Check every chain and signature, and recompute the state from the log."""

    accept_loss: bool = option(
        "--accept-loss",
        "first accept the loss of this device's own writes that are missing",
        hidden_from=("agents", "panel"),
        default=False,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Whether chains, signatures and the state recomputed from the log all hold.

    `vouched` counts the writes that came within a snapshot, by the device on whose word alone they are known: no
    signature of their authors' is here. `accepted` counts the missing writes of this device that were taken as lost.
    """

    ok: bool
    ops: int
    problems: list[str]
    vouched: dict[str, int] = field(default_factory=dict)
    accepted: int = 0


async def run(device: "Device", options: Verify, say: "Say") -> Verified:
    """Check everything as it is at one moment, saying how far that is; nobody else waits."""
    from replica import mark_checked
    from samemind.progress import while_telling

    accepted = await device.replica.run(partial(_accept_loss, device.now_ms())) if options.accept_loss else 0
    verification = await while_telling(say, partial(_verification, device))
    if verification.ok:
        await device.replica.run(lambda _, connection: mark_checked(connection))
    return Verified(
        ok=verification.ok,
        ops=verification.ops,
        problems=list(verification.problems),
        vouched={by.hex(): ops for by, ops in sorted(verification.vouched.items())},
        accepted=accepted,
    )


def _accept_loss(now_ms: int, core: "Core", _: "sqlite3.Connection") -> int:
    """Take the writes of this device that are missing as lost; return how many they are."""
    from replica.incarnations import pardoned
    from replica.missing import missing
    from replica.oplog import Changes

    accepted = sum(lost.seq - lost.held for lost in missing(core))
    core.incidents = pardoned(core.incidents)
    core.write(Changes(), now_ms)
    return accepted


async def _verification(device: "Device", progress: "Progress") -> "Verification":
    from replica import connect
    from replica.reads.counts import count_memories, count_ops
    from replica.verify import verify_beside

    def begin(core: "Core", connection: "sqlite3.Connection") -> "tuple[sqlite3.Connection, Core]":
        """Read from now on what is now: on the writer's thread, where all that was told shows."""
        core.store.follow()  # a full disk is said to be one
        reading = connect(str(device.home.store), read_only=True, key=device.key)
        try:
            reading.execute("BEGIN")
            progress.total = count_ops(reading) + count_memories(reading)
        except BaseException:
            reading.close()
            raise
        return reading, core

    reading, core = await device.replica.run(begin)
    try:
        check = partial(verify_beside, reading, core, told=progress.note)
        return await device.apart(check)
    finally:
        reading.close()


def render(document: Document) -> list[str]:
    accepted = document.get("accepted")
    return [
        *([f"{counted(accepted, 'write')} taken as lost"] if accepted else []),
        counted(document["ops"], "op") + (", all well" if document["ok"] else ""),
        *document["problems"],
        *(
            f"{counted(ops, 'write')} below the log on the word of {by[:DEVICE_DIGITS]} alone"
            for by, ops in document["vouched"].items()
        ),
    ]


COMMAND: Final = Command(
    "verify",
    Verify,
    Verified,
    run=run,
    render=render,
    effects=Effects.READ,
    opens_mind=False,
    agents=Agents.FULL,
    panel=True,
    library=Method("verify"),
    streams=True,
    kept="nothing was changed, and nothing is known of what was not looked at: run it again",
    went_well=is_ok,
    place=7,
)
