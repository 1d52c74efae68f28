"""The second reader: what a text is once its edits are in it."""

from collections.abc import Iterable

from pycrdt import Doc, Text

from tests.support.second.frames import sha256


def base_name(rid: bytes, text: str) -> bytes:
    """What edits call the text that an add started with."""
    return sha256(b"samemind text\0" + rid + text.encode())[:8]


def document(rid: bytes, text: str, edits: Iterable[bytes]) -> Doc[Text]:
    """The text of an add with its edits."""
    client = int.from_bytes(sha256(b"samemind client\0" + rid + text.encode())[:7]) & (2**53 - 1)
    base: Doc[Text] = Doc(client_id=client)
    base.get("text", type=Text).insert(0, text)
    whole: Doc[Text] = Doc()
    whole.apply_update(base.get_update())
    for edit in edits:
        whole.apply_update(edit)
    return whole
