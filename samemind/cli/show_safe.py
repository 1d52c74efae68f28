"""Show what backing up, restoring and encrypting came to, as lines for people."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from samemind.rendering import counted

Document = Mapping[str, Any]


def _backed_up(document: Document) -> list[str]:
    memories, ops = counted(document["memories"], "memory", "memories"), counted(document["ops"], "op")
    return [f"{memories}, {ops} in {document['path']}"]


def _restored(document: Document) -> list[str]:
    lines = _backed_up(document)
    return lines + ([f"what was there is kept in {document['before']}"] if document["before"] else [])


def _ciphered(document: Document) -> list[str]:
    lines = [f"{document['path']} is {'encrypted' if document['encrypted'] else 'plain'}"]
    if document["passphrase"] is not None:
        lines += ["its passphrase, which opens it and its backups where this keychain is not:"]
        lines += [document["passphrase"]]
    return lines


SHOWN: Final[Mapping[str, Callable[[Document], list[str]]]] = {
    "backup": _backed_up,
    "restore": _restored,
    "encrypt": _ciphered,
    "decrypt": _ciphered,
}
