"""One memory on all your devices: the library door.

    async with samemind.open("~/notes.db") as mind:          # trio
        await mind.remember("Ann moved to Lisbon", speaker="Ann")
        for hit in await mind.recall("where does Ann live?", k=5):
            print(hit.score, hit.text)

    with samemind.open_blocking("~/notes.db") as mind:       # everybody else
        mind.remember("Ann moved to Lisbon")

Importing this loads next to nothing: what is heavy comes with the first store that is opened.
"""

import os.path
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import os
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from samemind.blocking import BlockingMind
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
    from samemind.library import Mind
    from samemind.results.answers import (
        ContextBlock,
        ContextSection,
        PromptMessage,
        Provenance,
        StageView,
        Why,
        WhyNot,
    )
    from samemind.results.device import (
        Check,
        DaemonStatus,
        Digest,
        Doctored,
        FrontierEntry,
        Log,
        OpView,
        Stats,
        Verified,
        Warmed,
    )
    from samemind.results.graph import EdgeView, Graph
    from samemind.results.group import Paired, PairingOffer, Peers, PeerSync, PeerView, Synced
    from samemind.results.keeping_safe import BackedUp
    from samemind.results.memories import (
        Forgotten,
        History,
        Hit,
        Listed,
        MemoryView,
        Recalled,
        Remembered,
        RememberedMany,
        Version,
    )
    from samemind.results.portable import Exported, FailedLine, Imported

__all__ = [
    "Ambiguous",
    "BackedUp",
    "BlockingMind",
    "Check",
    "ContextBlock",
    "ContextSection",
    "DaemonStatus",
    "Digest",
    "Doctored",
    "EdgeView",
    "Exported",
    "Failed",
    "FailedLine",
    "Forgotten",
    "FrontierEntry",
    "Graph",
    "History",
    "Hit",
    "Imported",
    "Listed",
    "Locked",
    "Log",
    "MemoryView",
    "Mind",
    "NeedsDecision",
    "NotFound",
    "OpView",
    "Paired",
    "PairingOffer",
    "PeerSync",
    "PeerView",
    "Peers",
    "PromptMessage",
    "Provenance",
    "Recalled",
    "Remembered",
    "RememberedMany",
    "SamemindError",
    "StageView",
    "Stats",
    "Synced",
    "Unreachable",
    "Usage",
    "Verified",
    "Version",
    "Warmed",
    "Why",
    "WhyNot",
    "open",
    "open_blocking",
]

# Where the names above live that are not loaded yet.
_LATER: Final = (
    "samemind.errors",
    "samemind.results.memories",
    "samemind.results.keeping_safe",
    "samemind.results.answers",
    "samemind.results.graph",
    "samemind.results.portable",
    "samemind.results.group",
    "samemind.results.keeping",
    "samemind.results.device",
    "samemind.library",
    "samemind.blocking",
)


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
) -> "AbstractAsyncContextManager[Mind]":
    """Open a home folder or a store file under trio, through whoever holds it already if that program answers.

    `name` is what a new device is called; without one it is what the machine is called.
    """
    from samemind.library import open_mind

    return open_mind(path, name=name)


def open_blocking(
    path: "str | os.PathLike[str]", *, name: str | None = None
) -> "AbstractContextManager[BlockingMind]":
    """Open a home folder or a store file for plain blocking calls, from any thread."""
    from samemind.blocking import open_blocking_mind

    return open_blocking_mind(path, name=name)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in map(import_module, _LATER):
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'samemind' has no attribute {name!r}")
