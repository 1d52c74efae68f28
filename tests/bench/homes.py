"""Ask a hundred and ten everyday homes: does the note that answers come first?

`python -m tests.bench.homes` asks the homes that the ranking was made with, `--aside` those that were kept aside (read
once, and never fitted on), `--since` ten that were written afterwards, `--later` fifty after those. Each home is some
ten to twenty notes of one household, told through the library's own door, with others beside the answer that share its
words, and with what held before. `--others` asks ten in which only somebody else's note has the words of a question,
`--others-aside` ten more, of which nobody looks at what fails; with `--pairs`, each own note stands beside nothing but
the other's and the home's last one. `--missed` shows what came first instead.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import samemind

FOLDER: Final = Path(__file__).parents[1] / "data" / "homes"
SEEN: Final = FOLDER / "seen.txt"
ASIDE: Final = FOLDER / "aside.txt"
SINCE: Final = FOLDER / "since.txt"
LATER: Final = FOLDER / "later.txt"
ALL: Final = (SEEN, ASIDE, SINCE, LATER)
# What is asked of the asker, told in other words beside somebody else's in the words of the question; and as many such
# homes by the same writer, of which only the figure may be looked at.
OTHERS: Final = FOLDER / "others.txt"
OTHERS_ASIDE: Final = FOLDER / "others_aside.txt"
# So many questions of each of these homes are asked of the asker, about so many pairs of notes at its beginning.
PAIRS: Final = 4
# What nothing answers in the homes of `LATER`, though something is near.
MISSING: Final = FOLDER / "missing.txt"


class Question(NamedTuple):
    """What is asked, and the notes that may come first for it, by their places in the home: none answers without."""

    text: str
    right: frozenset[int]


class Household(NamedTuple):
    """The notes of one home in the order in which they were told, and what is asked of them."""

    name: str
    notes: tuple[str, ...]
    questions: tuple[Question, ...]

    @property
    def language(self) -> str:
        """The language of the notes."""
        return self.name.partition(" ")[0]


class Answered(NamedTuple):
    """One question and the texts that came, the best first."""

    home: Household
    question: Question
    found: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether a note that answers came first."""
        return bool(self.found) and self.found[0] in {self.home.notes[at] for at in self.question.right}


def read(path: Path) -> list[Household]:
    """Return the homes of a file; `ValueError` names a line that is none."""
    homes: list[Household] = []
    notes: list[str] = []
    questions: list[Question] = []
    named: dict[str, int] = {}
    name = ""
    for number, line in enumerate([*path.read_text("utf-8").splitlines(), "== end"], start=1):
        if line.startswith("== "):
            if name:
                homes.append(Household(name, tuple(notes), tuple(questions)))
            name, notes, questions, named = line[3:], [], [], {}
        elif line.startswith("? "):
            asked, _, keys = line[2:].partition(" -> ")
            right = frozenset(named[key] for key in keys.split(",")) if keys else frozenset()
            questions.append(Question(asked, right))
        elif "| " in line:
            key, _, text = line.partition("| ")
            if key.strip():
                named[key] = len(notes)
            notes.append(text)
        elif line and not line.startswith("#"):
            raise ValueError(f"{path.name}:{number}: expected a note, a question or a home, got {line!r}")
    return homes


def pairs(home: Household) -> Iterator[Household]:
    """Give each question of a home of `OTHERS` that is asked of the asker a home: its two notes, and the last one."""
    for at, question in enumerate(home.questions[:PAIRS]):
        notes = (home.notes[-1], *home.notes[2 * at : 2 * at + 2])
        yield Household(home.name, notes, (Question(question.text, frozenset([1])),))


def ask(home: Household) -> Iterator[Answered]:
    """Tell a home's notes to a device of its own, and ask its questions."""
    with tempfile.TemporaryDirectory() as folder, samemind.open_blocking(folder) as mind:
        for note in home.notes:
            if (told := mind.remember(note, wait=True)).held:  # a password: its owner would decide to keep it
                mind.release_held(told.rid)
        for question in home.questions:
            found = mind.recall(question.text).results
            yield Answered(home, question, tuple(hit.text for hit in found))


def report(answers: Sequence[Answered]) -> str:
    """Return how many came first, of all and by language."""
    lines = []
    for language in ("", *sorted({one.home.language for one in answers})):
        some = [one for one in answers if language in ("", one.home.language)]
        right = sum(one.right for one in some)
        lines.append(
            f"{language or 'all':>5} {right:4} of {len(some):4} first: {100 * right / len(some):5.1f} %"
        )
    return "\n".join(lines)


def main() -> None:
    """Print how many of the questions find their answer first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aside", action="store_true", help="the homes that were kept aside")
    parser.add_argument("--missed", action="store_true", help="show what came first instead")
    parser.add_argument("--since", action="store_true", help="the homes that were written afterwards")
    parser.add_argument("--later", action="store_true", help="fifty that were written after those")
    parser.add_argument(
        "--others", action="store_true", help="ten in which only somebody else's note has the words"
    )
    parser.add_argument("--others-aside", action="store_true", help="ten more of these, kept aside")
    parser.add_argument("--pairs", action="store_true", help="of these two, each pair of notes by itself")
    options = parser.parse_args()
    asked = {
        ASIDE: options.aside,
        SINCE: options.since,
        LATER: options.later,
        OTHERS: options.others,
        OTHERS_ASIDE: options.others_aside,
    }
    homes = read(next((path for path, wanted in asked.items() if wanted), SEEN))
    if options.pairs:
        homes = [pair for home in homes for pair in pairs(home)]
    answers = [one for home in homes for one in ask(home)]
    for one in answers:
        if options.missed and not one.right:
            place = next(
                (
                    i
                    for i, text in enumerate(one.found)
                    if text in {one.home.notes[at] for at in one.question.right}
                ),
                None,
            )
            print(f"{one.home.name}: {one.question.text}  ->  {one.found[:1]} (right at {place})")
    print(report(answers))


if __name__ == "__main__":
    main()
