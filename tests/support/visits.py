"""Visits of cores to a mailbox that is a dict: what the daemon's shell does, without a network and a store."""

import io
import math
import secrets
from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from replica.core import Core
from sync.carrier.shelf import SUFFIX, Shelf
from sync.carrier.visit import (
    GetFile,
    Looked,
    MayWrite,
    Names,
    Put,
    Remove,
    Run,
    Save,
    Step,
    Visitor,
    VisitUnderWay,
)
from sync.errors import Denied, Full, Gone, NoRoomHere
from sync.mailbox.box import Mailbox
from tests.support.links import identity
from tests.support.replicas import NOW_MS

Box = dict[str, bytes]


class Small(Box):
    """A mailbox that has room for so many bytes."""

    room: float = math.inf


class Locked(Box):
    """A mailbox that lists all and does not hand out these."""

    shut: Collection[str] = ()


class Larger(Box):
    """A mailbox with files for which the device that reads it has no room: it has some for so many bytes."""

    room_here: float = math.inf
    refuses_late: bool = False
    """Its disk says that there is room, and there is none."""


def _room(box: Box) -> float:
    return box.room if isinstance(box, Small) else math.inf


def drive(visit: Generator[Step, Any, Looked], core: Core, box: Box, rows: dict[str, bytes]) -> Looked:
    """Do what a visit wants done; `rows` is what is written down of the mailbox."""
    under_way = VisitUnderWay(visit)
    while (step := under_way.proceed()) is not None:
        with under_way.trying():
            match step:
                case Names():
                    under_way.result = {name: len(data) for name, data in box.items()}
                case GetFile(name, size):
                    if name not in box:
                        raise Gone(name)
                    if isinstance(box, Locked) and name in box.shut:
                        raise Denied(f"{name} is its maker's alone")
                    if isinstance(box, Larger) and size > box.room_here:
                        missing = 0 if box.refuses_late else int(size - box.room_here)
                        raise NoRoomHere("no room", missing=missing, fix="make some")
                    under_way.result = io.BytesIO(box[name][:size])
                case Put(name, data):
                    assert name not in box, "a name is never written twice"
                    if sum(map(len, box.values())) + len(data) > _room(box):
                        raise Full("no room")
                    box[name] = data
                case Remove(name):
                    box.pop(name, None)
                case Run(fn):
                    under_way.result = fn(core)
                case Save(new, gone):
                    rows |= new
                    for name in gone:
                        rows.pop(name, None)
    return under_way.looked


@dataclass
class Visiting:
    """A device that visits a mailbox; its clock is its own."""

    core: Core
    name: str
    now_ms: int = NOW_MS
    rows: dict[str, bytes] = field(default_factory=dict)
    shelf: Shelf = field(default_factory=Shelf)
    bytes_max: int | None = None

    def visit(self, box: Box, **options: Any) -> Looked:
        """Look once, a second later than before."""
        self.now_ms += 1_000
        visitor = Visitor(
            self.shelf,
            identity(self.name),
            now_ms=lambda: self.now_ms,
            bytes_max=self.bytes_max,
            entropy=Random(f"{self.name} {self.now_ms}").randbytes,
        )
        return drive(visitor.visit(**options), self.core, box, self.rows)

    def restart(self) -> None:
        """Remember what was written down, and nothing else."""
        self.shelf = Shelf(self.rows.items())


def any_name(entropy: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """Return a name as files have, under which nothing was written."""
    return entropy(16).hex() + SUFFIX


def never(_: object) -> bool:
    """Put writing off."""
    return False


__all__ = ["Box", "Larger", "Locked", "MayWrite", "Small", "Visiting", "any_name", "drive", "never"]


async def read_file(box: Mailbox, name: str, bytes_max: int) -> bytes:
    """Return what a mailbox hands out of a file."""
    file = io.BytesIO()
    await box.get(name, bytes_max, file)
    return file.getvalue()
