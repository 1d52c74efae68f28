"""What several commands of this family return and show."""

from dataclasses import dataclass
from datetime import datetime

from samemind.formats.printable import one_line
from samemind.formats.rendering import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelView:
    """A model that was added: `setting` is what `embedder` in config.toml is set to for it.

    `source` is the hub's address with the model's name, or the folder; `revision` the hub's commit, or empty. `digest`
    is the SHA-256 of all its files' names and hashes. `width`: numbers in a vector; `ms_per_text`: what one took when
    it was tried. `trouble`: why it cannot be used, or empty.
    """

    name: str
    source: str
    revision: str
    digest: str
    files: int
    bytes: int
    width: int
    ms_per_text: float
    added_at: datetime
    setting: str
    in_use: bool
    trouble: str


def model_line(document: Document) -> str:
    line = (
        f"{one_line(document['name'])}: {document['width']} numbers a vector, {document['ms_per_text']:.1f} ms a text, "
        f"{document['bytes'] / 1_000_000:.0f} MB, from {one_line(document['source'])}"
    )
    line += f" at {document['revision'][:12]}" if document["revision"] else ""
    line += ", in use" if document["in_use"] else ""
    return line + (f"; {one_line(document['trouble'])}" if document["trouble"] else "")
