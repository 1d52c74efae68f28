"""Spoil what is small and read whole: settings, keys, codes that people type or scan, and questions about vectors.

Each is taken, or refused by the one error that its door knows.
"""

import functools
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Final

from replica import codec
from replica.alongside import TEXT_HASH_BYTES, Wish
from samemind.config import Home, Settings
from samemind.errors import Failed
from sync.address import Address
from sync.code import Invitation, PairingCode
from sync.errors import InvalidCode, RemoteProtocolError, Untrusted
from sync.identity import Identity, fingerprint
from sync.wire.messages import FOUND_MAX, Findings, Grant, Inquiry, Want, decode_message, encode_message
from tests.support.links import identity
from tests.support.mangling import mangled, mangled_bytes, packed

# Letters that look like others, that fold into others, and what is no text.
_LETTERS: Final = ("İ", "ß", "ﬁ", "٣", "\u202e", "\x00", "\ud800", "-", " ", "٠١٢")
_CODE: Final = "417-maple-otter"


def settings(random: Random) -> None:
    """The file of settings, as an editor may leave it."""
    values = {"name": "laptop", "mdns": False, "history_days": 90, "listen": "127.0.0.1:0", "model": "x"}
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()).encode()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        home = Home.at(Path(folder))
        home.settings.write_bytes(mangled_bytes(random, text))
        read = _settings_or_refusal(home)
        if isinstance(read, Failed):
            assert (read.code, read.hint != "") == ("bad_settings", True), read
            return
        read.save(home)
        assert Settings.load(home) == read


def _settings_or_refusal(home: Home) -> Settings | Failed:
    try:
        return Settings.load(home)
    except Failed as error:
        return error


@functools.cache
def _pem() -> bytes:
    return identity("laptop").to_pem()


def identities(random: Random) -> None:
    """A key file: whoever opens the home translates what the readers of keys raise, and these alone."""
    try:
        read = Identity.from_pem(mangled_bytes(random, _pem()))
    except (ValueError, Untrusted):  # as `samemind.device` does
        return
    assert Identity.from_pem(read.to_pem()).device_id == read.device_id


def codes(random: Random) -> None:
    """What is typed, and what a camera reads."""
    text = _CODE
    if random.random() < 0.5:
        printed = fingerprint(identity("laptop").certificate)
        text = str(
            Invitation(
                PairingCode.parse(_CODE), printed, (Address("192.168.1.7", 7411), Address("fe80::1%eth0", 1))
            )
        )
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(text) + 1)
        text = (
            text[:at]
            + random.choice((*_LETTERS, "", str(random.randrange(10**6))))
            + text[at + random.randrange(3) :]
        )
    for reader in (PairingCode.parse, Invitation.parse):
        try:
            read = reader(text)
        except InvalidCode:
            continue
        assert str(reader(str(read))) == str(read)


def questions(random: Random) -> None:
    """What is asked about vectors and memories, and answered: read as it was, or the peer's fault."""
    wishes = tuple(
        Wish(random.randbytes(16), random.randbytes(TEXT_HASH_BYTES)) for _ in range(random.randint(1, 4))
    )
    vectors = tuple(random.choice((None, random.randbytes(8))) for _ in wishes)
    asked = Inquiry("where is it?"[: random.randint(1, 12)], random.randint(1, FOUND_MAX))
    found = Findings(tuple(random.randbytes(16) for _ in range(random.randint(0, 4))))
    for message in (Want(wishes), Grant(vectors), asked, found, Findings(None)):
        data = encode_message(message)
        assert decode_message(data) == message
        spoiled = mangled_bytes(random, data)
        if random.random() < 0.7:
            spoiled = packed(mangled(random, codec.unpack(data)))
        try:
            read = decode_message(spoiled)
        except RemoteProtocolError:
            continue
        assert decode_message(encode_message(read)) == read
