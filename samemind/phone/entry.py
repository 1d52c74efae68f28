"""What a page's worker calls: names and JSON in, JSON out, and bytes for what crosses a WebSocket.

An error becomes `{"error": its name, "message": what it says}`; the page shows the message.
"""

import json
import secrets
from collections.abc import Callable
from importlib import import_module
from math import inf
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Final

from replica.errors import ReplicaError
from replica.keys import Ed25519PrivateKey
from samemind.phone.bridge import given, listed
from samemind.phone.host import LooksSecret, Phone
from samemind.phone.link import MailboxHearing, PhoneLink
from sync.errors import SyncError
from sync.identity import Identity

if TYPE_CHECKING:
    from samemind.phone.mail import PhoneMail
    from samemind.phone.pairing import Pairing

# What is somebody's fault and has something to say; all else is a bug, and is shown as one.
_TOLD: Final = (ReplicaError, SyncError, LooksSecret, ValueError)


class OpenedDevice:
    """One opened device."""

    def __init__(self, path: str, seed: Any, name: str, now_ms: float) -> None:
        """`seed`: the 32 bytes of the device's key, as JavaScript holds them."""
        identity = Identity.of(Ed25519PrivateKey.from_private_bytes(seed.to_bytes()))
        self._name = name
        self._phone = Phone.open(path, identity, name=name, random=SystemRandom(), now_ms=int(now_ms))
        self._link: PhoneLink | None = None
        self._pairing: Pairing | None = None
        self._hearing: MailboxHearing | None = None
        self._mail: PhoneMail | None = None
        phone = self._phone
        self._verbs: dict[str, Callable[..., Any]] = {
            "remember": phone.remember,
            "edit": phone.edit,
            "forget": phone.forget,
            "done": phone.done,
            "not_done": phone.not_done,
            "ask": phone.ask,
            "recent": phone.recent,
            "known": phone.known,
            "due": phone.due,
            "questions": phone.questions,
            "settle": phone.settle,
            "merge": phone.merge,
            "reopen": phone.reopen,
            "snooze": phone.snooze,
            "devices": phone.devices,
            "status": phone.status,
            "digests": phone.digests,
        }

    def call(self, verb: str, options: str) -> str:
        """Run a verb; `options` is a JSON object."""
        return self._answered(lambda: self._verbs[verb](**json.loads(options)))

    def is_behind(self) -> bool:
        """Whether `read` has something to do."""
        return self._phone.is_behind

    def read(self, now_ms: float) -> bool:
        """Read some of what was told; say whether there may be more."""
        return self._phone.read(now_ms=int(now_ms))

    def rest(self) -> None:
        """Do what is better done while nobody asks for anything."""
        self._phone.rest()

    # -- the WebSocket ---------------------------------------------------------------------------------------

    def link_start(self, origin: str, protocol: str) -> Any:
        """Begin a link; return what to send. `protocol`: of those that were offered, the one that is spoken."""
        self.link_end()
        self._link = PhoneLink(self._phone, origin=origin, entropy=secrets.token_bytes, protocol=protocol)
        return _sent([self._link.start()])

    def link_receive(self, message: Any, now_ms: float) -> Any:
        """Take a message of the link; return what to send."""
        return _sent([] if self._link is None else self._link.receive(message.to_bytes(), int(now_ms)))

    def link_more(self, now_ms: float) -> Any:
        """Return what there is to say on the link by now."""
        return _sent([] if self._link is None else self._link.more(int(now_ms)))

    def link_ask(self, now_ms: float) -> Any:
        """Return what asks the peer whether it is there."""
        return _sent([] if self._link is None else self._link.ask(int(now_ms)))

    def link_question(self, question: str, limit: int, now_ms: float) -> Any:
        """Return what asks the peer to find something; nothing where it takes no question now."""
        return _sent([] if self._link is None else self._link.question(question, limit, int(now_ms)))

    def link_found(self, question: str, limit: int, now_ms: float) -> str:
        """Return what shows for a question that the peer has answered, as `hits`, null where it has not; as JSON.

        No hits, where it could not tell, or named nothing that is here: then what was found without it stands.
        """
        rids = None if self._link is None else self._link.found()
        if rids is None:
            return "null"
        return self._answered(
            lambda: {"hits": self._phone.answered(question, rids, limit=limit, now_ms=int(now_ms))}
        )

    def link_leave(self, now_ms: float) -> Any:
        """Return a goodbye."""
        return _sent([] if self._link is None else self._link.leave(int(now_ms)))

    def link_state(self, now_ms: float) -> str:
        """Return how the link stands, as JSON."""
        return json.dumps(None if self._link is None else self._link.state(int(now_ms)))

    def link_end(self) -> None:
        """Forget the link: its WebSocket is gone."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def pair_start(self, code: str, origin: str, expected: str) -> str:
        """Begin to pair with who shows this code; what it says is heard first. `expected`: its fingerprint, if told."""
        pairing = import_module("samemind.phone.pairing")  # here: a device pairs once

        def begin() -> None:
            self._pairing = pairing.Pairing(
                self._phone,
                code,
                expected=bytes.fromhex(expected) or None,
                name=self._name,
                origin=origin,
                entropy=secrets.token_bytes,
            )

        return self._answered(begin)

    def pair_receive(self, message: Any) -> Any:
        """Take a message of the pairing; return what to send."""
        assert self._pairing is not None, "it was begun before the WebSocket was opened"
        return _sent(self._pairing.receive(message.to_bytes()))

    def pair_state(self) -> str:
        """Return the words to compare and the other's name once the two are paired, null before; as JSON."""
        paired = None if self._pairing is None else self._pairing.paired
        return json.dumps(
            None if paired is None else {"words": list(paired.words), "name": paired.member.name}
        )

    # -- mailboxes -------------------------------------------------------------------------------------------

    def hear_start(self, origin: str) -> Any:
        """Begin to ask a paired device which mailboxes there are; return what to send."""
        self._hearing = MailboxHearing(self._phone, origin=origin, entropy=secrets.token_bytes)
        return _sent([self._hearing.start()])

    def hear_receive(self, message: Any) -> Any:
        """Take a message of that; return what to send."""
        assert self._hearing is not None, "it was begun before the WebSocket was opened"
        return _sent(self._hearing.receive(message.to_bytes()))

    def hear_told(self) -> str | None:
        """Return what was told, once all of it was."""
        return None if self._hearing is None else self._hearing.told

    def mail_use(self, told: str) -> str:
        """Use the mailboxes that were told of, and no others; an error leaves those that there were."""
        # Here: most phones have none, and what all starts go on from would outgrow what an interpreter begins with.
        mail = import_module("samemind.phone.mail")

        def use() -> None:
            mailboxes = mail.read_told(told)
            if self._mail is None:
                self._mail = mail.PhoneMail(self._phone, SystemRandom())
            self._mail.use(mailboxes)

        return self._answered(use)

    def mail_states(self) -> str:
        """Return how it stands with each mailbox, as JSON."""
        return json.dumps([] if self._mail is None else self._mail.states())

    def mail_wait(self, steady: float) -> float:
        """Return for how many seconds nothing is to be done."""
        return inf if self._mail is None else self._mail.wait_s(steady)

    def mail_poke(self, steady: float) -> None:
        """Let it look soon."""
        if self._mail is not None:
            self._mail.poke(steady)

    def mail_rung(self, name: str, steady: float) -> None:
        """Hear that something may have come to a mailbox."""
        if self._mail is not None:
            self._mail.rung(name, steady)

    def mail_begin(self, now_ms: float, steady: float) -> int | None:
        """Begin to look into the mailbox that is due, if one is; return the number of the look."""
        return None if self._mail is None else self._mail.begin(int(now_ms), steady)

    def mail_drop(self, look: int) -> None:
        """Give up a look that is under way."""
        if self._mail is not None:
            self._mail.drop(look)

    def mail_looking(self, look: int) -> str | None:
        """Return which mailbox is looked into."""
        return None if self._mail is None else self._mail.looking(look)

    def mail_position(self) -> int:
        """Return how long the log is, to compare it after a look."""
        return self._phone.core.position

    def mail_step(self, look: int) -> str:
        """Return what a look wants done next, as JSON; null when it is over."""
        return "null" if self._mail is None else self._mail.step_told(look)

    def mail_body(self, look: int) -> Any:
        """Return the bytes that go with it."""
        return given(b"" if self._mail is None else self._mail.step_body(look))

    def mail_answered(self, look: int, told: str, body: Any, now_ms: float, steady: float) -> None:
        """Hear what came of it; `told` is JSON."""
        if self._mail is not None:
            self._mail.heard(look, json.loads(told), body.to_bytes(), int(now_ms), steady)

    def mail_server(self, name: str) -> str:
        """Return where the NATS server of a mailbox is, and as whom to sign in, as JSON."""
        assert self._mail is not None, "it is being looked into"
        return json.dumps(self._mail.server(name))

    def mail_signed(self, name: str, nonce: str) -> str:
        """Return what proves to that server that the key is here."""
        assert self._mail is not None, "it is being looked into"
        return self._mail.signed(name, nonce)

    def member_keys(self) -> str:
        """Return the public keys of the members by device, in hexadecimal digits: who may sign a new page."""
        group = self._phone.core.membership
        return json.dumps(
            {
                device.hex(): group.members[device].public_key.hex()
                for device in group.standing
                if device != self._phone.core.device
            }
        )

    @staticmethod
    def _answered(run: Callable[[], Any]) -> str:
        try:
            return json.dumps(run())
        except _TOLD as error:
            return json.dumps({"error": type(error).__name__, "message": str(error)})


def _sent(messages: list[bytes]) -> Any:
    return listed([given(message) for message in messages])
