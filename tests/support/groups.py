"""Groups with a root, as pairing makes them: who shows the code founds, and newcomers take the root from their host."""

from replica.core import Core
from replica.membership import name_root, revoking
from tests.support.exchanges import NOW_MS, ExchangePair, introduced_by
from tests.support.links import identity
from tests.support.replicas import core_of

__all__ = ["founded", "hear", "join", "put_out"]


def founded(*names: str) -> list[Core]:
    """Devices of one group, all paired with the first, which founded it, and in touch with it."""
    cores = [core_of(name) for name in names]
    for core, name in zip(cores[1:], names[1:], strict=True):
        join(cores[0], names[0], core, name)
    for core in cores[1:]:
        ExchangePair(cores[0], core).settle()
    return cores


def join(host: Core, host_name: str, guest: Core, guest_name: str) -> None:
    """Pair two devices, as both programs do, and let them talk."""
    pair(host, host_name, guest, guest_name)
    ExchangePair(host, guest).settle()


def pair(host: Core, host_name: str, guest: Core, guest_name: str) -> None:
    """Pair two devices, as both programs do, and cut them off before they talk."""
    who, other = identity(host_name), identity(guest_name)
    own = name_root(who.sign, who.device_id, public_key=who.public_key, name=host_name)
    host.expect_root(guest.device, own)
    host.learn([introduced_by(who, other, guest_name)], [])
    guest.expect_root(host.device, None)
    guest.learn([introduced_by(other, who, host_name)], [])


def put_out(core: Core, name: str, *targets: str, undo: bool = False) -> None:
    """Let a device revoke others, as the program does."""
    who = identity(name)
    devices = [identity(each).device_id for each in targets]
    core.learn(*revoking(core.membership, who.sign, who.device_id, devices, undo=undo))


def hear(core: Core, teller: Core) -> None:
    """Let a device hear all acts that another knows, over whatever link."""
    core.learn(teller.membership.told(), teller.membership.revocations, by=teller.device, now_ms=NOW_MS)
