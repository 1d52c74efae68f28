"""Say whether an op is its author's own: follow its chain to the next signature, and check both.

One signature vouches for every header up to it, since each header holds the hash of the one before. So for one op the
headers from it to the next signed one are built anew from the log and hashed, and only then the signature is checked.
`verify_replica` does this for everything at once; this is for one memory that somebody asks about.
"""

from replica.core import Core
from replica.ids import OP_ID_BYTES, OpId
from replica.oplog import LogRow
from replica.rows import rehashed
from replica.signing import verify_commit


def is_vouched(core: Core, row: LogRow) -> bool:
    """Return whether the author's signature covers an op of the log exactly as it is stored."""
    feed = core.feeds[row.feed]
    key = core.membership.public_key(feed.origin.device)
    if key is None:
        return False
    previous: OpId | None = None if row.seq == 1 else core.feeds.id_at(row.feed, row.seq - 1)
    for each in core.store.feed_rows(row.feed, row.seq, feed.seq):
        is_whole = previous is None or len(previous) == OP_ID_BYTES
        found = rehashed(each, feed.origin, previous) if is_whole else OpId(each.id)
        if found != each.id:
            return False
        if each.signature is not None:
            return verify_commit(key, found, each.signature)
        previous = found
    return False
