"""Nothing told is lost: until it is forgotten, a telling is listed, and found first by its own words.

Of every telling that was acknowledged it is known which commit it was. That commit holds the telling, and acts on no
other memory; wherever the telling lives, a list holds it, by itself or with those that say the same; and a recall of
the words that it holds now brings these words first.
"""

from collections.abc import Iterator, Sequence

from cognition.filters import Filters
from cognition.ranking.query import Query
from cognition.recall import stages as recall
from cognition.recall.marking import with_both_sides
from cognition.tellings import shown_once, tellings_with
from replica.ids import MemoryId
from replica.ops import Remember, SaysSame
from simulations.definition import shown_of
from simulations.device import Device
from simulations.disk import SqliteDisk
from simulations.household import Checker, Household

EVERYTHING = Filters(include_archived=True)
# The shortest list from which the other side of a dispute can push out what was asked for.
HITS = 2


class Tellings(Checker):
    """Look for what was told: in its commit, in lists, and at the end by its own words."""

    name = "tellings"

    def audited(self, world: Household, device: Device) -> None:
        """Look at the commits, and at what a device lists."""
        if world.memo.tellings and isinstance(device.disk, SqliteDisk) and device.disk.thinks:
            for missing in (*_not_added(world), *self._unlisted(world, device, device.disk)):
                world.violate(self.name, f"{device.name}: {missing}")

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Look at every device; one of each group recalls everything."""
        for group in groups:
            for device in group:
                self.audited(world, device)
            disk = group[0].disk
            if world.memo.tellings and isinstance(disk, SqliteDisk) and disk.thinks:
                for text in sorted({text for _, text in _living(world, group[0])}):
                    hits = recalled(disk, text, world.now_ms)
                    if not hits or hits[0].memory.text != text:
                        found = hits[0].memory.text if hits else "nothing"
                        world.violate(self.name, f"{group[0].name} finds {found!r} for {text!r}")

    def _unlisted(self, world: Household, device: Device, disk: SqliteDisk) -> Iterator[str]:
        condition, values = shown_once(*EVERYTHING.sql())
        rows = disk.connection.execute(f"SELECT m.rid FROM memory m WHERE {condition}", values).fetchall()
        listed = {each for (rid,) in rows for each in tellings_with(disk.connection, MemoryId(rid))}
        for rid, text in _living(world, device):
            if rid not in listed:
                yield f"{text!r} lives, and no list holds it"


def recalled(disk: SqliteDisk, text: str, now_ms: int) -> list[recall.RankedMemory]:
    """Return what a recall by words brings, with both sides of what is in dispute, as it is shown."""
    connection = disk.connection
    ranked = recall.rank(
        connection,
        Query(text),
        vector=None,
        index=None,
        now_ms=now_ms,
        lexicon=None,
        filters=EVERYTHING,
        limit=recall.POOL_MIN,
    )
    hits = recall.assemble(connection, ranked, HITS, EVERYTHING)
    hits = recall.own_words_first(connection, text, hits, EVERYTHING, HITS)
    return with_both_sides(connection, hits, EVERYTHING, HITS)


def _living(world: Household, device: Device) -> Iterator[tuple[bytes, str]]:
    memories = world.defined_for(device).memories
    for rid in world.memo.tellings:
        if (memory := memories.get(rid)) is not None and not (shown := shown_of(rid, memory)).fields.get(
            "block"
        ):
            yield rid, shown.text


def _not_added(world: Household) -> Iterator[str]:
    for rid, writes in world.memo.tellings.items():
        if not any(isinstance(each.body, Remember) and each.rid == rid for each in writes):
            yield f"the telling {rid.hex()[:8]} was acknowledged and is nowhere"
        if any(each.rid != rid and not isinstance(each.body, SaysSame) for each in writes):
            yield f"the telling {rid.hex()[:8]} changed another memory"
