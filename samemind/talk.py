"""Tell the model that reads talk what came in, where one is configured."""

from collections.abc import Iterable, Mapping

from replica import Value
from samemind.device import Device


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
