"""How two replicas meet and come to agree.

Devices are paired once (`sync.pairing_link`), find each other (`sync.discovery`, `sync.roster`), open a link that only
members can open (`sync.tls`, `sync.trust`), and hold one conversation over it until neither owes the other anything. A
`sync.syncer.Syncer` does all of it for as long as it is open; asked for `sync_now`, it says when all is quiet.

What stands here is what a device needs that is not online: whoever only asks its own memory loads no links, no pairing
and no discovery.
"""

from typing import TYPE_CHECKING

from replica.lazily import exports

if TYPE_CHECKING:
    from sync.address import Address
    from sync.errors import (
        CodeExpired,
        InvalidCode,
        LimitExceeded,
        LinkLost,
        LocalProtocolError,
        PairingClosed,
        PairingFailed,
        RemoteProtocolError,
        SelfLink,
        SyncError,
        Untrusted,
        WrongCode,
    )
    from sync.identity import Identity, certificate_key, device_id_of, fingerprint, shared_words

__all__ = [
    "Address",
    "CodeExpired",
    "Identity",
    "InvalidCode",
    "LimitExceeded",
    "LinkLost",
    "LocalProtocolError",
    "PairingClosed",
    "PairingFailed",
    "RemoteProtocolError",
    "SelfLink",
    "SyncError",
    "Untrusted",
    "WrongCode",
    "certificate_key",
    "device_id_of",
    "fingerprint",
    "shared_words",
]

if not TYPE_CHECKING:
    __getattr__ = exports(
        __name__,
        {
            "address": ("Address",),
            "errors": (
                "CodeExpired",
                "InvalidCode",
                "LimitExceeded",
                "LinkLost",
                "LocalProtocolError",
                "PairingClosed",
                "PairingFailed",
                "RemoteProtocolError",
                "SelfLink",
                "SyncError",
                "Untrusted",
                "WrongCode",
            ),
            "identity": ("Identity", "certificate_key", "device_id_of", "fingerprint", "shared_words"),
        },
    )
