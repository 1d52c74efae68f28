"""Keep the grants of remote agents in `agents.json`.

Several programs use them: the daemon that serves agents, a server beside it, and the command that approves or
revokes. So the file is the truth: whoever changes it holds a lock meanwhile, and whoever reads it looks first whether
it changed.
"""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from samemind.agents.grants import Agent, Grants, Pending, Rights, Token
from samemind.config import Home
from samemind.durable import locked, whole_file
from samemind.errors import Failed

Changed = TypeVar("Changed")


class Ledger:
    """The grants of one home."""

    def __init__(self, home: Home) -> None:
        self.path = home.agents
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
        with locked(self.path):
            before = self.read()
            after, said = change(before)
            if after != before:
                with whole_file(self.path) as scratch:
                    scratch.write_text(json.dumps(_plain(after), ensure_ascii=False), encoding="utf-8")
        return said


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
