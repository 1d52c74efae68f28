"""One memory on all your devices: the library door.

    async with samemind.open("~/notes.db") as mind:          # trio or asyncio
        await mind.remember("Ann moved to Lisbon", speaker="Ann")
        for hit in await mind.recall("where does Ann live?", k=5):
            print(hit.score, hit.text)

    with samemind.open_blocking("~/notes.db") as mind:       # everybody else
        mind.remember("Ann moved to Lisbon")

Importing this loads next to nothing: what is heavy comes with the first store that is opened.
"""

import os.path
import sys

# Whoever presses Ctrl-C while the command is still loading wants no traceback of that: until the end of this file it
# just ends. Only the command: any other program hears of Ctrl-C as Python tells it.
_is_the_command = sys.orig_argv[1:3] == ["-m", "samemind"] or (
    os.path.basename("".join(sys.argv[:1])).partition(".")[0] == "samemind"
)
# It is built in, and nobody's types know it; loading `signal` takes longer than half of this file.
_signals = __import__("_signal") if _is_the_command else None
if _signals is not None:
    if _signals.getsignal(_signals.SIGINT) is _signals.default_int_handler:
        _signals.signal(_signals.SIGINT, _signals.SIG_DFL)
    else:
        _signals = None  # somebody else sees to it

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import os

    # generated: imports
    from samemind.commands.answers._parts import MergedText, PendingQuestion
    from samemind.commands.answers.context import ContextBlock, ContextSection, PromptMessage
    from samemind.commands.answers.why import Provenance, StatedClaim, Why
    from samemind.commands.answers.why_not import StageView, WhyNot
    from samemind.commands.carry._parts import CarriedIn, SkippedFile
    from samemind.commands.carry.export import CarriedOut
    from samemind.commands.contradictions._parts import (
        BeliefView,
        ContradictionView,
        Corrected,
        NomineeValue,
        NomineeView,
        ResolutionView,
        Side,
    )
    from samemind.commands.contradictions.list import Contradictions
    from samemind.commands.contradictions.reopen import Reopened
    from samemind.commands.contradictions.resolve import Resolved
    from samemind.commands.contradictions.review import Review, Unjudged
    from samemind.commands.contradictions.settle import Settled
    from samemind.commands.device._parts import Check, Clone, IncidentView
    from samemind.commands.device.compact import Compacted
    from samemind.commands.device.digest import Digest, FrontierEntry
    from samemind.commands.device.doctor import Doctored
    from samemind.commands.device.ids import Ids, IdView
    from samemind.commands.device.log import Log, OpView
    from samemind.commands.device.stats import Stats
    from samemind.commands.device.status import DaemonStatus, ThinkStatus
    from samemind.commands.device.verify import Verified
    from samemind.commands.device.warmup import Warmed
    from samemind.commands.graph._parts import EdgeView
    from samemind.commands.graph.entities import Entities, EntityView
    from samemind.commands.graph.graph import Graph
    from samemind.commands.group._parts import GroupMember, GroupView, PeerView
    from samemind.commands.group.pair import Paired, PairingOffer
    from samemind.commands.group.peers_list import Peers
    from samemind.commands.group.recovery import Recovery
    from samemind.commands.group.sync import PeerSync, Synced, UnreachedPeer
    from samemind.commands.ingest._parts import Queue, QueueEntry
    from samemind.commands.ingest.extract import Extracted
    from samemind.commands.ingest.held_drop import Dropped
    from samemind.commands.ingest.held_list import HeldList, HeldView
    from samemind.commands.ingest.held_release import Released
    from samemind.commands.ingest.queue_requeue import Requeued
    from samemind.commands.keeping._parts import (
        BlockView,
        ComingReminder,
        GoalView,
        Profile,
        ProfileFact,
        Triggers,
        TriggerView,
    )
    from samemind.commands.keeping.blocks_list import Blocks
    from samemind.commands.keeping.calendar import Calendar
    from samemind.commands.keeping.feedback import Taught
    from samemind.commands.keeping.goals_list import Goals
    from samemind.commands.keeping.sessions import Sessions, SessionView
    from samemind.commands.keeping_safe.backup import BackedUp
    from samemind.commands.mailbox._parts import MailboxPeer, MailboxView, UnusableMailboxView
    from samemind.commands.mailbox.invite import MailboxInvitation
    from samemind.commands.mailbox.list import MailboxesListed
    from samemind.commands.mailbox.look import MailboxesLooked, MailboxLooked
    from samemind.commands.mailbox.phones import PhonesServed
    from samemind.commands.mailbox.remove import MailboxRemoved
    from samemind.commands.mailbox.serve_config import ServerConfig
    from samemind.commands.memories._forgotten import Forgotten
    from samemind.commands.memories._remembered import Remembered, ReminderView
    from samemind.commands.memories.history import History, Version
    from samemind.commands.memories.recall import ClaimedValue, EventTaken, Hit, HitClaim, Recalled
    from samemind.commands.memories.remember_many import RememberedMany
    from samemind.commands.past.diff import Changed, Difference
    from samemind.commands.portable._parts import FailedLine, Imported
    from samemind.commands.portable.export import Exported
    from samemind.commands.thinking._parts import Retracted
    from samemind.commands.thinking.think import Raised, Thought
    from samemind.commands.thinking.unconsolidate import Unconsolidated
    from samemind.commands.thinking.unlink import Unlinked
    from samemind.errors import (
        Ambiguous,
        Failed,
        Locked,
        NeedsDecision,
        NotFound,
        SamemindError,
        Unreachable,
        Usage,
    )
    from samemind.formats.arguments import Id, Meta, Rid, Spaces, When
    from samemind.formats.memory_view import Listed, MemoryView, TextVariant
    from samemind.library.asyncio_mind import AsyncioMind
    from samemind.library.blocking import BlockingMind
    from samemind.library.mind import Mind
    from samemind.library.opening import MindOpening
    # end: imports

# generated: all
__all__ = [
    "Ambiguous",
    "AsyncioMind",
    "BackedUp",
    "BeliefView",
    "BlockView",
    "BlockingMind",
    "Blocks",
    "Calendar",
    "CarriedIn",
    "CarriedOut",
    "Changed",
    "Check",
    "ClaimedValue",
    "Clone",
    "ComingReminder",
    "Compacted",
    "ContextBlock",
    "ContextSection",
    "ContradictionView",
    "Contradictions",
    "Corrected",
    "DaemonStatus",
    "Difference",
    "Digest",
    "Doctored",
    "Dropped",
    "EdgeView",
    "Entities",
    "EntityView",
    "EventTaken",
    "Exported",
    "Extracted",
    "Failed",
    "FailedLine",
    "Forgotten",
    "FrontierEntry",
    "GoalView",
    "Goals",
    "Graph",
    "GroupMember",
    "GroupView",
    "HeldList",
    "HeldView",
    "History",
    "Hit",
    "HitClaim",
    "Id",
    "IdView",
    "Ids",
    "Imported",
    "IncidentView",
    "Listed",
    "Locked",
    "Log",
    "MailboxInvitation",
    "MailboxLooked",
    "MailboxPeer",
    "MailboxRemoved",
    "MailboxView",
    "MailboxesListed",
    "MailboxesLooked",
    "MemoryView",
    "MergedText",
    "Meta",
    "Mind",
    "MindOpening",
    "NeedsDecision",
    "NomineeValue",
    "NomineeView",
    "NotFound",
    "OpView",
    "Paired",
    "PairingOffer",
    "PeerSync",
    "PeerView",
    "Peers",
    "PendingQuestion",
    "PhonesServed",
    "Profile",
    "ProfileFact",
    "PromptMessage",
    "Provenance",
    "Queue",
    "QueueEntry",
    "Raised",
    "Recalled",
    "Recovery",
    "Released",
    "Remembered",
    "RememberedMany",
    "ReminderView",
    "Reopened",
    "Requeued",
    "ResolutionView",
    "Resolved",
    "Retracted",
    "Review",
    "Rid",
    "SamemindError",
    "ServerConfig",
    "SessionView",
    "Sessions",
    "Settled",
    "Side",
    "SkippedFile",
    "Spaces",
    "StageView",
    "StatedClaim",
    "Stats",
    "Synced",
    "Taught",
    "TextVariant",
    "ThinkStatus",
    "Thought",
    "TriggerView",
    "Triggers",
    "Unconsolidated",
    "Unjudged",
    "Unlinked",
    "Unreachable",
    "UnreachedPeer",
    "UnusableMailboxView",
    "Usage",
    "Verified",
    "Version",
    "Warmed",
    "When",
    "Why",
    "WhyNot",
    "open",
    "open_blocking",
]
# end: all

# Where each of them is: it is loaded when it is asked for.
# generated: modules
_MODULE_OF: Final = {
    "Ambiguous": "samemind.errors",
    "AsyncioMind": "samemind.library.asyncio_mind",
    "BackedUp": "samemind.commands.keeping_safe.backup",
    "BeliefView": "samemind.commands.contradictions._parts",
    "BlockView": "samemind.commands.keeping._parts",
    "BlockingMind": "samemind.library.blocking",
    "Blocks": "samemind.commands.keeping.blocks_list",
    "Calendar": "samemind.commands.keeping.calendar",
    "CarriedIn": "samemind.commands.carry._parts",
    "CarriedOut": "samemind.commands.carry.export",
    "Changed": "samemind.commands.past.diff",
    "Check": "samemind.commands.device._parts",
    "ClaimedValue": "samemind.commands.memories.recall",
    "Clone": "samemind.commands.device._parts",
    "ComingReminder": "samemind.commands.keeping._parts",
    "Compacted": "samemind.commands.device.compact",
    "ContextBlock": "samemind.commands.answers.context",
    "ContextSection": "samemind.commands.answers.context",
    "ContradictionView": "samemind.commands.contradictions._parts",
    "Contradictions": "samemind.commands.contradictions.list",
    "Corrected": "samemind.commands.contradictions._parts",
    "DaemonStatus": "samemind.commands.device.status",
    "Difference": "samemind.commands.past.diff",
    "Digest": "samemind.commands.device.digest",
    "Doctored": "samemind.commands.device.doctor",
    "Dropped": "samemind.commands.ingest.held_drop",
    "EdgeView": "samemind.commands.graph._parts",
    "Entities": "samemind.commands.graph.entities",
    "EntityView": "samemind.commands.graph.entities",
    "EventTaken": "samemind.commands.memories.recall",
    "Exported": "samemind.commands.portable.export",
    "Extracted": "samemind.commands.ingest.extract",
    "Failed": "samemind.errors",
    "FailedLine": "samemind.commands.portable._parts",
    "Forgotten": "samemind.commands.memories._forgotten",
    "FrontierEntry": "samemind.commands.device.digest",
    "GoalView": "samemind.commands.keeping._parts",
    "Goals": "samemind.commands.keeping.goals_list",
    "Graph": "samemind.commands.graph.graph",
    "GroupMember": "samemind.commands.group._parts",
    "GroupView": "samemind.commands.group._parts",
    "HeldList": "samemind.commands.ingest.held_list",
    "HeldView": "samemind.commands.ingest.held_list",
    "History": "samemind.commands.memories.history",
    "Hit": "samemind.commands.memories.recall",
    "HitClaim": "samemind.commands.memories.recall",
    "Id": "samemind.formats.arguments",
    "IdView": "samemind.commands.device.ids",
    "Ids": "samemind.commands.device.ids",
    "Imported": "samemind.commands.portable._parts",
    "IncidentView": "samemind.commands.device._parts",
    "Listed": "samemind.formats.memory_view",
    "Locked": "samemind.errors",
    "Log": "samemind.commands.device.log",
    "MailboxInvitation": "samemind.commands.mailbox.invite",
    "MailboxLooked": "samemind.commands.mailbox.look",
    "MailboxPeer": "samemind.commands.mailbox._parts",
    "MailboxRemoved": "samemind.commands.mailbox.remove",
    "MailboxView": "samemind.commands.mailbox._parts",
    "MailboxesListed": "samemind.commands.mailbox.list",
    "MailboxesLooked": "samemind.commands.mailbox.look",
    "MemoryView": "samemind.formats.memory_view",
    "MergedText": "samemind.commands.answers._parts",
    "Meta": "samemind.formats.arguments",
    "Mind": "samemind.library.mind",
    "MindOpening": "samemind.library.opening",
    "NeedsDecision": "samemind.errors",
    "NomineeValue": "samemind.commands.contradictions._parts",
    "NomineeView": "samemind.commands.contradictions._parts",
    "NotFound": "samemind.errors",
    "OpView": "samemind.commands.device.log",
    "Paired": "samemind.commands.group.pair",
    "PairingOffer": "samemind.commands.group.pair",
    "PeerSync": "samemind.commands.group.sync",
    "PeerView": "samemind.commands.group._parts",
    "Peers": "samemind.commands.group.peers_list",
    "PendingQuestion": "samemind.commands.answers._parts",
    "PhonesServed": "samemind.commands.mailbox.phones",
    "Profile": "samemind.commands.keeping._parts",
    "ProfileFact": "samemind.commands.keeping._parts",
    "PromptMessage": "samemind.commands.answers.context",
    "Provenance": "samemind.commands.answers.why",
    "Queue": "samemind.commands.ingest._parts",
    "QueueEntry": "samemind.commands.ingest._parts",
    "Raised": "samemind.commands.thinking.think",
    "Recalled": "samemind.commands.memories.recall",
    "Recovery": "samemind.commands.group.recovery",
    "Released": "samemind.commands.ingest.held_release",
    "Remembered": "samemind.commands.memories._remembered",
    "RememberedMany": "samemind.commands.memories.remember_many",
    "ReminderView": "samemind.commands.memories._remembered",
    "Reopened": "samemind.commands.contradictions.reopen",
    "Requeued": "samemind.commands.ingest.queue_requeue",
    "ResolutionView": "samemind.commands.contradictions._parts",
    "Resolved": "samemind.commands.contradictions.resolve",
    "Retracted": "samemind.commands.thinking._parts",
    "Review": "samemind.commands.contradictions.review",
    "Rid": "samemind.formats.arguments",
    "SamemindError": "samemind.errors",
    "ServerConfig": "samemind.commands.mailbox.serve_config",
    "SessionView": "samemind.commands.keeping.sessions",
    "Sessions": "samemind.commands.keeping.sessions",
    "Settled": "samemind.commands.contradictions.settle",
    "Side": "samemind.commands.contradictions._parts",
    "SkippedFile": "samemind.commands.carry._parts",
    "Spaces": "samemind.formats.arguments",
    "StageView": "samemind.commands.answers.why_not",
    "StatedClaim": "samemind.commands.answers.why",
    "Stats": "samemind.commands.device.stats",
    "Synced": "samemind.commands.group.sync",
    "Taught": "samemind.commands.keeping.feedback",
    "TextVariant": "samemind.formats.memory_view",
    "ThinkStatus": "samemind.commands.device.status",
    "Thought": "samemind.commands.thinking.think",
    "TriggerView": "samemind.commands.keeping._parts",
    "Triggers": "samemind.commands.keeping._parts",
    "Unconsolidated": "samemind.commands.thinking.unconsolidate",
    "Unjudged": "samemind.commands.contradictions.review",
    "Unlinked": "samemind.commands.thinking.unlink",
    "Unreachable": "samemind.errors",
    "UnreachedPeer": "samemind.commands.group.sync",
    "UnusableMailboxView": "samemind.commands.mailbox._parts",
    "Usage": "samemind.errors",
    "Verified": "samemind.commands.device.verify",
    "Version": "samemind.commands.memories.history",
    "Warmed": "samemind.commands.device.warmup",
    "When": "samemind.formats.arguments",
    "Why": "samemind.commands.answers.why",
    "WhyNot": "samemind.commands.answers.why_not",
}
# end: modules

# The packages beside this one. Their names are common words, so a program may have a file of the same name.
_BESIDE: Final = ("replica", "sync", "cognition")


def _refuse_what_hides_a_package() -> None:
    """Raise ImportError if a file of the user hides one of our packages, before anything of it is imported.

    `python -m samemind` puts the current directory first on the path; nothing of ours is looked for there.
    """
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and os.path.abspath(sys.path[0]) != ours:
        del sys.path[0]
    for name in _BESIDE:
        if name in sys.modules:
            found = getattr(sys.modules[name], "__file__", None)
        else:
            spec = find_spec(name)
            found = None if spec is None else spec.origin
        if found is None or os.path.dirname(os.path.dirname(os.path.abspath(found))) != ours:
            raise ImportError(
                f"samemind expected its package {name!r} in {ours}, and found {found or 'nothing'}: "
                "rename that file, or start the program from another directory"
            )


_refuse_what_hides_a_package()


def open(  # noqa: A001 - `samemind.open` says what it does, as `gzip.open` does
    path: "str | os.PathLike[str]", *, name: str | None = None
) -> "MindOpening":
    """Open a home folder or a store file, through whoever holds it already if that program answers.

    By `async with` under trio or asyncio; under asyncio also by `await`, until `aclose`. `name` is what a new device is
    called; without one it is what the machine is called.
    """
    from samemind.library.opening import MindOpening

    return MindOpening(path, name)


def open_blocking(path: "str | os.PathLike[str]", *, name: str | None = None) -> "BlockingMind":
    """Open a home folder or a store file for plain blocking calls, from any thread, until it is closed."""
    from samemind.library.blocking import BlockingMind

    return BlockingMind(path, name=name)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _MODULE_OF:
            return getattr(import_module(_MODULE_OF[name]), name)
        raise AttributeError(f"module 'samemind' has no attribute {name!r}")


if _signals is not None:  # from here on `samemind.__main__` says what there is to say
    _signals.signal(_signals.SIGINT, _signals.default_int_handler)
