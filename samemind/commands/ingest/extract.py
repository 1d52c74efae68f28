"""Have the model read what is new in a conversation, as at its end; every few messages it does so by itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.errors import Failed
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractTalk:
    """Have the model read what is new in a conversation, as at its end; every few messages it does so by itself."""

    session: str = argument("the conversation", metavar="SESSION")
    workspace: str | None = option("--workspace", "the space that the conversation is in")
    wait: bool = option("--wait", "return once it is read", hidden_from=("agents",), default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """How many stretches of a chat were put into the queue for the model, and which model that is."""

    queued: int
    model: str


async def run(device: "Device", options: ExtractTalk) -> Extracted:
    """Queue what the model has not seen of a chat."""
    talk = device.mind.talk
    if talk is None:
        raise Failed(
            "expected a model to read with, and none is configured",
            code="no_model",
            hint="set model_url and model in config.toml; without one, patterns find the facts",
        )
    queued = await talk.note(options.session, options.workspace, closing=True)
    if options.wait:
        await talk.settle()
    return Extracted(queued=queued, model=talk.model.name)


def render(document: Document) -> list[str]:
    return [f"{document['queued']} stretches for {document['model']} to read"]


COMMAND: Final = Command(
    "extract",
    ExtractTalk,
    Extracted,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("extract", "Have the model read what is new in a conversation, as at its end."),
    place=7,
)
