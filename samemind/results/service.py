"""What the verbs about the service return."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How the machine starts the daemon: by which file, what it says, and whether the service runs.

    `holder` is who has the store open at present; `left` are commands that the machine's service manager did not take.
    """

    kind: str
    path: str
    installed: bool
    running: bool
    changed: bool
    holder: str | None
    text: str
    left: list[str]
    note: str
