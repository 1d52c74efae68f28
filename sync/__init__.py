"""How two replicas meet and come to agree.

Devices are paired once (`offer`, `join`), find each other (`MdnsFinder`, `FixedFinder`, `Roster`), open a link
that only members can open (`secure`, `Trust`), and hold one conversation over it until neither owes the
other anything. A `Syncer` does all of it for as long as it is open; `sync_once` does it once.
"""

from sync.address import Address
from sync.code import Invitation, PairingCode
from sync.discovery.finder import Finder, News, Service, Sighting, Vanished
from sync.discovery.fixed import FixedFinder
from sync.discovery.mdns import MdnsFinder
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
from sync.identity import IDENTITY_FILE, Identity, certificate_key, device_id_of, fingerprint, shared_words
from sync.meeting import CodeOffered, Partner, Refusal
from sync.once import sync_once
from sync.pairing import Introduction, Paired
from sync.pairing_link import CodeShown, JoinerTurnedAway, OfferNews, join, offer
from sync.peers import fix_address, rename
from sync.reports import PeerState, SyncReport
from sync.roster import Contact, Rival, Roster, Standing, rival
from sync.syncer import Syncer, open_syncer
from sync.tls import SecureStream, secure
from sync.trust import Member, Trust

__all__ = [
    "IDENTITY_FILE",
    "Address",
    "CodeExpired",
    "CodeOffered",
    "CodeShown",
    "Contact",
    "Finder",
    "FixedFinder",
    "Identity",
    "Introduction",
    "InvalidCode",
    "Invitation",
    "JoinerTurnedAway",
    "LimitExceeded",
    "LinkLost",
    "LocalProtocolError",
    "MdnsFinder",
    "Member",
    "News",
    "OfferNews",
    "Paired",
    "PairingClosed",
    "PairingCode",
    "PairingFailed",
    "Partner",
    "PeerState",
    "Refusal",
    "RemoteProtocolError",
    "Rival",
    "Roster",
    "SecureStream",
    "SelfLink",
    "Service",
    "Sighting",
    "Standing",
    "SyncError",
    "SyncReport",
    "Syncer",
    "Trust",
    "Untrusted",
    "Vanished",
    "WrongCode",
    "certificate_key",
    "device_id_of",
    "fingerprint",
    "fix_address",
    "join",
    "offer",
    "open_syncer",
    "rename",
    "rival",
    "secure",
    "shared_words",
    "sync_once",
]
