"""Hang what derived tables need on the replica's own tables: indexes of these, and triggers that follow them.

SQLite makes neither on a view, so whoever keeps derived tables gets the statements here. They are run by that one, in
the transaction that makes its tables.
"""

from typing import Final

# Claims of a relation, by whom they are about.
INDEX_OF_RELATIONS: Final = "CREATE INDEX IF NOT EXISTS claim_by_relation ON claim (relation, entity)"
# Resolutions among all ops of the log (kind 9): what was decided before is read to take a decision back.
INDEX_OF_RESOLUTIONS: Final = "CREATE INDEX IF NOT EXISTS op_by_resolution ON op (pos) WHERE kind = 9"
# Core facts are few among all memories: by category, those of which their tellers were surest, and the last changed.
INDEX_OF_SUREST: Final = """CREATE INDEX IF NOT EXISTS memory_by_category_surest
    ON memory (json_extract(meta, '$.category'), certainty) WHERE json_extract(meta, '$.category') IS NOT NULL"""
INDEX_OF_LATEST: Final = """CREATE INDEX IF NOT EXISTS memory_by_category_latest
    ON memory (json_extract(meta, '$.category'), updated) WHERE json_extract(meta, '$.category') IS NOT NULL"""
# Memories by when they were told, in ms since 1970.
INDEX_OF_TIMES: Final = "CREATE INDEX IF NOT EXISTS memory_by_time ON memory (ifnull(told_at, created >> 16))"
# Memories by when what they say happens, in ms since 1970: most say no such time.
INDEX_OF_EVENTS: Final = """CREATE INDEX IF NOT EXISTS memory_by_event
    ON memory (event_start) WHERE event_start IS NOT NULL"""
# What happens again by a rule, by when it first does: few of what happens at all.
INDEX_OF_REPEATING: Final = """CREATE INDEX IF NOT EXISTS memory_by_repeating
    ON memory (event_start) WHERE event_start IS NOT NULL AND json_extract(meta, '$.repeats') IS NOT NULL"""
# Tellings by when they were last told or changed, with all that their list and their count ask of a row.
INDEX_OF_NEWS: Final = """CREATE INDEX IF NOT EXISTS memory_by_news
    ON memory (updated, archived, parent) WHERE parent IS NULL"""


def on_link_made(trigger: str, statements: str) -> str:
    """Return the statement that makes a trigger; its statements run for each link that is made, `new.link`."""
    return f"CREATE TRIGGER {trigger} AFTER INSERT ON says_same BEGIN {statements}; END"


def on_link_gone(trigger: str, statements: str) -> str:
    """Return the statement that makes a trigger; its statements run for each link that is gone, `old.link`."""
    return f"CREATE TRIGGER {trigger} AFTER DELETE ON says_same BEGIN {statements}; END"


def on_judged(trigger: str, statements: str) -> str:
    """Return the statement that makes a trigger; its statements run for each new judgment, `new.judgment`."""
    return f"CREATE TRIGGER {trigger} AFTER INSERT ON same_slot BEGIN {statements}; END"


def on_judged_no_more(trigger: str, statements: str) -> str:
    """Return the statement that makes a trigger; its statements run for each judgment gone, `old.judgment`."""
    return f"CREATE TRIGGER {trigger} AFTER DELETE ON same_slot BEGIN {statements}; END"


def on_proposed(trigger: str, statements: str) -> str:
    """Return the statement that makes a trigger; its statements run for each member of a new proposal, `new.rid`."""
    return f"CREATE TRIGGER {trigger} AFTER INSERT ON proposal_member BEGIN {statements}; END"


def on_withdrawn(trigger: str, statements: str) -> str:
    """Return the statement that makes a trigger; its statements run for each member of one that is gone, `old.rid`."""
    return f"CREATE TRIGGER {trigger} AFTER DELETE ON proposal_member BEGIN {statements}; END"
