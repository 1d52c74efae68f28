"""Say which memories a recall may return, and turn that into SQL.

Every filter that is set must hold. A memory's time is when it was told, or else when it was stored; a
window holds its beginning and not its end. Workspace, speaker, labels and tags are compared without regard
to case, since people type them. What is archived, or says only what no longer holds, is out of the way: it is found
only when asked for.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from cognition.errors import InvalidQuery
from replica import MEMORY_TYPES
from replica.values import dataclass

# A row's time in ms. Stamps carry the ms in their upper 48 bits.
TIME: Final = "ifnull(m.told_at, m.created >> 16)"
# Neither put away by somebody, nor saying only what no longer holds (`cognition.contradictions.tables`).
_KEPT: Final = "ifnull(m.archived, 0) = 0"
_HOLDS: Final = "m.id NOT IN (SELECT id FROM claim_retired)"
# Blocks go into every prompt as they are, and would only come up twice.
_MEMORY: Final = "m.block IS NULL"
# Each is a condition that is looked at for every memory, and SQLite takes no more than a thousand of them.
FILTERED_BY_MAX: Final = 200
# What a person types for a value of the metadata; as SQLite has them, truths are 1 and 0.
_TYPED: Final = "CASE WHEN t.type IN ('true', 'false', 'null') THEN t.type ELSE CAST(t.value AS TEXT) END"
_LABELS: Final = ("domain", "project", "topic", "speaker", "conversation", "source")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which memories may be returned; the default keeps all that are not archived."""

    type: str | None = None
    domain: str | None = None
    project: str | None = None
    topic: str | None = None
    speaker: str | None = None
    conversation: str | None = None
    source: str | None = None
    workspace: str | tuple[str, ...] | None = None
    """Several: a memory of any of them. None at all in the tuple is the same as None."""
    tags: tuple[str, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    since_ms: int | None = None
    until_ms: int | None = None
    include_archived: bool = False
    outdated: bool = False
    """Whether what says only what no longer holds may be returned too."""

    def __post_init__(self) -> None:
        if isinstance(self.workspace, tuple):
            # Of none at all: or everything would pass for something that was asked for, and be searched as such.
            object.__setattr__(self, "workspace", tuple(dict.fromkeys(self.workspace)) or None)
        count = (
            len(self.tags)
            + len(self.meta)
            + (len(self.workspace) if isinstance(self.workspace, tuple) else 0)
        )
        if count > FILTERED_BY_MAX:
            raise InvalidQuery(
                f"expected at most {FILTERED_BY_MAX} workspaces, tags and entries to look for, got {count}"
            )
        if self.type is not None and self.type not in MEMORY_TYPES:
            raise InvalidQuery(f"expected a type among {', '.join(MEMORY_TYPES)}; got {self.type!r}")
        if self.since_ms is not None and self.until_ms is not None and self.since_ms > self.until_ms:
            raise InvalidQuery(
                f"expected a window that begins before it ends, "
                f"got since {self.since_ms} and until {self.until_ms}"
            )

    @property
    def narrow(self) -> bool:
        """Whether anything was asked for beyond leaving archived memories out."""
        return self != Filters(include_archived=self.include_archived, outdated=self.outdated)

    def sql(self) -> tuple[str, list[str | int]]:
        """Return the condition on a memory `m`, and its parameters."""
        conditions = [_MEMORY]
        if not self.include_archived:
            conditions += [_KEPT] if self.outdated else [_KEPT, _HOLDS]
        values: list[str | int] = []
        if self.type is not None:
            conditions.append("m.type = ?")
            values.append(self.type)
        for name in _LABELS:
            wanted = getattr(self, name)
            if wanted is not None:
                conditions.append(_same(f"m.{name}", wanted))
                values.append(wanted)
        spaces = (self.workspace,) if isinstance(self.workspace, str) else self.workspace or ()
        if spaces:
            conditions.append(f"({' OR '.join(_same('m.workspace', space) for space in spaces)})")
            values += spaces
        for tag in self.tags:
            conditions.append(f"EXISTS (SELECT 1 FROM json_each(m.tags) t WHERE {_same('t.value', tag)})")
            values.append(tag)
        for key, wanted in self.meta.items():
            # People type text: the number 5 is found by `pages=5`, and `true` by `read=true`.
            conditions.append(
                f"EXISTS (SELECT 1 FROM json_each(m.meta) t WHERE t.key = ? AND {_same(_TYPED, wanted)})"
            )
            values += [key, wanted]
        if self.since_ms is not None:
            conditions.append(f"{TIME} >= ?")
            values.append(self.since_ms)
        if self.until_ms is not None:
            conditions.append(f"{TIME} < ?")
            values.append(self.until_ms)
        return " AND ".join(conditions), values


def _same(column: str, wanted: str) -> str:
    """Return the condition that a column says the same as its parameter, but for case."""
    # SQLite knows the case of ASCII, and of no other letter; to ask beyond it is a call for every row.
    return f"{column} = ? COLLATE NOCASE" if wanted.isascii() else f"casefold({column}) = casefold(?)"
