"""Read the filters that many commands take."""

from cognition import Filters as Kept
from samemind.fields import read_pairs
from samemind.options import Filters
from samemind.times import read_time, read_until


def kept(options: Filters) -> Kept:
    """Return the filters that were typed, as cognition takes them."""
    return Kept(
        type=options.type,
        domain=options.domain,
        project=options.project,
        topic=options.topic,
        speaker=options.speaker,
        conversation=options.session,
        workspace=options.workspace,
        tags=options.tag,
        meta=dict(read_pairs(options.meta, name="meta")),
        since_ms=None if options.since is None else read_time(options.since, name="since"),
        until_ms=None if options.until is None else read_until(options.until, name="until"),
        include_archived=options.include_cold,
    )
