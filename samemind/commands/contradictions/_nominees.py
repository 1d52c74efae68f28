"""Name what a new memory may repeat or contradict."""

from cognition.fading.tiers import told_ms
from cognition.judging.nominating import Nominated
from cognition.judging.nominees import explained
from replica import MemoryId, show_memory_id
from samemind.commands.contradictions._parts import NomineeValue, NomineeView
from samemind.device import Device
from samemind.formats.times import at_ms


async def nominees_of(device: Device, rid: MemoryId) -> list[NomineeView]:
    """Return what a memory that was just told is to be compared with."""
    return [nominee_view(each) for each in await device.mind.nominate(rid)]


def nominee_view(nominated: Nominated) -> NomineeView:
    """Return a nominee as interfaces show it."""
    nominee, memory = nominated.nominee, nominated.shown.memory
    speaker = memory.fields.get("speaker")
    return NomineeView(
        rid=show_memory_id(nominated.shown.rid),
        text=memory.text,
        speaker=speaker if isinstance(speaker, str) else None,
        told_at=at_ms(told_ms(memory)),
        relation=nominee.relation,
        values=[
            NomineeValue(kind=kind.partition(" ")[0], before=before, now=now)
            for kind, before, now in nominee.values
        ],
        why=explained(nominee),
        weight=nominee.weight,
    )
