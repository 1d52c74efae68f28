"""Turn the few facts that a replica keeps of itself, beside its log, into the rows of the table `meta`, and back.

Each row is canonical msgpack, but for the origin: device and incarnation, one after the other. A row that is missing
stands for what held before anything was written.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from replica import hlc
from replica.codec import pack, read_place, unpack, wire_place
from replica.evidence import Evidence, packed, read_evidence
from replica.folding import Totals
from replica.ids import DEVICE_ID_BYTES, DeviceId, OpRef, Origin
from replica.incarnations import Incident, Opened, read_incidents
from replica.state.register import Vector

# By which rules memories show in a store, and with them its digest. 1: labels and entries of `meta` are put together
# from all that told some (`replica.state.labels`).
SHOWN_BY: Final = 1
# Most of it is empty nearly always, and it is looked through with each commit.
_NO_LIST: Final = pack([])
_NO_MAP: Final = pack({})
_NO_EVIDENCE: Final = pack(packed({}))


class LastContact(NamedTuple):
    """When a member was last heard of, in ms since 1970, and what it had folded then, in feed numbers of here."""

    heard_ms: int
    folded: Vector


class Vouched(NamedTuple):
    """Ops of a feed, by its local number, from seq `first` to `last`, for which `by` has vouched."""

    feed: int
    first: int
    last: int
    by: DeviceId

    @property
    def ops(self) -> int:
        """How many they are."""
        return self.last - self.first + 1


def read_vouched(plain: Iterable[Sequence[Any]]) -> list[Vouched]:
    """Return what was kept."""
    return [Vouched(feed, first, last, DeviceId(by)) for feed, first, last, by in plain]


class Meta(NamedTuple):
    """What a replica knows of itself between two writes; `replica.core` says what each means. `origin`: None if new."""

    origin: Origin | None
    own_feed: int | None
    clock: hlc.Hlc
    position: int
    totals: Totals
    contacts: Mapping[DeviceId, LastContact]
    past: Vector
    horizon_ms: int
    began_ms: int
    opened: Opened | None
    incidents: list[Incident]
    evidence: Evidence
    vouched: list[Vouched]
    asked: Collection[DeviceId]
    """Who was asked for the signed ops behind those, and whether late ones came that changed nothing yet."""
    may_prove: bool
    denied: Collection[bytes]
    """Memories of which a signed op and what was told without one say different things."""
    shown_by: int
    quotas: list[list[Any]]
    root: DeviceId | None
    """Whose word comes first in the group (`replica.membership`), and the device that is awaited to name it."""
    awaits: DeviceId | None
    out_since: Mapping[DeviceId, int]
    """When it was heard here that a device is out, in ms since 1970."""
    echoes: Mapping[DeviceId, OpRef]
    """What peers said that they hold of this device, and this device does not (`Core.heard_of_myself`)."""

    def rows(self) -> dict[str, bytes]:
        """Return the rows that say so, by name."""
        totals = self.totals
        return {
            "vouched": pack([list(each) for each in self.vouched]) if self.vouched else _NO_LIST,
            "asked": pack([sorted(self.asked), self.may_prove]),
            "denied": pack(sorted(self.denied)) if self.denied else _NO_LIST,
            "evidence": pack(packed(self.evidence)) if self.evidence else _NO_EVIDENCE,
            "shown by": pack(self.shown_by),
            "quotas": pack(self.quotas) if self.quotas else _NO_LIST,
            "root": pack([self.root, self.awaits]),
            "out since": pack(dict(sorted(self.out_since.items()))) if self.out_since else _NO_MAP,
            "echoes": pack({peer: wire_place(place) for peer, place in sorted(self.echoes.items())})
            if self.echoes
            else _NO_MAP,
            "incidents": pack([list(incident) for incident in self.incidents])
            if self.incidents
            else _NO_LIST,
            "past": pack(self.past) if self.past else _NO_MAP,
            "opened": pack(self.opened),
            "began": pack(self.began_ms),
            "horizon": pack(self.horizon_ms),
            "origin": b"" if self.origin is None else self.origin.device + self.origin.incarnation,
            "own feed": pack(self.own_feed),
            "clock": pack(self.clock),
            "position": pack(self.position),
            "contacts": pack({peer: list(contact) for peer, contact in sorted(self.contacts.items())})
            if self.contacts
            else _NO_MAP,
            "totals": pack(
                [n.to_bytes(32) for n in (totals.visible, totals.cells, totals.tombstones, totals.unfolded)]
            ),
        }

    @classmethod
    def read(cls, rows: Mapping[str, bytes]) -> Self:
        """Return what rows say."""
        held = {name: unpack(value) for name, value in rows.items() if name != "origin"}
        origin, opened = rows.get("origin", b""), held.get("opened")
        contacts = held.get("contacts", {})
        asked, may_prove = held.get("asked", ((), False))
        root, awaits = held.get("root", (None, None))
        return cls(
            Origin(DeviceId(origin[:DEVICE_ID_BYTES]), origin[DEVICE_ID_BYTES:]) if origin else None,
            held.get("own feed"),
            hlc.Hlc(held.get("clock", 0)),
            held.get("position", 0),
            Totals(*map(int.from_bytes, held.get("totals", ()))),
            {DeviceId(peer): LastContact(*contact) for peer, contact in contacts.items()},
            held.get("past", {}),
            held.get("horizon", 0),
            held.get("began", 0),
            None if opened is None else Opened(*opened),
            read_incidents(held.get("incidents", ())),
            read_evidence(held.get("evidence", ())),
            read_vouched(held.get("vouched", ())),
            [DeviceId(each) for each in asked],
            may_prove,
            held.get("denied", ()),
            held.get("shown by", SHOWN_BY),
            held.get("quotas", []),
            root,
            awaits,
            held.get("out since", {}),
            {DeviceId(peer): read_place(place) for peer, place in held.get("echoes", {}).items()},
        )
