"""The facts that a replica keeps of itself, in rows and out of them."""

from replica import hlc
from replica.evidence import Accused, Fault, Seen
from replica.folding import Totals
from replica.ids import DeviceId, OpRef, Origin
from replica.incarnations import ChainEvent, Incident, Opened
from replica.meta import LastContact, Meta, Vouched

DEVICE = DeviceId(bytes(range(32)))


def test_what_was_kept_is_read_as_it_was() -> None:
    meta = Meta(
        origin=Origin(DEVICE, b"12345678"),
        own_feed=3,
        clock=hlc.Hlc(77 << 16),
        position=41,
        totals=Totals(1, 2, 3, 4),
        contacts={DEVICE: LastContact(1_700_000_000_000, {0: 5})},
        past={2: 9},
        horizon_ms=12,
        began_ms=13,
        opened=Opened(b"before", b"now"),
        incidents=[Incident(5, ChainEvent.ECHO, bytes(DEVICE), b"12345678", 6, b"head")],
        evidence={Accused(DEVICE, Fault.SNAPSHOT): Seen(14, 15, 16)},
        vouched=[Vouched(1, 2, 3, DEVICE)],
        asked=[DEVICE],
        may_prove=True,
        denied=[bytes(16)],
        shown_by=0,
        quotas=[[DEVICE, "OPS", 7, 17]],
        root=DEVICE,
        awaits=None,
        out_since={DEVICE: 18},
        echoes={DEVICE: OpRef(Origin(DEVICE, b"12345678"), 19, b"short id")},
    )
    assert Meta.read(meta.rows()) == meta
    assert Meta.read(meta.rows()).rows() == meta.rows()


def test_a_new_store_says_that_nothing_has_been() -> None:
    new = Meta.read({})
    assert (new.origin, new.own_feed, new.position, new.totals) == (None, None, 0, Totals())
    assert (new.contacts, new.past, new.opened, new.incidents, new.evidence, new.vouched) == (
        {},
        {},
        None,
        [],
        {},
        [],
    )
