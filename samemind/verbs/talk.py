"""Tell the model that reads talk what came in, where one is configured."""

from collections.abc import Iterable, Mapping

from replica import Value
from samemind.device import Device
from samemind.errors import Failed
from samemind.results.taking import Extracted
from samemind.surface.taking import ExtractTalk


async def extract(device: Device, options: ExtractTalk) -> Extracted:
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


async def note_talk(device: Device, stored: Iterable[Mapping[str, Value]]) -> None:
    """Note that messages were stored; nobody waits for the model."""
    talk = device.mind.talk
    if talk is None:
        return
    for conversation, workspace in dict.fromkeys(
        (fields.get("conversation"), fields.get("workspace")) for fields in stored
    ):
        if isinstance(conversation, str):
            await talk.note(conversation, workspace if isinstance(workspace, str) else None)
