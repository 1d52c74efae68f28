"""What several commands of this family return and show."""

from dataclasses import dataclass

from samemind.formats.rendering import Document


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


def service_lines(document: Document) -> list[str]:
    state = (
        "running"
        if document["running"]
        else "installed, not running"
        if document["installed"]
        else "not installed"
    )
    lines = [f"{document['kind']} service {state}: {document['path']}"]
    lines += [f"in use by {document['holder']}"] * bool(document["holder"])
    lines += ["", document["text"].rstrip()] * document["installed"]
    lines += ["", "still to be done:", *(f"  {command}" for command in document["left"])] * bool(
        document["left"]
    )
    return [*lines, *document["note"].splitlines()]
