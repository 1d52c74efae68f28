"""What one device knows: ops, the log they are kept in, and the memories they fold to."""

from replica.accesses import access_write
from replica.asyncio_host import AsyncioHost
from replica.codec import WHOLE_AMOUNT
from replica.compaction import compact, outlook
from replica.core import Core, Taken
from replica.errors import (
    CipherMissing,
    ClockDrift,
    InvalidOp,
    NotFound,
    ReplicaError,
    StoreCorrupt,
    StoreFailed,
    StoreNewer,
    TooLarge,
    WrongKey,
)
from replica.fields import FIELDS, MEMORY_TYPES, Value
from replica.folding import Digests
from replica.frontier import Frontier
from replica.ids import (
    DeviceId,
    MemoryId,
    OpId,
    Origin,
    Place,
    derived_memory_id,
    device_id,
    new_memory_id,
    op_uuid,
    parse_memory_id,
    show_memory_id,
)
from replica.membership import Member, Membership, Revocation, introduce, revoke
from replica.oplog import Row, Status
from replica.ops import (
    Access,
    Body,
    Claim,
    Edit,
    Erase,
    Feedback,
    Forget,
    Kind,
    Op,
    Propose,
    Relate,
    Remember,
    Resolve,
    SaysSame,
    Set,
    Tag,
    Trigger,
    Unlink,
    Untag,
    Verdict,
    Withdraw,
    Write,
)
from replica.outside import ops_noted_outside
from replica.purging import ErasureStatus, erasure_status
from replica.replica import Replica, open_replica, wall_clock_ms
from replica.state.memories import HeldTrigger, Memory
from replica.storage.cipher import SALT_BYTES, make_key, recode, salt_of
from replica.storage.claims import ShownClaim, ShownVerdict, read_claims
from replica.storage.links import links_of
from replica.storage.proposals import proposals_of
from replica.storage.settings import read_lessons, read_settings
from replica.storage.shown import DerivedTables, RowChange, content_number
from replica.storage.sql import connect, derived_transaction, open_file, transaction
from replica.storage.store import SqliteStore
from replica.storage.triggers import ShownTrigger, read_triggers

__all__ = [
    "FIELDS",
    "MEMORY_TYPES",
    "SALT_BYTES",
    "WHOLE_AMOUNT",
    "Access",
    "AsyncioHost",
    "Body",
    "CipherMissing",
    "Claim",
    "ClockDrift",
    "Core",
    "DerivedTables",
    "DeviceId",
    "Digests",
    "Edit",
    "Erase",
    "ErasureStatus",
    "Feedback",
    "Forget",
    "Frontier",
    "HeldTrigger",
    "InvalidOp",
    "Kind",
    "Member",
    "Membership",
    "Memory",
    "MemoryId",
    "NotFound",
    "Op",
    "OpId",
    "Origin",
    "Place",
    "Propose",
    "Relate",
    "Remember",
    "Replica",
    "ReplicaError",
    "Resolve",
    "Revocation",
    "Row",
    "RowChange",
    "SaysSame",
    "Set",
    "ShownClaim",
    "ShownTrigger",
    "ShownVerdict",
    "SqliteStore",
    "Status",
    "StoreCorrupt",
    "StoreFailed",
    "StoreNewer",
    "Tag",
    "Taken",
    "TooLarge",
    "Trigger",
    "Unlink",
    "Untag",
    "Value",
    "Verdict",
    "Withdraw",
    "Write",
    "WrongKey",
    "access_write",
    "compact",
    "connect",
    "content_number",
    "derived_memory_id",
    "derived_transaction",
    "device_id",
    "erasure_status",
    "introduce",
    "links_of",
    "make_key",
    "new_memory_id",
    "op_uuid",
    "open_file",
    "open_replica",
    "ops_noted_outside",
    "outlook",
    "parse_memory_id",
    "proposals_of",
    "read_claims",
    "read_lessons",
    "read_settings",
    "read_triggers",
    "recode",
    "revoke",
    "salt_of",
    "show_memory_id",
    "transaction",
    "wall_clock_ms",
]
