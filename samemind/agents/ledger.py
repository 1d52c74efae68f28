"""Keep the grants of remote agents in `agents.json`, and what each agent did in `agents.log`.

Several programs use them: the daemon that serves agents, a server beside it, and the command that approves or
revokes. So the file is the truth: whoever changes it holds a lock meanwhile, and whoever reads it looks first whether
it changed. What each agent read and wrote stays on this device.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from replica.file_system import replace_file
from samemind.agents.grants import Agent, Grants, Pending, Rights, Token
from samemind.config import Home
from samemind.durable import whole_file
from samemind.errors import Failed
from samemind.platform import system

Changed = TypeVar("Changed")
# A line a call; two files of this size hold months of a busy agent.
LOG_BYTES_MAX: Final = 2 << 20


class Ledger:
    """The grants of one home."""

    def __init__(self, home: Home) -> None:
        self.path = home.agents
        self.log_path = home.agents_log
        # In one: several threads read, and none may find the older grants beside the mark of the newer file.
        self._read: tuple[tuple[int, int] | None, Grants] = None, Grants()

    def read(self) -> Grants:
        """Return what stands in the file now."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return Grants()
        seen = (found.st_mtime_ns, found.st_ino)
        before, grants = self._read
        if seen != before:
            grants = _read(self.path)
            self._read = seen, grants
        return grants

    def change(self, change: Callable[[Grants], tuple[Grants, Changed]]) -> Changed:
        """Put what `change` makes of the grants in their place, and return what else it says."""
        with _locked(self.path):
            before = self.read()
            after, said = change(before)
            if after != before:
                with whole_file(self.path) as scratch:
                    scratch.write_text(json.dumps(_plain(after), ensure_ascii=False), encoding="utf-8")
        return said

    def note(self, agent: Agent, tool: str, rids: list[str], *, wrote: bool, now_ms: int) -> None:
        """Write down what an agent did."""
        at = datetime.fromtimestamp(now_ms / 1_000, UTC).isoformat(timespec="milliseconds")
        line = {"at": at, "agent": agent.id, "name": agent.name, "tool": tool, "wrote": wrote, "rids": rids}
        if self._is_full():
            with _locked(self.path):
                if self._is_full():  # or somebody else has begun another meanwhile, which is to stay
                    replace_file(self.log_path, self.log_path.with_name(f"{self.log_path.name}.1"))
        descriptor = system.open_file(self.log_path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            data = json.dumps(line, ensure_ascii=False).encode() + b"\n"
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
            return self.log_path.stat().st_size > LOG_BYTES_MAX
        except FileNotFoundError:
            return False

    def noted(self) -> Iterator[Mapping[str, Any]]:
        """Return what agents did, oldest first; a line that a power cut left half is passed over."""
        for path in (self.log_path.with_name(f"{self.log_path.name}.1"), self.log_path):
            if not path.exists():
                continue
            for line in path.read_text("utf-8", errors="replace").splitlines():
                try:
                    found = json.loads(line)
                except ValueError:
                    continue
                if (
                    isinstance(found, dict)
                    and {"at", "agent", "name", "tool", "wrote", "rids"} <= found.keys()
                ):
                    yield found


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = system.open_file(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT)
    try:
        system.wait_for_lock(descriptor)
        try:
            yield
        finally:
            system.unlock(descriptor)
    finally:
        os.close(descriptor)


def _plain(grants: Grants) -> dict[str, Any]:
    return {"version": 1, **asdict(grants)}


def _read(path: Path) -> Grants:
    try:
        found = json.loads(path.read_text("utf-8"))
        if found["version"] != 1:
            raise Failed(
                f"expected version 1 of {path}, found {found['version']!r:.20}",
                code="newer",
                hint="upgrade samemind on this device",
            )
        return Grants(
            agents={
                key: Agent(
                    **{
                        **each,
                        "rights": Rights(**{**each["rights"], "share": tuple(each["rights"]["share"])}),
                    }
                )
                for key, each in found["agents"].items()
            },
            tokens={key: Token(**each) for key, each in found["tokens"].items()},
            clients=found["clients"],
            pending={key: Pending(**each) for key, each in found["pending"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failed(
            f"expected the agents of this device in {path}, found something else: {error!r:.100}",
            code="damaged",
            hint="move the file away; every agent then has to be admitted again",
        ) from None


def random_bytes(count: int) -> bytes:
    """Return bytes of the system's randomness, for secrets."""
    return os.urandom(count)
