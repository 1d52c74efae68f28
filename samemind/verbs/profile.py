"""Show and change the profile of the owner, and the blocks that every prompt gets."""

import sqlite3

import replica
from cognition import profile as known
from replica import Core, Remember, Write
from replica.codec import check_text
from samemind.device import Device
from samemind.errors import NotFound, Usage
from samemind.fields import read_pairs
from samemind.results.keeping import Blocks, BlockView, Profile, ProfileFact
from samemind.surface.keeping import EditBlock, GetBlock, ListBlocks, SetProfile, ShowProfile
from samemind.times import at_stamp
from samemind.verbs.moments import moment_of, read_at
from samemind.verbs.refusing import refuse_secret

# A label is typed and shown beside its text, and is the key of a register.
LABEL_CHARACTERS_MAX = 100
KEY_CHARACTERS_MAX = 100


async def profile_show(device: Device, options: ShowProfile) -> Profile:
    """Show what was set, and what follows from what was told, now or then."""
    now_ms = moment_of(device, options.as_of)
    return await read_at(
        device, options.as_of, options.seen_by, lambda connection: _profile(connection, now_ms)
    )


async def profile_set(device: Device, options: SetProfile) -> Profile:
    """Write entries, each a register of its own."""
    entries: dict[str, str] = {}
    for key, value in read_pairs(options.values, name="profile"):
        key, value = key.strip().casefold(), " ".join(value.split())
        if not key or len(key) > KEY_CHARACTERS_MAX or len(value) > known.ENTRY_CHARACTERS_MAX:
            raise Usage(
                f"expected a key of 1 to {KEY_CHARACTERS_MAX} characters and a value of up to "
                f"{known.ENTRY_CHARACTERS_MAX}, got {key!r:.60}",
                code="invalid",
                hint="longer things are memories, or a block",
            )
        entries[key] = value

    def write(core: Core, connection: sqlite3.Connection) -> Profile:
        before = [f"{key}: {value}" for key, value in known.entries(connection).items()]
        for key, value in entries.items():
            if value:
                refuse_secret(f"{key}: {value}", known=before)
        core.commit(
            [Write(replica.Set(f"{known.PREFIX}{key}", value or None)) for key, value in entries.items()],
            device.now_ms(),
        )
        return _profile(connection, device.now_ms())

    return await device.replica.run(write)


async def blocks_list(device: Device, options: ListBlocks) -> Blocks:
    """List the blocks."""
    return await read_at(
        device,
        options.as_of,
        options.seen_by,
        lambda connection: Blocks(blocks=[_view(block) for block in known.blocks(connection)]),
    )


async def blocks_get(device: Device, options: GetBlock) -> BlockView:
    """Show one block."""
    label = _label(options.label)
    return await read_at(device, options.as_of, options.seen_by, lambda connection: _block(connection, label))


async def blocks_edit(device: Device, options: EditBlock) -> BlockView:
    """Write a block; the first to write it makes it, with a text that every device would make it with."""
    label = _label(options.label)
    check_text(options.text)
    rid = known.block_id(label)

    def write(core: Core, connection: sqlite3.Connection) -> BlockView:
        now_ms = device.now_ms()
        if connection.execute("SELECT 1 FROM tombstone WHERE rid = ?", (rid,)).fetchone():
            raise NotFound(
                f"the block {label!r} was forgotten, for good", code="forgotten", hint="choose another label"
            )
        before = connection.execute("SELECT text FROM memory WHERE rid = ?", (rid,)).fetchone()
        refuse_secret(f"{label}: {options.text}", known=[] if before is None else [label, *before])
        if before is None:
            core.commit([Write(Remember(known.first_text(label), {"block": label}), rid)], now_ms)
        ((text,),) = connection.execute("SELECT text FROM memory WHERE rid = ?", (rid,))
        if text != options.text:
            core.commit([core.edit_of(rid, options.text)], now_ms)
        return _block(connection, label)

    return await device.replica.run(write)


def _profile(connection: sqlite3.Connection, now_ms: int) -> Profile:
    told = [
        ProfileFact(rid=replica.show_memory_id(fact.rid), text=fact.text)
        for fact in known.facts(connection, now_ms=now_ms)
    ]
    return Profile(static=known.entries(connection), dynamic=told)


def _label(text: str) -> str:
    label = " ".join(text.split()).casefold()
    if not label or len(label) > LABEL_CHARACTERS_MAX:
        raise Usage(
            f"expected a label of 1 to {LABEL_CHARACTERS_MAX} characters, got {text!r:.60}", code="invalid"
        )
    return label


def _block(connection: sqlite3.Connection, label: str) -> BlockView:
    for block in known.blocks(connection):
        if block.label == label:
            return _view(block)
    raise NotFound(f"no block is labelled {label!r}", hint="`samemind blocks list` shows them")


def _view(block: known.Block) -> BlockView:
    return BlockView(
        label=block.label,
        rid=replica.show_memory_id(block.rid),
        text=block.text,
        updated_at=at_stamp(block.updated),
    )
