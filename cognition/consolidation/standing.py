"""Let summaries stand for their members in a recall.

Members are found as ever, by their own words and vectors, and their summary takes the place of the best of them in each
list; of meaning it has its own, the cosine of the mean of its members. So nothing of a summary is indexed, and none can
outlive what it says.

A summary stands where the question is general. Where it names a member, by a word, a number or a name that not all of
them say, or by all words of one, the members are shown themselves: a summary answers no better than what it is made of.

Where a recall was narrowed, a summary stands only for members that all pass the filters: it tells what each of them
says. With cold memories included, the members stay in the lists beside their summary.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np

from cognition.consolidation.clusters import mean
from cognition.consolidation.summaries import (
    NUMBERS_FROM,
    Summary,
    members_of,
    read_summaries,
    standing_under,
)
from cognition.embedding.embedder import Vectors
from cognition.filters import Filters
from cognition.ingest.sameness import telling_words, turns
from cognition.memories import IDS_MAX
from cognition.ranking.pool import CandidateRow
from cognition.ranking.stem import stem
from cognition.search.passes import allowed
from cognition.tables import indexed
from cognition.words import STOP_WORDS
from replica.values import dataclass

Ranks = Mapping[str, Sequence[tuple[int, float]]]


@dataclass(frozen=True, slots=True)
class SummaryRanking:
    """The lists of a recall with summaries in them, by numbers from `NUMBERS_FROM`, and what is known of each.

    `under` names the summary that stands for a memory; `meaning` is the cosine of each summary.
    """

    lists: Ranks
    summaries: Mapping[int, Summary] = field(default_factory=dict)
    under: Mapping[int, int] = field(default_factory=dict)
    meaning: Mapping[int, float] = field(default_factory=dict)

    def rows(self) -> dict[int, CandidateRow]:
        """Return each summary as a candidate."""
        return {number: _row(number, summary) for number, summary in self.summaries.items()}


def stand_in(
    connection: sqlite3.Connection, question: str, lists: Ranks, vector: Vectors | None, filters: Filters
) -> SummaryRanking:
    """Put summaries where their members are, and the question names none of these."""
    under = standing_under(connection, (number for ranked in lists.values() for number, _ in ranked))
    if not under:
        return SummaryRanking(lists)
    members = members_of(connection, set(under.values()))
    if filters.narrow:
        permitted = allowed(connection, [number for each in members.values() for number in each], filters)
        members = {no: each for no, each in members.items() if permitted.issuperset(each)}
    keep = filters.include_archived
    named = frozenset(_telling(question))
    held = {each.no: each for each in read_summaries(connection, members) if keep or not _names(named, each)}
    members = {no: each for no, each in members.items() if no in held}
    under = {number: NUMBERS_FROM + no for number, no in under.items() if no in members}
    meaning = {} if vector is None else _meaning(connection, members, vector)
    summaries = {NUMBERS_FROM + no: each for no, each in held.items()}
    standing = {
        channel: _replaced(ranked, under, meaning if channel == "vectors" else {}, keep=keep)
        for channel, ranked in lists.items()
    }
    return SummaryRanking(standing, summaries, under, meaning)


def _names(question: frozenset[str], summary: Summary) -> bool:
    """Say whether a question tells a member of a summary from the others, or says all of it."""
    said = [frozenset(_telling(shown.memory.text)) for shown in summary.members]
    shared, anywhere = said[0].intersection(*said), said[0].union(*said)
    return not question.isdisjoint(anywhere - shared) or any(one <= question for one in said)


def _telling(text: str) -> Iterator[str]:
    """Give what of a text may name a memory: words without their endings, and whatever turns what they say."""
    for word in telling_words(text):
        folded = word.casefold()
        if turns(folded):
            yield folded
        elif folded not in STOP_WORDS:
            yield stem(folded)


def _replaced(
    ranked: Sequence[tuple[int, float]],
    under: Mapping[int, int],
    meaning: Mapping[int, float],
    *,
    keep: bool,
) -> list[tuple[int, float]]:
    """Return a list with each summary at the place of its best member, or of its own meaning."""
    scores: dict[int, float] = {}
    for number, score in ranked:
        summary = under.get(number)
        if summary is not None and summary not in scores:
            scores[summary] = meaning.get(summary, score)
        if summary is None or keep:
            scores[number] = score
    if not meaning:
        return list(scores.items())
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _meaning(
    connection: sqlite3.Connection, members: Mapping[int, Sequence[int]], vector: Vectors
) -> dict[int, float]:
    """Return how like the question each summary is, as far as its members have vectors yet."""
    wanted = [number for each in members.values() for number in each]
    data: dict[int, bytes] = {}
    for start in range(0, len(wanted), IDS_MAX):
        chunk = wanted[start : start + IDS_MAX]
        data |= dict(
            connection.execute(
                f"SELECT id, data FROM vector WHERE id IN ({','.join('?' * len(chunk))})", chunk
            )
        )
    found: dict[int, float] = {}
    for no, each in members.items():
        held = [np.frombuffer(data[number], np.float16) for number in each if number in data]
        if held and len(held[0]) == len(vector):
            found[NUMBERS_FROM + no] = float(mean(np.array(held, np.float32)) @ vector)
    return found


def _row(number: int, summary: Summary) -> CandidateRow:
    memory = summary.memory
    return CandidateRow(
        id=number,
        rid=memory.rid,
        content=number,  # it is nobody's duplicate, though its words may be all those of one member
        text=memory.text,
        about=indexed("", memory.fields).about,
        speaker=memory.fields.get("speaker"),
        conversation=None,
        position=None,
        time_ms=memory.fields.get("told_at", memory.created >> 16),
        importance=memory.fields.get("importance"),
        accesses=memory.accesses,
        last_access=memory.last_access,
        type=memory.fields.get("type"),
        certainty=memory.fields.get("certainty"),
        valence=memory.fields.get("valence"),
        updated_ms=memory.updated >> 16,
    )
