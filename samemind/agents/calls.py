"""Keep a log of what agents read and wrote: a line a call, within bounds.

There is one for remote agents and one for those on this device, so that neither pushes out what the other did. Several
programs write to each at once, the daemon and the servers beside it, and none of it leaves this device. A line is not
flushed to the disk: a loss of power may take the last ones.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from replica.file_system import replace_file
from samemind.durable import locked
from samemind.platform import system

# A line a call; two files of this size hold months of a busy agent.
LOG_BYTES_MAX: Final = 2 << 20
# More memories than a line of the log is good for.
RIDS_NOTED_MAX: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class CallingAgent:
    """Who calls. `agent` is the id of a remote agent; None on this device, where a program names itself."""

    agent: str | None
    name: str
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What an agent did at once. `count` is how many memories it named; `rids` has the first of them."""

    at: datetime
    caller: CallingAgent
    tool: str
    wrote: bool
    rids: list[str]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentActivity:
    """How often somebody called, when last, and as which version."""

    calls: int
    last: datetime
    version: str | None


class CallLog:
    """The calls in one file, and in the older one beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._older = path.with_name(f"{path.name}.1")

    def note(self, caller: CallingAgent, tool: str, rids: Sequence[str], *, wrote: bool, now_ms: int) -> None:
        """Write down what an agent did at `now_ms`, in ms of this device's clock.

        Raises `OSError` where the file takes no writes.
        """
        line = {
            "at": datetime.fromtimestamp(now_ms / 1_000, UTC).isoformat(timespec="milliseconds"),
            "agent": caller.agent,
            "name": caller.name,
            "version": caller.version,
            "tool": tool,
            "wrote": wrote,
            "count": len(rids),
            "rids": rids[:RIDS_NOTED_MAX],
        }
        if self._is_full():
            with locked(self.path):
                if self._is_full():  # or somebody else has begun another meanwhile, which is to stay
                    replace_file(self.path, self._older)
        descriptor = system.open_file(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            data = json.dumps(line).encode() + b"\n"
            if os.lseek(descriptor, 0, os.SEEK_END):
                os.lseek(descriptor, -1, os.SEEK_END)
                # Half a line, left by a power cut, must not take this one with it.
                if os.read(descriptor, 1) != b"\n":
                    data = b"\n" + data
            os.write(descriptor, data)
        finally:
            os.close(descriptor)

    def _is_full(self) -> bool:
        try:
            return self.path.stat().st_size > LOG_BYTES_MAX
        except FileNotFoundError:
            return False

    def noted(self) -> Iterator[Call]:
        """Return what agents did, oldest first, without lines that are no call, as one that a power cut left half."""
        for path in (self._older, self.path):
            yield from _calls(path)

    def seen(self) -> dict[tuple[str | None, str], AgentActivity]:
        """Return how often each agent called and when last, by its id and its name."""
        found: dict[tuple[str | None, str], AgentActivity] = {}
        for path in (self._older, self.path):
            try:
                state = path.stat()
            except FileNotFoundError:
                continue
            counted = _counted(path, (state.st_ino, state.st_size, state.st_mtime_ns))
            for who, later in counted.items():
                calls = later.calls + (found[who].calls if who in found else 0)
                found[who] = replace(later, calls=calls)
        return found


# A page asks every few seconds, and a full file takes some 70 ms to read: two logs of two files each.
@lru_cache(maxsize=4)
def _counted(path: Path, _state: tuple[int, int, int]) -> dict[tuple[str | None, str], AgentActivity]:
    found: dict[tuple[str | None, str], AgentActivity] = {}
    for call in _calls(path):
        who = call.caller.agent, call.caller.name
        calls = found[who].calls + 1 if who in found else 1
        found[who] = AgentActivity(calls=calls, last=call.at, version=call.caller.version)
    return found


def _calls(path: Path) -> Iterator[Call]:
    try:
        text = path.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return
    for line in text.splitlines():
        found = _read(line)
        if found is not None:
            yield found


def _read(line: str) -> Call | None:
    try:
        found: Any = json.loads(line)
        rids = [str(rid) for rid in found["rids"]]
        version = found.get("version")
        return Call(
            at=datetime.fromisoformat(found["at"]).astimezone(UTC),
            caller=CallingAgent(
                agent=None if found["agent"] is None else str(found["agent"]),
                name=str(found["name"]),
                version=None if version is None else str(version),
            ),
            tool=str(found["tool"]),
            wrote=bool(found["wrote"]),
            rids=rids,
            count=int(found.get("count", len(rids))),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
