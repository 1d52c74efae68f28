"""Wrong rules of what one device hands to another, takes from it and remembers: what `simulations.bugs` plants.

Each returns what to swap in the product for the length of a run, as in `simulations.mistakes.in_folding`.
"""

from collections.abc import Container, Sequence
from typing import Any

import replica.admission
import replica.core
import sync.carrier.shelf
from replica.admission import AdmissionRefusal, Allows, WholeId
from replica.chains import Chains
from replica.core import Core, Taken
from replica.feeds import Feeds
from replica.frame import Frame
from replica.ids import DeviceId, OpRef, Origin
from replica.membership import Membership
from replica.outbox import Outbox
from replica.state.register import Dot, Vector
from simulations.patching import Swap
from simulations.world import World
from sync.exchange import Exchange


def hlc_order(world: World) -> Sequence[Swap]:
    """Oldest stamp first, each feed on its own: what an op has seen may come later."""
    right, first_missing = Core.take, replica.admission._first_missing

    def take(self: Core, frame: Frame, now_ms: int) -> Taken:
        taken, refusals = 0, list[AdmissionRefusal]()
        starts = {at: op.hlc for op, at in reversed(list(zip(frame.ops, frame.segment_of, strict=True)))}
        for at in sorted(starts, key=lambda at: starts[at]):
            ops = tuple(op for op, of in zip(frame.ops, frame.segment_of, strict=True) if of == at)
            part = right(self, Frame((frame.segments[at],), ops, (0,) * len(ops)), now_ms)
            taken += part.ops
            refusals += part.refusals
        return Taken(taken, tuple(refusals))

    def only_prev(
        frame: Frame, taken: set[int], feeds: Chains, whole_id: WholeId, allows: Allows
    ) -> tuple[int, AdmissionRefusal] | None:
        unseen = frame._replace(ops=tuple(op._replace(seen=()) for op in frame.ops))
        return first_missing(unseen, taken, feeds, whole_id, allows)

    return [(Core, "take", take), (replica.admission, "_first_missing", only_prev)]


def no_hash(world: World) -> Sequence[Swap]:
    def locate(self: Feeds, place: OpRef) -> Dot | None:
        for feed in self.of(place.origin):
            if feed.fork < place.seq <= feed.seq:
                return Dot(feed.no, place.seq, self.id8(feed.no, place.seq))
        return None

    return [(Feeds, "locate", locate)]


class _Everything:
    def __contains__(self, item: object) -> bool:
        return True


def no_proof(world: World) -> Sequence[Swap]:
    right = replica.admission.admit

    def admit(*args: Any, **options: Any) -> Any:
        return right(*args, **(options | {"erased": _Everything()}))

    return [(replica.core, "admit", admit)]


def cut(world: World) -> Sequence[Swap]:
    right = Membership.public_key

    def public_key(self: Membership, device: DeviceId) -> bytes | None:
        return None if device in self.revoked else right(self, device)

    return [(Membership, "public_key", public_key)]


def no_incarnation(world: World) -> Sequence[Swap]:
    return [(Core, "heard_of_myself", lambda self, *_: False)]


def unsigned(world: World) -> Sequence[Swap]:
    right = replica.admission.admit

    def admit(*args: Any, **options: Any) -> Any:
        return right(*args, **(options | {"verify": lambda *_: True}))

    return [(replica.core, "admit", admit)]


def not_durable(world: World) -> Sequence[Swap]:
    world.disks_forget = True
    return []


def never_caught_up(world: World) -> Sequence[Swap]:
    return [(Exchange, "_say_caught_up", lambda self: None)]


def sends_all(world: World) -> Sequence[Swap]:
    right = Outbox.__init__

    def begin(self: Outbox, known: Vector, pos: int = 0, parted: Container[Origin] = ()) -> None:
        right(self, {}, pos, parted)

    return [(Outbox, "__init__", begin)]


def vector_forgets(world: World) -> Sequence[Swap]:
    right = Chains.see

    def see(self: Chains, vector: Vector, places: Any) -> None:
        right(self, vector, list(places)[1:])

    return [(Chains, "see", see)]


def any_file(world: World) -> Sequence[Swap]:
    """Also one that a newcomer cannot open, or whose maker did not know what was erased."""
    return [(sync.carrier.shelf, "_is_good", lambda core, filed, readers, known: True)]
