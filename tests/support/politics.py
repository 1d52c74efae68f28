"""A group in which members turn bad, and what must hold whatever they do: the laws that `replica.membership` obeys.

`verdict` is the rule as a person would apply it with a list of acts and a pencil: it looks at all of them again for
each device that it takes in. `World` lets devices pair, meet, revoke each other and turn bad. A bad one signs whatever
it likes, before or after it was revoked, and hands any part of all that was ever signed to anybody; bad devices share
their keys. Honest devices only ever use what the program uses: `Membership.told`, `news`, `add` and `revoking`.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replica import membership
from replica.ids import DeviceId, device_id
from replica.membership import (
    IntroducedMember,
    Membership,
    Revocation,
    introduce,
    name_root,
    names_root,
    revoke,
)

DEVICES_MAX: Final = 9
BAD_MAX: Final = 2
# Enough for news to cross a chain of all devices, one meeting after the other.
ROUNDS_MAX: Final = 40


class Broken(AssertionError):
    """What must hold does not."""


@dataclass(frozen=True)
class Verdict:
    """Who belongs to the group, who revoked whom so that it counts, and all in the order of seniority."""

    standing: frozenset[DeviceId]
    revoked: frozenset[tuple[DeviceId, DeviceId]]
    line: tuple[DeviceId, ...]


def verdict(
    root: DeviceId, members: Iterable[IntroducedMember], revocations: Iterable[Revocation]
) -> Verdict:
    """Decide by pencil: find the eldest who has not been taken in, ask whether an elder revoked it, and begin again."""
    introductions = {each for each in members if not names_root(each)}
    out = {(each.by, each.device) for each in revocations if each.by != each.device}
    line, distance = [root], {root: 0}
    while True:
        heard: list[DeviceId] = []
        for device in line:
            if not any((elder, device) in out for elder in heard):
                heard.append(device)
        claims = [
            (distance[each.introduced_by] + 1, hashlib.sha256(each.signature).digest(), each.device)
            for each in introductions
            if each.introduced_by in heard and each.device not in line
        ]
        if not claims:
            break
        steps, _, device = min(claims)
        line.append(device)
        distance[device] = steps
    revoked = frozenset((by, device) for by, device in out if by in heard)
    return Verdict(frozenset(line) - {device for _, device in revoked}, revoked, tuple(line))


class Person:
    """One device, honest until it turns."""

    keys: Final[dict[str, Ed25519PrivateKey]] = {}

    def __init__(self, name: str) -> None:
        self.name = name
        seed = hashlib.sha256(name.encode()).digest()
        self.key = self.keys.setdefault(name, Ed25519PrivateKey.from_private_bytes(seed))
        self.public = self.key.public_key().public_bytes_raw()
        self.id = device_id(self.public)
        self.knows = Membership([self.introduces(self)])
        self.is_bad = False

    def introduces(self, other: "Person", name: str | None = None) -> IntroducedMember:
        """Sign an introduction; by another name it is another one of the same two."""
        name = name or other.name
        return introduce(self.key.sign, self.id, public_key=other.public, certificate=b"-", name=name)

    def revokes(self, other: DeviceId) -> Revocation:
        """Sign a revocation."""
        return revoke(self.key.sign, self.id, other)

    def names_root(self, other: "Person") -> IntroducedMember:
        """Sign who the root is."""
        return name_root(self.key.sign, self.id, public_key=other.public, name=other.name)

    def learns(
        self,
        members: Iterable[IntroducedMember],
        revocations: Iterable[Revocation],
        by: DeviceId | None = None,
    ) -> None:
        """Hear of acts, as the core does."""
        self.knows.add(*self.knows.news(members, revocations, own=self.id, by=by))

    def admits(self, other: DeviceId) -> bool:
        """Whether it talks to a device."""
        return other in self.knows.standing

    def acts(self) -> frozenset[IntroducedMember | Revocation]:
        """All that it knows and tells."""
        return frozenset({*self.knows.told(), *self.knows.revocations})


@dataclass
class World:
    """A group, from a seed."""

    seed: int
    random: Random = field(init=False)
    people: list[Person] = field(default_factory=list)
    bad: list[Person] = field(default_factory=list)
    forged: list[IntroducedMember | Revocation] = field(default_factory=list)
    """What bad devices signed, and hand out as it suits them."""
    heard: set[IntroducedMember | Revocation] = field(default_factory=set)
    """What came to a bad device's ears, to be told again in part."""
    code: Person | None = None
    """The recovery key, on paper."""

    def __post_init__(self) -> None:
        self.random = Random(f"politics {self.seed}")
        first = self._new("root")
        first.learns([first.names_root(first)], [])
        first.knows.add([first.names_root(first)], [])

    # -- what happens ----------------------------------------------------------------------------------------

    def run(self, steps: int) -> None:
        """Let this many things happen."""
        print_code = self.random.random() < 0.5
        for step in range(steps):
            if print_code and step == 3:
                self._prints_code()
            what = self.random.random()
            if what < 0.2 and len(self.people) < DEVICES_MAX:
                self._pairs()
            elif what < 0.5:
                self.meet(*self._two())
            elif what < 0.58:
                self._revokes_somebody()
            elif what < 0.63 and len(self.bad) < BAD_MAX and len(self.people) > 2:
                self._turns()
            elif self.bad:
                self.harm()

    def honest(self) -> list[Person]:
        """Whoever has not turned."""
        return [each for each in self.people if not each.is_bad]

    def meet(self, caller: Person, answers: Person) -> None:
        """Let one call another: who answers hears out a member that was revoked, and tells it nothing but that."""
        if answers.id not in caller.knows.standing or caller.id not in answers.knows.members:
            return
        answers.learns(caller.knows.told(), caller.knows.revocations, by=caller.id)
        if answers.admits(caller.id):
            caller.learns(answers.knows.told(), answers.knows.revocations, by=answers.id)
        else:
            caller.learns([], [each for each in answers.knows.revocations if each.device == caller.id])

    def settle(self) -> None:
        """Let all honest devices meet until nobody has news."""
        for _ in range(ROUNDS_MAX):
            before = [each.knows.size for each in self.people]
            for one in self.honest():
                for other in self.honest():
                    if one is not other:
                        self.meet(one, other)
            if before == [each.knows.size for each in self.people]:
                return
        raise Broken("devices that meet again and again still have news")

    def harm(self) -> None:
        """Let bad devices sign something, and hand some of what they have to somebody, or to all."""
        for _ in range(self.random.randint(1, 3)):
            self._signs()
        everything = [*self.forged, *sorted(self.heard, key=lambda each: each.signature)]
        part = self.random.sample(everything, self.random.randint(1, len(everything)))
        victims = self.honest() if self.random.random() < 0.3 else [self.random.choice(self.honest())]
        for victim in victims:
            self._hand(victim, part)

    def _signs(self) -> None:
        signer, what = self.random.choice(self.bad), self.random.random()
        if what < 0.35:
            sybil = Person(f"sybil {self.seed} {len(self.bad)} {self.random.random()}")
            sybil.is_bad = True
            self.bad.append(sybil)
            self.forged.append(signer.introduces(sybil))
        elif what < 0.5:
            again = f"called {self.random.random()}" if self.random.random() < 0.5 else None
            other = self.random.choice([*self.people, *self.bad])
            self.forged.append(signer.introduces(other, again))
        elif what < 0.6:
            self.forged += [signer.names_root(signer), self.random.choice(self.bad).names_root(signer)]
        else:
            self.forged.append(signer.revokes(self.random.choice([*self.people, *self.bad]).id))

    def _hand(self, victim: Person, acts: Iterable[IntroducedMember | Revocation]) -> None:
        teller = self.random.choice(self.bad).id
        members = [each for each in acts if isinstance(each, IntroducedMember)]
        victim.learns(members, [each for each in acts if isinstance(each, Revocation)], by=teller)

    def _two(self) -> list[Person]:
        one, other = self.random.sample(self.people, 2) if len(self.people) > 1 else self.people * 2
        for each, to in ((one, other), (other, one)):
            if each.is_bad:
                self.heard |= to.acts()
        return [one, other] if not one.is_bad and not other.is_bad else [self.people[0]] * 2

    def _new(self, name: str) -> Person:
        person = Person(f"{name} {self.seed % 50}")
        self.people.append(person)
        return person

    def _pairs(self) -> None:
        hosts = [each for each in self.honest() if each.admits(each.id)]
        if hosts:
            host, guest = self.random.choice(hosts), self._new(f"device {len(self.people)}")
            guest.knows.awaits = host.id
            guest.learns([guest.introduces(host)], [])
            host.learns([host.introduces(guest)], [])
            guest.learns(host.knows.told(), host.knows.revocations, by=host.id)
            host.learns(guest.knows.told(), [], by=guest.id)

    def _revokes_somebody(self) -> None:
        by = self.random.choice(self.honest())
        others = sorted(by.knows.standing - {by.id})
        if by.admits(by.id) and others:
            self.put_out(by, by, [self.random.choice(others)])

    def put_out(
        self,
        device: Person,
        by: Person,
        targets: list[DeviceId],
        *,
        undo: bool = False,
        keep: Iterable[DeviceId] = (),
    ) -> None:
        """Let a device revoke others, by its own key or by the one on paper."""
        device.learns(*membership.revoking(device.knows, by.key.sign, by.id, targets, undo=undo, keep=keep))

    def _prints_code(self) -> None:
        first = self.people[0]
        if not first.is_bad and first.admits(first.id):
            self.code = code = Person(f"code {self.seed % 50}")
            first.learns([code.names_root(code), first.names_root(code), code.introduces(first)], [])

    def _turns(self) -> None:
        if len(self.honest()) > 2:
            person = self.random.choice(self.honest())
            person.is_bad = True
            self.bad.append(person)
            self.heard |= person.acts()

    # -- what must hold --------------------------------------------------------------------------------------

    def judge_all(self) -> None:
        """Each device decides as the pencil does, of what it knows."""
        for person in self.people:
            known = person.knows
            if known.root is None:
                raise Broken(f"{person.name} has no root")
            right = verdict(known.root, [*known.members.values(), *known.further], known.revocations)
            if known.standing != right.standing & known.members.keys():
                raise Broken(f"{person.name} decides otherwise than by pencil")
            if known.judgment.line != right.line:
                raise Broken(f"{person.name} finds others elder than by pencil")
            by = {(each, device) for device, all_by in known.judgment.revoked_by.items() for each in all_by}
            if by != right.revoked:
                raise Broken(f"{person.name} finds others revoked than by pencil")

    def agree(self) -> None:
        """Whoever knows the same acts decides the same; and those who stand know the same, after they met."""
        self.settle()
        self.judge_all()
        standing = [each for each in self.honest() if each.admits(each.id)]
        for one in standing:
            for other in standing:
                if one.admits(other.id) and one.acts() == other.acts() and one.knows.root == other.knows.root:
                    if one.knows.standing != other.knows.standing:
                        raise Broken(f"{one.name} and {other.name} know the same and decide otherwise")
                elif one.admits(other.id) and other.admits(one.id):
                    raise Broken(f"{one.name} and {other.name} met, and do not know the same")

    def owner(self) -> Person | None:
        """The eldest device that stands; None where that is a bad one."""
        first = self.people[0]
        line = verdict(
            _root(first), [*first.knows.members.values(), *first.knows.further], first.knows.revocations
        )
        by_id = {each.id: each for each in [*self.people, *self.bad]}
        people = [by_id[each] for each in line.line if each in by_id]
        eldest = people[0]
        return None if eldest.is_bad or not eldest.admits(eldest.id) else eldest

    def owner_prevails(self) -> None:
        """Once the eldest has revoked them, bad devices are out, and nothing that they signed changes anything."""
        self.settle()
        owner = self.owner()
        if owner is None or not self.bad:
            return
        self._prevails(owner, owner)

    def code_prevails(self) -> None:
        """Any device puts everything right with the code, were the founder itself the bad one."""
        self.settle()
        if self.code is None or not self.bad:
            return
        bad = {each.id for each in self.bad}
        decided = {
            each.device for person in self.honest() for each in person.knows.revocations if each.by not in bad
        }
        holders = [
            each for each in self.honest() if each.knows.root == self.code.id and each.id not in decided
        ]
        if holders:
            holder = self.random.choice(holders)
            if not holder.admits(holder.id):
                holder.learns([self.code.introduces(holder)], [])
            wanted = {each.id for each in self.honest()} & holder.knows.members.keys() - decided
            gone = sorted(bad & holder.knows.members.keys())
            self.put_out(holder, self.code, gone, undo=True, keep=wanted)
            self._prevails(holder, self.code)
            missing = (wanted - holder.knows.standing) & self._without_bad(holder).standing
            if missing:
                names = [each.name for each in self.people if each.id in missing]
                raise Broken(f"the code does not bring back {names}")

    def _prevails(self, device: Person, by: Person) -> None:
        bad = {each.id for each in self.bad}
        before, was_out = device.knows.standing - bad, device.knows.revoked
        for _ in range(ROUNDS_MAX):
            heard = {each.device for each in device.knows.revocations if each.by == by.id}
            seen = sorted((bad & device.knows.members.keys()) - heard)
            if not seen:
                break
            self.put_out(device, by, seen)
            self.settle()
        after = device.knows.standing
        if after & bad:
            raise Broken("a bad device stands though the eldest revoked it")
        if not device.admits(device.id):
            raise Broken(f"{device.name} is out by its own hand")
        decided = {each.by for each in device.knows.revocations if each.device in before}
        if lost := {each for each in before - after if not decided - bad}:
            raise Broken(f"{len(lost)} honest devices went with the bad ones")
        if not decided - bad and (back := was_out & after - bad):
            raise Broken(
                f"{len(back)} that were out are back, as the bad one that had revoked them was revoked"
            )
        if any(each.is_bad and each.id not in device.knows.members for each in self.people):
            return  # one that this device has never heard of
        for _ in range(5):
            self.harm()
        for person in self.honest():
            self._hand(person, [*self.forged, *self.heard])
        self.agree()
        bad = {each.id for each in self.bad}
        for person in self.honest():
            if not device.admits(person.id) or not person.admits(device.id):
                continue  # honest ones that revoked each other at once, and cannot meet any more
            if person.knows.root != device.knows.root and self.people[0].is_bad:
                continue  # the founder went bad, and named another root to who had not heard of the first
            if person.knows.root != device.knows.root:
                raise Broken(f"{person.name} follows another root")
            if person.knows.standing & bad:
                raise Broken(f"a revoked device stands, or brought another in, at {person.name}")
            if person.knows.standing != self._without_bad(person).standing & person.knows.members.keys():
                raise Broken(f"what a revoked device signed changes what {person.name} decides")

    def _without_bad(self, person: Person) -> Verdict:
        """What a device would decide if bad ones had never signed anything."""
        bad, known = {each.id for each in self.bad}, person.knows
        members = [
            each for each in (*known.members.values(), *known.further) if each.introduced_by not in bad
        ]
        return verdict(_root(person), members, [each for each in known.revocations if each.by not in bad])


def _root(person: Person) -> DeviceId:
    assert person.knows.root is not None
    return person.knows.root


LAWS: Final[dict[str, Callable[[World], None]]] = {
    "all agree": World.agree,
    "the eldest prevails": World.owner_prevails,
    "the code prevails": World.code_prevails,
}


def check(seed: int, law: str, *, steps: int = 40) -> World:
    """Run one world, and hold it to a law; `Broken` says what does not hold."""
    world = World(seed)
    world.run(steps)
    LAWS[law](world)
    return world
