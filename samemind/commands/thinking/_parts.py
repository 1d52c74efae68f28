"""What several commands of this family return and show."""

from dataclasses import dataclass, field

from samemind.declaring import Takes, option


@dataclass(frozen=True, slots=True, kw_only=True)
class Retract:
    """Retract everything learned from a source, a device or a speaker, and what was derived from it."""

    source: str | None = option("--source", "where it comes from")
    device: str | None = option("--device", "the device that wrote it: its name or id")
    speaker: str | None = option("--speaker", "who said it")
    since: str | None = option(
        "--since",
        "only what was stored since then, by the clock of the device that stored it",
        takes=Takes.TIME,
    )
    ops: str | None = option("--ops", "only what these ops wrote, as an import prints them", metavar="OPS")
    dry_run: bool = option("--dry-run", "change nothing; show what would be removed", default=False)
    undo_s: float = option(
        "--undo",
        "wait this long before anything is written; Ctrl-C cancels it",
        default=0.0,
        metavar="SECONDS",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Retracted:
    """What was taken back, or would be (`dry_run`): memories, facts taken from them, edges, lines of the profile.

    `judgments` names each two memories of whose claims it was said that they are of one thing, or of two. `changed`
    names memories of others that the retracted device wrote to; these are as it left them. `texts` are the words of
    what would go, by id, where that was asked for.
    """

    rids: list[str]
    facts: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    dry_run: bool = False
    texts: dict[str, str] = field(default_factory=dict)
    judgments: list[str] = field(default_factory=list)
