"""Options that many commands take: a moment of the past, and filters."""

from typing import Final

from replica.memory_types import MEMORY_TYPES
from replica.values import dataclass
from samemind.declaring import Takes, option

TIME: Final = "YYYY-MM-DD[THH:MM[:SS][Z|+HH:MM]]; without a zone it is this machine's"


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentOptions:
    """Which moment is meant, where it is not now."""

    as_of: str | None = option(
        "--as-of",
        "as of this time; a date, or words such as 'last March', mean its end",
        takes=Takes.TIME,
    )
    seen_by: str | None = option("--seen-by", "as this device knew it", metavar="DEVICE")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterOptions(MomentOptions):
    """Which memories are meant."""

    type: str | None = option("--type", "only this kind of memory", choices=MEMORY_TYPES)
    domain: str | None = option("--domain", "only this area")
    project: str | None = option("--project", "only this project")
    topic: str | None = option("--topic", "only this topic")
    tag: tuple[str, ...] = option("--tag", "only with this label; of several, with all", default=())
    meta: tuple[str, ...] = option(
        "--meta", "only with this entry; of several, with all", default=(), takes=Takes.PAIRS
    )
    speaker: str | None = option("--speaker", "only what this person said")
    session: str | None = option("--session", "only from this chat")
    source: str | None = option("--source", "only from this source")
    workspace: tuple[str, ...] = option(
        "--workspace", "only from this space; of several, from any", default=(), takes=Takes.SPACES
    )
    since: str | None = option(
        "--since",
        "only from this time on: YYYY-MM-DD[THH:MM[:SS][Z|+HH:MM]], or words: 'last March', '2h ago'",
        takes=Takes.TIME,
    )
    until: str | None = option(
        "--until",
        "only up to this time; a date includes that day",
        takes=Takes.TIME,
    )
    include_cold: bool = option("--include-cold", "include archived and cold memories", default=False)
