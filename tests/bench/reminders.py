"""Count how reminders are read that hold the times of others' collections: Duckling's and Recognizers-Text's.

python -m tests.bench.reminders duckling|recognizers CLONE [--half seen|unseen] [--wrong]

CLONE is a git directory of facebook/duckling (BSD) or microsoft/Recognizers-Text (MIT), whose makers wrote down what
they want read, and as what. Each expression of one day or moment to come stands behind "remind me" in its language.
Expressions with time zones are left out. The half that was looked at while the reader was made is "seen".
"""

import argparse
import hashlib
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from cognition.reminding.reading import read_reminder

ASKING: Final = {
    "EN": "Remind me {}: passport",
    "DE": "Erinnere mich {}: Pass",
    "FR": "Rappelle-moi {} : passeport",
    "ES": "Recuérdame {}: pasaporte",
    "IT": "Ricordami {}: passaporto",
    "PT": "Lembra-me {}: passaporte",
    "NL": "Herinner me {}: paspoort",
    "PL": "Przypomnij mi {}: paszport",
    "RU": "Напомни мне {}: паспорт",
    "UK": "Нагадай мені {}: паспорт",
}
NAMES: Final = {
    "English": "EN",
    "German": "DE",
    "French": "FR",
    "Spanish": "ES",
    "Italian": "IT",
    "Portuguese": "PT",
    "Dutch": "NL",
}
# When the expressions of Duckling are said.
SAID: Final = datetime(2013, 2, 12, 4, 30)  # noqa: DTZ001 -- a clock on the wall
_EXAMPLES: Final = re.compile(
    r"examples\s*\(datetime\s*\((\d+),\s*(\d+),\s*(\d+),\s*(\d+),\s*(\d+),\s*[\d.]+\)\s*(\w+)\)\s*"
    r"\[((?:[^\]\"]|\"(?:[^\"\\]|\\.)*\")*)\]"
)
_ZONE: Final = re.compile(r"\b(?:GMT|PST|CET|BST|IST)\b", re.IGNORECASE)
_YEARS_MAX: Final = 3


class Expression(NamedTuple):
    """A time in words, when it was said, and the moments that are right; only days where no `hour` is told."""

    language: str
    words: str
    said: datetime
    wanted: tuple[datetime, ...]
    hour: bool


def duckling(clone: Path) -> Iterator[Expression]:
    """Return the expressions of Duckling's corpora that name one day or moment to come."""
    for language in ASKING:
        source = _show(clone, f"Duckling/Time/{language}/Corpus.hs")
        for match in _EXAMPLES.finditer(source[source.index("allExamples") :]):
            year, month, day, hour, minute = map(int, match.groups()[:5])
            try:
                wanted = datetime(year, month, day, hour, minute)  # noqa: DTZ001 -- a clock on the wall
            except ValueError:
                continue
            # "In two days" is of that day, whatever the hour.
            of_hour = match[6] in ("Minute", "Second") or (match[6] == "Hour" and hour != SAID.hour)
            if match[6] not in ("Day", "Hour", "Minute", "Second") or not _comes(wanted, SAID, hour=of_hour):
                continue
            for quoted in re.findall(r"\"((?:[^\"\\]|\\.)*)\"", match[7]):
                words = re.sub(r"\\(\d+)", lambda number: chr(int(number[1])), quoted).replace("\\&", "")
                if not _ZONE.search(words):
                    yield Expression(language, words.replace('\\"', '"'), SAID, (wanted,), of_hour)


def recognizers(clone: Path) -> Iterator[Expression]:
    """Return the expressions of Recognizers-Text that name one day or moment to come."""
    known = set()
    for name, language in NAMES.items():
        for case in json.loads(
            _show(clone, f"Specs/DateTime/{name}/DateTimeModel.json").removeprefix("\ufeff")
        ):
            said_at = case.get("Context", {}).get("ReferenceDateTime")
            results = case.get("Results", [])
            if not said_at or len(results) != 1:
                continue
            kind = results[0]["TypeName"].rpartition(".")[2]
            said = datetime.fromisoformat(said_at[:19])
            values = (results[0].get("Resolution") or {}).get("values", [])
            wanted = tuple(
                moment
                for value in values
                if (moment := _moment(kind, value.get("value", ""), said)) is not None
                and _comes(moment, said, hour=kind != "date")
            )
            key = language, results[0]["Text"].casefold(), said
            if wanted and key not in known:
                known.add(key)
                yield Expression(language, results[0]["Text"], said, wanted, kind != "date")


def _show(clone: Path, path: str) -> str:
    shown = subprocess.run(
        ["git", "--git-dir", str(clone), "show", f"HEAD:{path}"], check=True, capture_output=True
    )
    return shown.stdout.decode("utf-8")


def _comes(wanted: datetime, said: datetime, *, hour: bool) -> bool:
    later = wanted > said if hour else wanted.date() > said.date()
    return later and wanted.year <= said.year + _YEARS_MAX


def _moment(kind: str, value: str, said: datetime) -> datetime | None:
    try:
        if kind in ("date", "datetime"):
            return datetime.fromisoformat(value)
        if kind != "time":
            return None
        hour, minute, _ = map(int, value.split(":"))
    except ValueError:
        return None
    moment = said.replace(hour=hour % 24, minute=minute, second=0)
    return moment if moment > said else moment + timedelta(days=1)


def judge(told: Expression) -> str:
    """Say how a reminder with these words is read: right, day, hour (which of them is wrong) or silent."""
    found = read_reminder(ASKING[told.language].format(told.words), told.said)
    if found is None:
        return "silent"
    if found.due.date() not in {moment.date() for moment in told.wanted}:
        return "day"
    at = found.due.hour, found.due.minute
    return "hour" if told.hour and at not in {(each.hour, each.minute) for each in told.wanted} else "right"


def is_seen(told: Expression) -> bool:
    """Say whether an expression is of the half that was looked at; those of one moment stay together."""
    return hashlib.sha256(f"{told.language}{told.wanted[0]}".encode()).digest()[0] % 2 == 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each language, and one for all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", choices=["duckling", "recognizers"])
    parser.add_argument("clone", type=Path)
    parser.add_argument("--half", choices=["seen", "unseen"])
    parser.add_argument("--wrong", action="store_true", help="name what was not read right")
    options = parser.parse_args(arguments)
    counted: dict[str, Counter[str]] = {}
    for told in {"duckling": duckling, "recognizers": recognizers}[options.collection](options.clone):
        if options.half is not None and is_seen(told) != (options.half == "seen"):
            continue
        verdict = judge(told)
        counted.setdefault(told.language, Counter())[verdict] += 1
        if options.wrong and verdict != "right":
            print(f"  {verdict}: {told.words!r} of {told.said}, wanted {told.wanted[0]}")
    counted["all"] = sum(counted.values(), Counter())
    for language, counts in counted.items():
        total = counts.total()
        print(f"{language}: {100 * counts['right'] / total:.0f} % of {total} right, {dict(counts)}")


if __name__ == "__main__":
    main()
