"""What a page's worker calls: names and JSON in, JSON out, and bytes for what crosses a WebSocket.

An error becomes `{"error": its name, "message": what it says}`; the page shows the message.
"""

import json
import secrets
from collections.abc import Callable
from random import SystemRandom
from typing import Any, Final

from replica.errors import ReplicaError
from replica.keys import Ed25519PrivateKey
from samemind.phone.bridge import given, listed
from samemind.phone.host import LooksSecret, Phone
from samemind.phone.link import Pairing, PhoneLink
from sync.errors import SyncError
from sync.identity import Identity

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
        phone = self._phone
        self._verbs: dict[str, Callable[..., Any]] = {
            "remember": phone.remember,
            "edit": phone.edit,
            "forget": phone.forget,
            "done": phone.done,
            "ask": phone.ask,
            "recent": phone.recent,
            "due": phone.due,
            "questions": phone.questions,
            "settle": phone.settle,
            "devices": phone.devices,
            "status": phone.status,
            "digests": phone.digests,
        }

    def call(self, verb: str, options: str) -> str:
        """Run a verb; `options` is a JSON object."""
        return self._answered(lambda: self._verbs[verb](**json.loads(options)))

    def has_unread(self) -> bool:
        """Whether `read` has something to do."""
        return self._phone.has_unread

    def read(self, now_ms: float) -> bool:
        """Read some of what was told; say whether there may be more."""
        return self._phone.read(now_ms=int(now_ms))

    def rest(self) -> None:
        """Do what is better done while nobody asks for anything."""
        self._phone.rest()

    # -- the WebSocket ---------------------------------------------------------------------------------------

    def link_start(self, origin: str) -> Any:
        """Begin a link; return what to send."""
        self.link_end()
        self._link = PhoneLink(self._phone, origin=origin, entropy=secrets.token_bytes)
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

    def link_leave(self, now_ms: float) -> Any:
        """Return a goodbye."""
        return _sent([] if self._link is None else self._link.leave(int(now_ms)))

    def link_state(self) -> str:
        """Return how the link stands, as JSON."""
        return json.dumps(None if self._link is None else self._link.state())

    def link_end(self) -> None:
        """Forget the link: its WebSocket is gone."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def pair_start(self, code: str, origin: str, expected: str) -> str:
        """Begin to pair with who shows this code; what it says is heard first. `expected`: its fingerprint, if told."""

        def begin() -> None:
            self._pairing = Pairing(
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
