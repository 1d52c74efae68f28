"""A store that does not change answers as it did: once all of it is embedded, and when it is opened anew."""

from pathlib import Path

import samemind
from samemind.library.blocking import BlockingMind
from tests.bench.sentences import sentences

TOLD = (
    "Ann moved to Lisbon last spring",
    "The ladder is in Olga's shed",
    "Bin day is Thursday",
    *sentences(200),
)
ASKED = (
    "Where did Ann move?",
    "who has the ladder",
    "rubbish collection",
    "цвет лестницы",
    "a word about something",
)
NOW = "2026-11-26T12:00:00+00:00"


def answers(mind: BlockingMind) -> list[list[tuple[str, float]]]:
    """Return what each question finds: the time that is asked at is the same, whenever it is."""
    return [[(hit.rid, round(hit.score, 5)) for hit in mind.recall(q, now=NOW)] for q in ASKED]


def test_no_answer_of_a_fixed_store_depends_on_when_it_is_asked(tmp_path: Path) -> None:
    """Asked again, and by a process that loads all of it anew, once all is embedded."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember_many(TOLD)
        mind.remember("that is all", wait=True)
        first = answers(mind)
        assert mind.recall(ASKED[0]).unembedded == 0
        assert answers(mind) == first
    for _ in range(2):
        with samemind.open_blocking(tmp_path / "home") as mind:
            assert answers(mind) == first, "also of the first question, which loads what it needs"
