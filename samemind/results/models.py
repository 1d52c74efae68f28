"""What the verbs about models return."""

from dataclasses import dataclass
from datetime import datetime


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsListed:
    """The models that were added, by their names."""

    models: list[ModelView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRemoved:
    """Which model is gone."""

    name: str
