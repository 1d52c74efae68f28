"""Look for patterns where something moved, and say which memories show one.

A pattern is known by its sort and what it is about, so two devices find the same one. What it is about may be
words; it stays in this device's tables, and goes with the last memory that holds them.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from cognition.days import DAY_MS
from cognition.embedding.products import products, unit
from cognition.patterns.miners import (
    HUB_DEGREE_MIN,
    HUB_MEMORIES_MIN,
    MOOD_WINDOW,
    SHOWN_BY_MAX,
    THEME_COSINE_ABOVE,
    THEME_WINDOW_DAYS,
    THEME_WORDS_MIN,
    Miner,
    come_together,
    is_hub,
    is_routine,
    is_theme,
    mood,
)
from cognition.patterns.reading import TEXT_CHARACTERS_MAX
from cognition.patterns.tables import Touched
from cognition.patterns.words import theme_words
from replica import MemoryId
from replica.reads.ids import ids_of, number_of
from replica.reads.texts import texts_at

_BETWEEN: Final = "\x1f"
# New memories are compared with each other and with so many of the latest: a theme is of its time.
_COMPARED_WITH: Final = 1_000
_COMPARED: Final = 100


class FoundPattern(NamedTuple):
    """One pattern: its sort, what it is about, and how many memories (or days, or names) show it."""

    miner: Miner
    key: str
    support: int

    @property
    def id(self) -> bytes:
        """What every device knows it by."""
        return hashlib.sha256(f"samemind pattern\0{self.miner.value}\0{self.key}".encode()).digest()[:16]


def look(connection: sqlite3.Connection, touched: Touched) -> list[FoundPattern]:
    """Return the patterns that hold where something moved."""
    found = [*_together(connection, touched), *_hubs(connection, touched), *_routines(connection, touched)]
    return [*found, *_moods(connection, touched)]


def keep(connection: sqlite3.Connection, found: Sequence[FoundPattern]) -> list[bytes]:
    """Keep patterns, in the caller's transaction, and return the ids of those that are new."""
    new = []
    for pattern in found:
        changed = connection.execute(
            "UPDATE pattern SET support = ? WHERE id = ?", (pattern.support, pattern.id)
        ).rowcount
        if not changed:
            connection.execute(
                "INSERT INTO pattern VALUES (?, ?, ?, ?, 0)",
                (pattern.id, pattern.miner.value, pattern.key, pattern.support),
            )
            new.append(pattern.id)
    return new


def not_raised(connection: sqlite3.Connection, limit: int) -> list[FoundPattern]:
    """Return the patterns that nobody was told of yet, those that most memories show first."""
    rows = connection.execute(
        "SELECT miner, key, support FROM pattern WHERE NOT raised ORDER BY support DESC, id LIMIT ?", (limit,)
    )
    return [FoundPattern(Miner(miner), key, support) for miner, key, support in rows]


def raised_before(connection: sqlite3.Connection, miner: Miner, limit: int) -> list[bytes]:
    """Return the ids of patterns of one sort that were brought up, or hold no longer: those most shown first."""
    rows = connection.execute(
        "SELECT id FROM pattern WHERE raised AND miner = ? ORDER BY support DESC, id LIMIT ?",
        (miner.value, limit),
    )
    return [pattern for (pattern,) in rows]


def mark_raised(connection: sqlite3.Connection, patterns: Sequence[FoundPattern]) -> None:
    """Note that these were brought up, or hold no longer."""
    connection.executemany("UPDATE pattern SET raised = 1 WHERE id = ?", [(each.id,) for each in patterns])


def shown_by(connection: sqlite3.Connection, pattern: FoundPattern) -> list[MemoryId]:
    """Return the memories that show a pattern, the oldest first; none where it holds no longer."""
    return ids_of(connection, _WITNESSES[pattern.miner](connection, pattern.key))


# -- the miners over the counts --------------------------------------------------------------------------------


def _together(connection: sqlite3.Connection, touched: Touched) -> Iterator[FoundPattern]:
    for a, b in touched.pairs:
        count = _pair(connection, a, b)
        if come_together(count):
            yield FoundPattern(Miner.TOGETHER, f"{a}{_BETWEEN}{b}", count)


def _pair(connection: sqlite3.Connection, a: str, b: str) -> int:
    row = connection.execute("SELECT memories FROM pattern_pair WHERE a = ? AND b = ?", (a, b)).fetchone()
    return int(row[0]) if row else 0


def _hubs(connection: sqlite3.Connection, touched: Touched) -> Iterator[FoundPattern]:
    for name in touched.names:
        degree = len(_partners(connection, name))
        if is_hub(degree) and _show_hub(connection, name):
            yield FoundPattern(Miner.HUB, name, degree)


def _partners(connection: sqlite3.Connection, name: str) -> list[str]:
    """Return names that come up with one: as many as make a hub, in the order of the alphabet."""
    rows = connection.execute(
        """SELECT * FROM (SELECT b FROM pattern_pair WHERE a = ? ORDER BY b LIMIT ?)
           UNION SELECT * FROM (SELECT a FROM pattern_pair WHERE b = ? ORDER BY a LIMIT ?) ORDER BY 1 LIMIT ?""",
        (name, HUB_DEGREE_MIN, name, HUB_DEGREE_MIN, HUB_DEGREE_MIN),
    )
    return [partner for (partner,) in rows]


def _routines(connection: sqlite3.Connection, touched: Touched) -> Iterator[FoundPattern]:
    for subject, bucket in touched.times:
        there, days = _days(connection, subject, bucket)
        if is_routine(there, days):
            yield FoundPattern(Miner.ROUTINE, f"{subject}{_BETWEEN}{bucket}", there)


def _days(connection: sqlite3.Connection, subject: str, bucket: int) -> tuple[int, int]:
    ((there, days),) = connection.execute(
        """SELECT ifnull(sum(CASE WHEN bucket = ? THEN days END), 0), ifnull(sum(days), 0)
           FROM pattern_bucket WHERE subject = ?""",
        (bucket, subject),
    )
    return there, days


def _moods(connection: sqlite3.Connection, touched: Touched) -> Iterator[FoundPattern]:
    for subject in touched.moods:
        felt = _felt(connection, subject)
        going = mood([valence for _, valence in felt])
        if going is not None:
            yield FoundPattern(Miner.MOOD, f"{subject}{_BETWEEN}{going}", len(felt))


def _felt(connection: sqlite3.Connection, subject: str) -> list[tuple[int, float]]:
    rows = connection.execute(
        "SELECT id, valence FROM pattern_felt WHERE subject = ? ORDER BY at_ms DESC, id DESC LIMIT ?",
        (subject, MOOD_WINDOW),
    ).fetchall()
    return rows[::-1]


def compare(connection: sqlite3.Connection) -> tuple[list[FoundPattern], bool]:
    """Compare memories whose vectors are new with the latest, in the caller's transaction.

    Returns the themes that hold now, and whether more memories wait.
    """
    waiting = connection.execute(
        """SELECT u.id, v.data, n.at_ms, v.space FROM pattern_unlike u
           JOIN vector v ON v.id = u.id JOIN pattern_note n ON n.id = u.id ORDER BY u.id LIMIT ?""",
        (_COMPARED + 1,),
    ).fetchall()
    new = waiting[:_COMPARED]
    if not new:
        return [], False
    space = new[0][3]
    recent = connection.execute(
        """SELECT v.id, v.data, n.at_ms FROM vector v JOIN pattern_note n ON n.id = v.id
           WHERE v.space = ? ORDER BY v.id DESC LIMIT ?""",
        (space, _COMPARED_WITH),
    ).fetchall()
    mine = [number for number, _, _, its in new if its == space]
    known = {number: (data, at_ms) for number, data, at_ms, its in new if its == space}
    known |= {number: (data, at_ms) for number, data, at_ms in recent}
    likes: list[tuple[int, int]] = []
    moved: dict[int, None] = {}
    for number, others in _near(known, len(mine)):
        for other in others:
            likes += [(number, other), (other, number)]
        moved[number] = None
    connection.executemany("INSERT OR IGNORE INTO pattern_like VALUES (?, ?)", likes)
    connection.executemany("DELETE FROM pattern_unlike WHERE id = ?", [(number,) for number, *_ in new])
    return _themes(connection, moved), len(waiting) > _COMPARED


def _near(known: Mapping[int, tuple[bytes, int]], new: int) -> Iterator[tuple[int, list[int]]]:
    """Return which memories some are like, the most alike first, for each of the first so many that are like any.

    Of each are known its vector as it is stored, and when it was.
    """
    numbers = list(known)
    rows = unit([data for data, _ in known.values()])
    when = np.array([at_ms for _, at_ms in known.values()], np.int64)
    cosines = products(rows[:new], rows)
    near = cosines > THEME_COSINE_ABOVE
    if int(when.max()) - int(when.min()) > THEME_WINDOW_DAYS * DAY_MS:
        near &= np.abs(when[:new, None] - when[None, :]) <= THEME_WINDOW_DAYS * DAY_MS
    near[np.arange(new), np.arange(new)] = False
    for at in np.flatnonzero(near.any(axis=1)):
        (others,) = np.nonzero(near[at])
        best = others[np.argsort(-cosines[at, others], kind="stable")][: SHOWN_BY_MAX - 1]
        yield numbers[at], [numbers[other] for other in best]


def _themes(connection: sqlite3.Connection, moved: dict[int, None]) -> list[FoundPattern]:
    """Return the themes that these memories are part of, each once: known by its oldest memory."""
    found: dict[str, FoundPattern] = {}
    seen: set[int] = set()
    for number in moved:
        members = _theme_of(connection, number)
        if members[0] in seen or not is_theme(len(members)):
            continue
        seen.add(members[0])
        key = _oldest(connection, members).hex()
        pattern = FoundPattern(Miner.THEME, key, len(members))
        if key not in found and (_is_known(connection, pattern) or _is_theme(connection, members)):
            found[key] = pattern
    return list(found.values())


def _is_known(connection: sqlite3.Connection, pattern: FoundPattern) -> bool:
    return connection.execute("SELECT 1 FROM pattern WHERE id = ?", (pattern.id,)).fetchone() is not None


def _is_theme(connection: sqlite3.Connection, members: Sequence[int]) -> bool:
    if not is_theme(len(members)):
        return False
    return len(theme_words(texts_at(connection, members, TEXT_CHARACTERS_MAX))) >= THEME_WORDS_MIN


def _theme_of(connection: sqlite3.Connection, number: int) -> list[int]:
    """Return the memories around the one that, of a memory and those like it, is like the most.

    Following likeness further, from one memory to the next, ends with everything that was ever said.
    """
    near = [number, *_like(connection, number)]
    marks = ",".join("?" * len(near))
    ((centre, _),) = connection.execute(
        f"""SELECT id, count(*) AS degree FROM pattern_like WHERE id IN ({marks}) GROUP BY id
            ORDER BY degree DESC, id LIMIT 1""",
        near,
    ).fetchall() or [(number, 0)]
    return [centre, *_like(connection, centre)]


def _like(connection: sqlite3.Connection, number: int) -> list[int]:
    rows = connection.execute(
        "SELECT other FROM pattern_like WHERE id = ? ORDER BY other LIMIT ?", (number, SHOWN_BY_MAX - 1)
    )
    return [other for (other,) in rows]


def _oldest(connection: sqlite3.Connection, numbers: Sequence[int]) -> bytes:
    (rid,) = ids_of(connection, numbers, limit=1)
    return bytes(rid)


# -- the memories that show a pattern --------------------------------------------------------------------------


def _in_both(connection: sqlite3.Connection, a: str, b: str, limit: int) -> list[int]:
    rows = connection.execute(
        """SELECT x.id FROM pattern_subject x JOIN pattern_subject y ON y.subject = ? AND y.id = x.id
           WHERE x.subject = ? ORDER BY x.id LIMIT ?""",
        (b, a, limit),
    )
    return [number for (number,) in rows]


def _show_together(connection: sqlite3.Connection, key: str) -> list[int]:
    a, _, b = key.partition(_BETWEEN)
    return _in_both(connection, a, b, SHOWN_BY_MAX) if come_together(_pair(connection, a, b)) else []


def _show_hub(connection: sqlite3.Connection, key: str) -> list[int]:
    partners = _partners(connection, key)
    if not is_hub(len(partners)):
        return []
    shown = sorted({number for each in partners for number in _in_both(connection, key, each, 1)})
    return shown if len(shown) >= HUB_MEMORIES_MIN else []


def _show_routine(connection: sqlite3.Connection, key: str) -> list[int]:
    subject, _, bucket = key.rpartition(_BETWEEN)
    if not is_routine(*_days(connection, subject, int(bucket))):
        return []
    rows = connection.execute(
        """SELECT s.id FROM pattern_subject s JOIN pattern_note n ON n.id = s.id AND n.bucket = ?
           WHERE s.subject = ? ORDER BY s.id LIMIT ?""",
        (int(bucket), subject, SHOWN_BY_MAX),
    )
    return [number for (number,) in rows]


def _show_mood(connection: sqlite3.Connection, key: str) -> list[int]:
    subject, _, going = key.rpartition(_BETWEEN)
    felt = _felt(connection, subject)
    return [number for number, _ in felt] if mood([valence for _, valence in felt]) == going else []


def _show_theme(connection: sqlite3.Connection, key: str) -> list[int]:
    number = number_of(connection, bytes.fromhex(key))
    members = [] if number is None else _theme_of(connection, number)
    return members if _is_theme(connection, members) else []


_WITNESSES: Final[dict[Miner, Callable[[sqlite3.Connection, str], list[int]]]] = {
    Miner.TOGETHER: _show_together,
    Miner.HUB: _show_hub,
    Miner.ROUTINE: _show_routine,
    Miner.MOOD: _show_mood,
    Miner.THEME: _show_theme,
}
