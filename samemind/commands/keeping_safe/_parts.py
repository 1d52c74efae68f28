"""What several commands of this family return and show."""

from dataclasses import dataclass

from samemind.formats.rendering import Document, counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Ciphered:
    """Whether the store is encrypted now. `passphrase`: one that was made for the keychain, told this once."""

    path: str
    encrypted: bool
    passphrase: str | None


def backed_up(document: Document) -> list[str]:
    memories, ops = counted(document["memories"], "memory", "memories"), counted(document["ops"], "op")
    return [f"{memories}, {ops} in {document['path']}"]


def ciphered(document: Document) -> list[str]:
    lines = [f"{document['path']} is {'encrypted' if document['encrypted'] else 'plain'}"]
    if document["passphrase"] is not None:
        lines += ["its passphrase, which opens it and its backups where this keychain is not:"]
        lines += [document["passphrase"]]
    return lines
