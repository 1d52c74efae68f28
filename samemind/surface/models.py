"""The verbs about models of sentence-transformers that this device has to itself."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, argument, option
from samemind.results.models import ModelRemoved, ModelsListed, ModelView


@dataclass(frozen=True, slots=True, kw_only=True)
class AddModel:
    """Fetch a model of sentence-transformers, or copy one from a folder; pin it by its hashes, and try it."""

    model: str = argument("its name at the hub, or a folder that holds it", metavar="NAME|FOLDER")
    name: str | None = option("--name", "what to call it here", metavar="NAME")
    revision: str = option("--revision", "which commit, tag or branch of it", default="main", metavar="REV")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListModels:
    """List the models that were added, and say whether their files are still those that were pinned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveModel:
    """Delete a model that was added."""

    name: str = argument("what it is called here", metavar="NAME")


_MODULE: Final = "samemind.verbs.models"

MODELS_ADD: Final = Command(
    "models add",
    AddModel,
    ModelView,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="fetches from the network, or reads a folder of this machine",
    library=None,
    alone=True,
    place=1,
)
MODELS_LIST: Final = Command(
    "models list",
    ListModels,
    ModelsListed,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="says what to type next on this machine",
    library=None,
    alone=True,
    rows="models",
    place=2,
    short=True,
)
MODELS_REMOVE: Final = Command(
    "models remove",
    RemoveModel,
    ModelRemoved,
    _MODULE,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="deletes files that the settings may name",
    library=None,
    alone=True,
    place=3,
)
