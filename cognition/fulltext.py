"""Ask full text search for no more than it can rank while somebody waits.

Looking up which memories hold a word costs next to nothing; ranking one (BM25) costs a microsecond or two. A question
of five words, each of which three or four memories in a hundred hold, is a matter of 20,000 rows in a memory of
100,000, and of a handful of them at the top. So where many hold any of the words, only those are ranked that stand out:
that hold a rare word, or two of the others. The scores are those of the whole question, as if all had been ranked.

Where even these are too many, or too few are left, the newest that hold any of the words are ranked.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final, NamedTuple

# How words are cut and folded.
TOKENIZER: Final = "porter unicode61 remove_diacritics 2"
# Up to here, all that hold any of the words are ranked.
RANKED_MAX: Final = 1_000
# Whoever holds a word that is no commoner than this stands out by it, as far as there are few of them in all.
RARE_MAX: Final = RANKED_MAX // 2
# Words that more memories hold than this are asked for only where there are no others.
COMMON: Final = 4_000
# Where all words of a question are such, the rarest are asked for until as many places were read: some 30 milliseconds.
# Two are asked for whatever they cost, since a memory stands out by two.
PLACES_MAX: Final = 1 << 17
# At most as many stand out: the newest.
NEWEST_MAX: Final = 4_000
# The rarest of the words that are no rare ones, of which any two together make a memory stand out.
PAIRED_MAX: Final = 6


class FulltextQuery(NamedTuple):
    """A full text query; of what matches it, only what matches `among` too is to be ranked."""

    match: str
    among: str | None = None


def bounded(connection: sqlite3.Connection, table: str, terms: Sequence[str]) -> FulltextQuery:
    """Return how to ask for any of these terms: words in quotes, or other full text expressions."""
    everything = _any(terms)
    if _count(connection, table, everything, RANKED_MAX) <= RANKED_MAX:
        return FulltextQuery(everything)
    held = {term: _count(connection, table, term, COMMON) for term in terms}
    telling = [term for term in terms if held[term] <= COMMON] or list(terms)
    everything = _any(telling)
    if sum(held[term] for term in telling) <= RANKED_MAX:
        return FulltextQuery(everything)
    standing_out: list[str] = []
    others: list[str] = []
    few = 0
    for term in sorted(telling, key=lambda term: (held[term], term)):
        few += held[term]
        (standing_out if few <= RARE_MAX else others).append(term)
    paired = others[:PAIRED_MAX]
    standing_out += [f"({term} AND ({_any(paired[i:])}))" for i, term in enumerate(paired[:-1], start=1)]
    return FulltextQuery(everything, _any(standing_out) or everything)


def _any(terms: Sequence[str]) -> str:
    return " OR ".join(terms)


def _count(connection: sqlite3.Connection, table: str, match: str, most: int) -> int:
    """Return how many rows match, or one more than `most`."""
    ((count,),) = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)", (match, most + 1)
    )
    return int(count)
