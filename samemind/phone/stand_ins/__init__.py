"""Put libraries of JavaScript behind the names of those that no browser can load.

What stands in has just the calls that `replica.keys`, `replica.state.text`, `sync.carrier.sealing` and the pairing
library make. Zones of time, which a system has elsewhere, come with the page.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from samemind.phone.stand_ins import boxes, documents, keys

# `tzdata`, packed beside the packages by tests/support/phone_wheel.py.
_ZONES: Final = Path(__file__).parents[3] / "zones.zip"


def install() -> None:
    """Let `cryptography`, `nacl`, `pycrdt` and `tzdata` be found; to be called before anything imports them."""
    sys.path.append(str(_ZONES))
    _put(
        {
            "cryptography.exceptions": {
                "InvalidSignature": keys.InvalidSignature,
                "InvalidTag": keys.InvalidTag,
            },
            "cryptography.hazmat.primitives.asymmetric.ed25519": {
                "Ed25519PrivateKey": keys.Ed25519PrivateKey,
                "Ed25519PublicKey": keys.Ed25519PublicKey,
            },
            "cryptography.hazmat.primitives.asymmetric.x25519": {
                "X25519PrivateKey": keys.X25519PrivateKey,
                "X25519PublicKey": keys.X25519PublicKey,
            },
            "cryptography.hazmat.primitives.ciphers.aead": {"ChaCha20Poly1305": keys.ChaCha20Poly1305},
            "cryptography.hazmat.primitives.hashes": {"SHA256": keys.SHA256},
            "cryptography.hazmat.primitives.kdf.hkdf": {"HKDF": keys.HKDF},
            "nacl.exceptions": {"CryptoError": boxes.CryptoError},
            "nacl.public": {
                "Box": boxes.Box,
                "PrivateKey": boxes.PrivateKey,
                "PublicKey": boxes.PublicKey,
                "SealedBox": boxes.SealedBox,
            },
            "nacl.signing": {"SigningKey": boxes.SigningKey, "VerifyKey": boxes.VerifyKey},
            "pycrdt": {"Doc": documents.Doc, "Text": documents.Text},
        }
    )


def _put(modules: Mapping[str, Mapping[str, Any]]) -> None:
    for name, holds in modules.items():
        parent = None
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            module = sys.modules.setdefault(".".join(parts[:end]), ModuleType(".".join(parts[:end])))
            module.__path__ = []  # a package: others may be looked for in it, and are not found
            if parent is not None:
                setattr(parent, parts[end - 1], module)
            parent = module
        vars(parent).update(holds)
