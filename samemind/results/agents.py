"""What the verbs for agents return."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The server ended; what it had to say it said to the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file of another program; `backup` is what it was before, where it was there and was changed."""

    path: str
    changed: bool
    backup: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """A program's settings: their path, and whether anything had to be changed. `hint` says what to do next."""

    program: str
    path: str
    changed: bool
    files: list[ChangedFile]
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What agents are told, and the files where that was written or taken out."""

    text: str
    version: int
    path: str | None
    changed: bool
    files: list[ChangedFile]
