"""List added models, and check their files against the pinned hashes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.models._parts import ModelView, model_line
from samemind.declaring import Agents, Command, Effects
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class ListModels:
    """List added models, and check their files against the pinned hashes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsListed:
    """The models that were added, by their names."""

    models: list[ModelView]


def run(home: "Home", options: ListModels) -> ModelsListed:
    """Read every file of every model anew: whoever asks wants to know whether they are what they were."""
    from samemind.commands.models._work import view
    from samemind.config import Settings
    from samemind.home.added_models import added_models

    settings = Settings.load(home)
    return ModelsListed(models=[view(home, settings, one) for one in added_models(home)])


def render(document: Document) -> list[str]:
    return [model_line(each) for each in document["models"]] or [
        "no model was added: samemind models add NAME, or a folder"
    ]


COMMAND: Final = Command(
    "models list",
    ListModels,
    ModelsListed,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="says what to type next on this machine",
    library=None,
    alone=True,
    rows="models",
    place=2,
    short=True,
)
