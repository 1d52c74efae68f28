"""What several commands of this family take, return and show."""

from typing import Final

from samemind.printable import one_line
from samemind.rendering import DEVICE_DIGITS, Document, clock, counted

# Below half of an hour's quota nobody needs to know of it.
_QUOTA_TOLD_MIN: Final = 0.5


def peer_line(peer: Document) -> str:
    seen = f"synced {clock(peer['last_sync'])}" if peer["last_sync"] else "never synced"
    behind = f", {counted(peer['behind'], 'op')} behind" if peer["behind"] else ""
    state = f"{peer['state']}{_out(peer)}"
    return f"{peer['name']:<16} {peer['device_id'][:DEVICE_DIGITS]}  {state}, {seen}{behind}{_quota(peer)}"


def _out(peer: Document) -> str:
    """Say by whom a peer was revoked, and since when that is known here."""
    by = f" by {one_line(peer['revoked_by'])}" if peer["revoked_by"] else ""
    return by + (f" since {clock(peer['revoked_at'])}" if peer["revoked_at"] else "")


def _quota(peer: Document) -> str:
    """Say how much of its quota a peer has used, where that is worth a look."""
    used, what = peer["quota"], peer["quota_of"]
    if used < _QUOTA_TOLD_MIN:
        return ""
    return f", {used:.0%} of its hour's {what}" + ("" if used < 1 else ": the rest waits there")
