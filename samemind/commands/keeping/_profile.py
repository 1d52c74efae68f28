"""What several commands do with the profile and the blocks."""

import sqlite3

import replica
from cognition.profile import owner as known
from samemind.commands.keeping._parts import PROFILE_SHOWN, BlockView, Profile, ProfileFact
from samemind.errors import NotFound, Usage
from samemind.formats.times import at_stamp

# A label is typed and shown beside its text, and is the key of a register.
LABEL_CHARACTERS_MAX = 100


def profile_of(connection: sqlite3.Connection, now_ms: int, limit: int = PROFILE_SHOWN) -> Profile:
    every, told = known.entries(connection), known.facts(connection, now_ms=now_ms, limit=limit + 1)
    return Profile(
        static=every if len(every) <= limit else known.entries(connection, limit=limit, now_ms=now_ms),
        dynamic=[ProfileFact(rid=replica.show_memory_id(fact.rid), text=fact.text) for fact in told[:limit]],
        more=max(len(every), len(told)) > limit,
    )


def checked_label(text: str) -> str:
    label = " ".join(text.split()).casefold()
    if not label or len(label) > LABEL_CHARACTERS_MAX:
        raise Usage(
            f"expected a label of 1 to {LABEL_CHARACTERS_MAX} characters, got {text!r:.60}", code="invalid"
        )
    return label


def find_block(connection: sqlite3.Connection, label: str) -> BlockView:
    for block in known.blocks(connection):
        if block.label == label:
            return block_view(block)
    raise NotFound(f"no block is labelled {label!r}", hint="`samemind blocks list` shows them")


def block_view(block: known.Block) -> BlockView:
    return BlockView(
        label=block.label,
        rid=replica.show_memory_id(block.rid),
        text=block.text,
        updated_at=at_stamp(block.updated),
    )
