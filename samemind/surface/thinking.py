"""The verbs of what a mind does by itself."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.results.thinking import Retracted, Thought, Unconsolidated, Unlinked


@dataclass(frozen=True, slots=True, kw_only=True)
class Think:
    """Think now: look for contradictions, consolidate, look for patterns, raise triggers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unconsolidate:
    """Take a summary apart: its memories stand for themselves again, and are never put together by itself any more."""

    rid: str = argument("the id of a summary, or of a memory that stands under one", takes=Takes.RID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlink:
    """Show a telling apart from others that say it in other words: withdraw the links between them."""

    rid: str = argument("the id of a memory", takes=Takes.RID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retract:
    """Take back everything learned from a source, a device or a speaker, and what was derived from it."""

    source: str | None = option("--source", "where it was taken from")
    device: str | None = option("--device", "the device that told it: its name or its id")
    speaker: str | None = option("--speaker", "who said it")
    since: str | None = option(
        "--since",
        "only what was stored since then, by the stamp of the device that stored it",
        takes=Takes.TIME,
    )
    ops: str | None = option(
        "--ops", "only what these wrote, as the end of an import names them", metavar="OPS"
    )
    dry_run: bool = option("--dry-run", "change nothing: tell what would go", default=False)
    undo_s: float = option(
        "--undo", "write nothing for this long; Ctrl-C takes it back", default=0.0, metavar="SECONDS"
    )


_MODULE: Final = "samemind.verbs.thinking"

THINK: Final = Command(
    "think",
    Think,
    Thought,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=Method("think", "Run one cycle of thinking now."),
    place=1,
)
UNCONSOLIDATE: Final = Command(
    "unconsolidate",
    Unconsolidate,
    Unconsolidated,
    _MODULE,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method("unconsolidate", "Take a summary apart; its memories stand for themselves again."),
    place=2,
)
UNLINK: Final = Command(
    "unlink",
    Unlink,
    Unlinked,
    _MODULE,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("unlink", "Show a telling apart from others that say it in other words."),
    place=3,
)
RETRACT: Final = Command(
    "retract",
    Retract,
    Retracted,
    "samemind.verbs.retracting",
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel="undoes or folds much at once: asked for where its result can be read",
    library=Method(
        "retract",
        (
            "Take back everything learned from a source, a device or a speaker; cancelled in time, "
            "it changes nothing."
        ),
    ),
    streams=True,
    place=4,
)
