"""Read the filters that many commands take."""

import json

from cognition import Filters as Kept
from replica import wall_clock_ms
from samemind.errors import Usage
from samemind.formats.fields import read_meta
from samemind.formats.options import FilterOptions
from samemind.formats.times import read_before, read_since


def kept(options: FilterOptions) -> Kept:
    """Return the filters that were typed, as cognition takes them."""
    now_ms = wall_clock_ms()  # for words such as "last March": of a day's length, so any clock will do
    since_ms = None if options.since is None else read_since(options.since, name="since", now_ms=now_ms)
    until_ms = None if options.until is None else read_before(options.until, name="until", now_ms=now_ms)
    if since_ms is not None and until_ms is not None and since_ms > until_ms:
        raise Usage(
            f"expected a time for since that is before until ({options.until:.60}), got {options.since:.60}",
            code="invalid",
        )
    return Kept(
        type=options.type,
        domain=options.domain,
        project=options.project,
        topic=options.topic,
        speaker=options.speaker,
        conversation=options.session,
        source=options.source,
        workspace=options.workspace,
        tags=options.tag,
        meta={
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in read_meta(options.meta).items()
        },
        since_ms=since_ms,
        until_ms=until_ms,
        include_archived=options.include_cold,
    )
