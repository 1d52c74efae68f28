"""Delete a model that was added."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, argument
from samemind.errors import Usage
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveModel:
    """Delete a model that was added."""

    name: str = argument("what it is called here", metavar="NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRemoved:
    """Which model is gone."""

    name: str


def run(home: "Home", options: RemoveModel) -> ModelRemoved:
    """Delete a model, unless memories are found by it."""
    from samemind.commands.models._work import in_use
    from samemind.config import Settings
    from samemind.home.added_models import drop

    if in_use(Settings.load(home), options.name):
        raise Usage(
            f"expected a model that is not in use, but embedder in {home.settings} names {options.name}",
            code="in_use",
            hint='set another embedder there first, such as embedder = "multilingual"',
        )
    drop(home, options.name)
    return ModelRemoved(name=options.name)


def render(document: Document) -> list[str]:
    return [f"{one_line(document['name'])} is gone"]


COMMAND: Final = Command(
    "models remove",
    RemoveModel,
    ModelRemoved,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="deletes files that the settings may name",
    library=None,
    alone=True,
    place=3,
)
