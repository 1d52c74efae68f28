"""Pair with a device over a WebSocket: what arrived goes in, what is to be sent comes out.

A module of its own, since a device pairs once and what only pairing takes would be loaded at each start.
"""

from replica.membership import introduce
from samemind.phone.host import Phone
from sync.code import Entropy, PairingCode
from sync.identity import certificate_key
from sync.pairing import Introduction, Joiner, PairingResult
from sync.web_hello import pairing_context


class Pairing:
    """One try at a code that another device shows, at an origin. An error ends it, and says what to do."""

    def __init__(
        self, phone: Phone, code: str, *, expected: bytes | None, name: str, origin: str, entropy: Entropy
    ) -> None:
        """`InvalidCode` for what is no code. `expected`: the fingerprint of who shows it, where a picture told it."""
        self._phone = phone
        self._expected = expected
        self._code = PairingCode.parse(code)
        self._introduction = Introduction(name)
        self._context = pairing_context(origin)
        self._entropy = entropy
        self._joiner: Joiner | None = None

    @property
    def paired(self) -> PairingResult | None:
        """Return who was paired with, once it was."""
        return None if self._joiner is None else self._joiner.paired

    def receive(self, message: bytes) -> list[bytes]:
        """Take one message, of which the first is the certificate of who shows the code; return what to send."""
        if self._joiner is None:
            self._joiner = Joiner(
                self._code,
                certificate=self._phone.identity.certificate,
                offerer=message,
                introduction=self._introduction,
                entropy=self._entropy,
                expected=self._expected,
                revoked=self._phone.core.membership.revoked,
                context=self._context,
                sign=self._phone.identity.sign,
            )
            return [self._joiner.start()]
        answers = self._joiner.receive(message)
        if self._joiner.paired is not None:
            self._take_in(self._joiner.paired)
        return answers

    def _take_in(self, paired: PairingResult) -> None:
        core, identity, member = self._phone.core, self._phone.identity, paired.member
        core.expect_root(member.device_id, None)  # who shows the code founds the group, or says who did
        core.learn(
            [
                introduce(
                    identity.sign,
                    core.device,
                    public_key=certificate_key(member.certificate),
                    certificate=member.certificate,
                    name=member.name,
                )
            ],
            [],
        )
