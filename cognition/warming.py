"""Make ready what reading takes before the first text comes, where a machine is slow and something can be kept.

Texts are read by hundreds of expressions and some tables, each made when it is first used: a program that only recalls
uses none of them. A phone takes most of a second for it, which the first telling in each language would wait for.
"""

import importlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from cognition.expressions import compile_late
from cognition.extraction.english import BY_FIRST_WORD
from cognition.extraction.other_languages import DENIED, LEANING
from cognition.extraction.other_languages import PATTERNS as OTHER_LANGUAGES
from cognition.extraction.pattern import compiled
from cognition.ingest.holding import secret_kinds
from cognition.ingest.plan import read_text
from cognition.reminding.reading import read_reminder
from cognition.reminding.words import table
from cognition.times import windows

# What else is made late is made for these: a reminder, a date and a fact in each language that has tables of its own.
_READ: Final = (
    "Remind me to call the plumber on Monday at 9. Anna moved to Berlin last week and she works at a bakery now.",
    "Erinnere mich morgen um 9 an den Zahnarzt. Ich wohne seit letzter Woche in Berlin und mag meinen Garten nicht.",
    "Recuérdame mañana a las 9 llamar al dentista. Ayer fui a Sevilla, vivo en Madrid y me gusta el té.",
    "Напомни мне завтра в 9 позвонить врачу. Я живу в Москве и работаю в школе с прошлой недели.",
    "Нагадай мені завтра о 9 подзвонити лікарю. Я живу в Києві й працюю у школі з минулого тижня.",
)
_TOLD: Final = datetime(2026, 1, 5, 12, tzinfo=UTC)


def make_ready() -> Iterator[None]:
    """Make all of it, a little at each step; what is ready is ready for every text that is read afterwards."""
    # Who reads texts is imported when the first one is read, and what it has to compile is known from then on.
    importlib.import_module("cognition.contradictions.reading")
    yield
    yield from compile_late()
    for expression in dict.fromkeys(_of_tables()):
        compiled(expression)
        yield
    lists = table().lists
    for name in lists.names:
        _ = lists[name]  # which makes it
        yield
    told_ms = round(_TOLD.timestamp() * 1_000)
    for text in _READ:
        read_reminder(text, _TOLD.replace(tzinfo=None))
        yield
        read_text(text, {}, now_ms=told_ms)
        secret_kinds(text, {})
        windows(text, told_ms)
        yield


def _of_tables() -> Iterator[str]:
    for patterns in BY_FIRST_WORD.values():
        for pattern in patterns:
            yield pattern.predicate
            if pattern.value is not None:
                yield pattern.value
    for language, wholes in OTHER_LANGUAGES.items():
        yield from (DENIED[language], LEANING[language])
        yield from (whole.clause for whole in wholes)
