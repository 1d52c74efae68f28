"""In the end a mailbox is whole and at rest, however it was treated: a newcomer reads everything from it alone.

Asked last, and only where devices met by files: all look into the mailbox, which is honest by now, until nobody has
anything to do there. Then it holds for whoever is paired with one of them all that they agree on, and no words that
were erased.

Of two copies of one device that follow different founders, only one looks. Each would state its group in the name of
both, take what the other states for an old word of its own, and remove it. The product does so ever more seldom
(`sync.mailbox.pace`), and `doctor` tells that the device is there twice.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from replica.ids import DeviceId
from simulations.carrying import identity_of, look
from simulations.checkers.erasure import erased_words, holds
from simulations.clock import DAY_MS, HOUR_MS
from simulations.device import Device, Key
from simulations.household import Checker, Household
from simulations.mailboxes import told_by

# After the last fault a device may wait a day before it reads again what it could not read.
_ROUNDS_MAX: Final = 14


class Mailbox(Checker):
    """Let all look until they are at rest, and then somebody who has nothing."""

    name = "mailbox"

    def settled(self, world: Household, groups: Sequence[Sequence[Device]]) -> None:
        """Look at the largest group, of those in it that know of no reason why they would be out."""
        if "visit" not in world.options.plan:
            return
        group = max((_without_rivals([each for each in group if _is_in(each)]) for group in groups), key=len)
        if not group:
            return
        random = Random(f"{world.options.seed} newcomer")
        world.box.heal()
        self._rest(world, group, random)
        newcomer = world.new_device("newcomer", Key.draw(random), random)
        newcomer.upgraded = True
        newcomer.start(world.now_ms)
        world.pair(group[0], newcomer)
        self._rest(world, [*group, newcomer], random)
        read, held = newcomer.core.digests(), group[0].core.digests()
        if read != held:
            found = f"{read.state.hex()[:8]}, not {held.state.hex()[:8]}"
            world.violate(self.name, f"a newcomer reads {found}")
        words = erased_words(world, {bytes(rid) for rid in group[0].core.erased})
        for name, data in world.box.files.items():
            told = b"".join(told_by(identity_of(newcomer.key.private), data))
            for word in sorted(word for word in words if holds(told, word)):
                world.violate(self.name, f"{word!r} was erased and is in {name}")

    def _rest(self, world: Household, group: Sequence[Device], random: Random) -> None:
        for _ in range(_ROUNDS_MAX):
            world.now_ms += DAY_MS + HOUR_MS
            before = dict(world.box.files)
            looks = [look(world, device, random) for device in group for _ in range(3)]
            if before == world.box.files and all(
                each and not each.taken and not each.again for each in looks
            ):
                return
        world.violate(self.name, f"does not come to rest in {_ROUNDS_MAX} days")


def _is_in(device: Device) -> bool:
    """Whether a device belongs to its group by its own word: one that is out writes no files."""
    return device.key.device in device.core.membership.standing


def _without_rivals(group: Sequence[Device]) -> list[Device]:
    """Leave out each copy of a device that follows another founder than the first one does."""
    roots: dict[DeviceId, DeviceId | None] = {}
    return [
        each
        for each in group
        if roots.setdefault(each.key.device, each.core.membership.root) == each.core.membership.root
    ]
