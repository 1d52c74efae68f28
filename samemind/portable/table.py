"""Read a table of texts, as CSV: of the columns one holds what was noted, and others maybe when, by whom and of what.

Columns are known by their names, in ten languages, or by what stands in them: a column of sentences is the text, one
of days says when. Where two may be the text, or none, nothing is guessed: the error says which columns there are.
"""

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from statistics import fmean
from typing import Final, NamedTuple

from replica import Value, derived_memory_id
from replica.fields import Scalar
from samemind.errors import Usage
from samemind.portable.days import day_of, month_first_in
from samemind.portable.records import Item, Record, Unreadable

SOURCE: Final = "csv"
_ENDINGS: Final = (".csv", ".tsv")
_DELIMITERS: Final = (",", ";", "\t", "|")
# Of one column that is not parted.
_NO_DELIMITER: Final = "\x1f"
# What a spreadsheet writes above a table to say what parts its columns.
_SAID_DELIMITER: Final = re.compile(r"sep=(.)\r?\n")
# A table is known by its first rows.
_LOOKED_AT: Final = 200
_NAMES: Final = {
    "text": "text texts note notes memo content contents body entry message comment description notiz notizen inhalt"
    " eintrag nachricht beschreibung texte contenu entree texto contenido nota notas mensaje entrada descripcion testo"
    " contenuto messaggio voce conteudo mensagem anotacao tekst inhoud notitie bericht tresc notatka wiadomosc wpis"
    " текст заметка запись сообщение содержание нотатка запис повідомлення зміст",
    "date": "date datetime day time timestamp created created_at createdat created_time when datum tag zeit erstellt"
    " jour cree heure fecha dia hora creado data giorno ora creato criado dag tijd aangemaakt dzien czas utworzono дата"
    " день время создано час створено",
    "speaker": "speaker who from sender wer absender von qui expediteur quien remitente de chi mittente quem remetente"
    " wie afzender van kto nadawca od кто отправитель от хто відправник від",
    "title": "title note_title subject topic heading titel betreff thema titre sujet titulo asunto tema titolo oggetto"
    " assunto onderwerp tytul temat название заголовок тема назва",
}
# How people name themselves in a list of their own.
_ONESELF: Final = frozenset(["i", "me", "myself", "ich", "moi", "je", "yo", "io", "eu", "ik", "ja", "я"])
_ACCENTS: Final = str.maketrans("áàâãäéèêëíìîïóòôõöúùûüçñłśźżęąńć", "aaaaaeeeeiiiiooooouuuucnlszzeanc")
# A sentence has more characters than a name, and blanks; the text has twice those of any other column.
_SENTENCE_CHARACTERS: Final = 12
_TIMES_OF_OTHERS: Final = 2
_HEADING_CHARACTERS_MAX: Final = 60
_SHOWN_MAX: Final = 12
_SECONDS_DIGITS: Final = 10
_MILLISECONDS_DIGITS: Final = 13


class _Columns(NamedTuple):
    """Where in a row stands what; -1: nowhere."""

    text: int
    date: int
    speaker: int
    title: int


def looks_like(name: str, text: str) -> bool:
    """Say whether a file is a table by its name."""
    return name.lower().endswith(_ENDINGS) and bool(text.strip())


def read(name: str, text: str) -> Iterator[Record]:
    """Return a note for each row that says something; `name` is the file's, and is what they are of."""
    said = _SAID_DELIMITER.match(text.lstrip("\ufeff"))
    delimiter = said[1] if said is not None else _delimiter(text)
    table = text.lstrip("\ufeff")[said.end() if said is not None else 0 :]
    some = [row for _, row in islice(_rows(table, delimiter), _LOOKED_AT) if isinstance(row, list)]
    if not some:
        raise Usage(f"{name}: expected a table with a line of names above it", code="unknown_format")
    header = [cell.strip() for cell in some[0]]
    columns = _columns(name, header, some[1:])
    month_first = month_first_in(_cell(row, columns.date) for _, row in _rows(table, delimiter))
    return _notes(name, header, _rows(table, delimiter), columns, month_first)


def _notes(
    name: str,
    header: Sequence[str],
    rows: Iterator[tuple[int, list[str] | str]],
    columns: _Columns,
    month_first: bool | None,
) -> Iterator[Record]:
    title = name.rpartition("/")[2].rpartition(".")[0] or name
    times = Counter[str]()
    next(rows)  # the names of the columns
    for line, row in rows:
        if isinstance(row, str) or any(row[len(header) :]):
            found = row if isinstance(row, str) else f"found {len(row)}"
            yield Unreadable(line=line, reason=f"expected a row of {len(header)} cells, {found}")
            continue
        text, speaker = _cell(row, columns.text), _cell(row, columns.speaker)
        if not text:
            continue
        fields: dict[str, Value] = {"source": SOURCE, "topic": _cell(row, columns.title) or title}
        if (told_at := _moment(_cell(row, columns.date), month_first)) is not None:
            fields["told_at"] = told_at
        if speaker and speaker.casefold() not in _ONESELF:
            fields["speaker"] = speaker
        # A moment that was not understood is kept as it stands.
        shown = {
            columns.text,
            columns.speaker,
            columns.title,
            *([columns.date] if told_at is not None else []),
        }
        beside: dict[str, Scalar] = {
            header[at]: cell.strip()
            for at, cell in enumerate(row[: len(header)])
            if at not in shown and cell.strip()
        }
        if beside:
            fields["meta"] = beside
        # Rows have no numbers that last: what was noted, when and by whom, names one.
        named = f"{told_at}\0{speaker}\0{hashlib.sha256(text.encode(errors='replace')).hexdigest()}"
        times[named] += 1
        yield Item(
            line=line, rid=derived_memory_id(SOURCE, f"{named}\0{times[named]}"), text=text, fields=fields
        )


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Return the rows that hold anything, each with the line that it ends on; what is none, as why it is none."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield reader.line_num, str(error)
            continue
        if any(cell.strip() for cell in row):
            yield reader.line_num, row


def _cell(row: list[str] | str, at: int) -> str:
    return row[at].strip() if isinstance(row, list) and 0 <= at < len(row) else ""


def _delimiter(text: str) -> str:
    """Return what parts the first rows into as many cells as there are names above them, and into most."""

    def fit(delimiter: str) -> tuple[float, int]:
        rows = [row for _, row in islice(_rows(text, delimiter), _LOOKED_AT) if isinstance(row, list)]
        width = len(rows[0]) if rows else 1
        return (fmean(len(row) == width for row in rows) if width > 1 else 0.0, width)

    best = max(_DELIMITERS, key=fit)
    return best if fit(best)[0] else _NO_DELIMITER


def _columns(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> _Columns:
    cells = [
        [row[at].strip() for row in rows if at < len(row) and row[at].strip()] for at in range(len(header))
    ]
    called = [_called(each) for each in header]
    dates = sorted(
        (at for at, each in enumerate(cells) if _are_moments(each)), key=lambda at: (called[at] != "date", at)
    )
    lengths = [fmean(map(len, each)) if each else 0.0 for each in cells]
    texts = [at for at, kind in enumerate(called) if kind == "text" and cells[at]] or [
        at for at, kind in enumerate(called) if kind is None and _are_sentences(cells[at])
    ]
    texts.sort(key=lambda at: lengths[at], reverse=True)
    is_unsure = len(texts) > 1 and lengths[texts[0]] < _TIMES_OF_OTHERS * lengths[texts[1]]
    is_headed = all(len(each) <= _HEADING_CHARACTERS_MAX and _moment(each, None) is None for each in header)
    if not texts or is_unsure or not is_headed:
        found = ", ".join(repr(each[:_HEADING_CHARACTERS_MAX]) for each in header[:_SHOWN_MAX])
        more = f" and {len(header) - _SHOWN_MAX} more" if len(header) > _SHOWN_MAX else ""
        raise Usage(
            f"{name}: expected one column of texts, found the columns {found}{more}",
            code="unknown_format",
            hint="in its first line, call the column of texts `text`, those of days and speakers `date` and `speaker`",
        )
    speaker, title = (called.index(each) if each in called else -1 for each in ("speaker", "title"))
    return _Columns(texts[0], dates[0] if dates else -1, speaker, title)


def _called(name: str) -> str | None:
    """Return what a column is by its name; None where that says nothing."""
    plain = name.casefold().translate(_ACCENTS).replace(" ", "_")
    return next((kind for kind, names in _NAMES.items() if plain in names.split()), None)


def _are_sentences(cells: Sequence[str]) -> bool:
    return (
        bool(cells)
        and fmean(map(len, cells)) >= _SENTENCE_CHARACTERS
        and sum(" " in cell for cell in cells) * 2 > len(cells)
        and not _are_moments(cells)
    )


def _are_moments(cells: Sequence[str]) -> bool:
    month_first = month_first_in(cells)
    return sum(_moment(cell, month_first) is not None for cell in cells) * 2 > len(cells)


def _moment(cell: str, month_first: bool | None) -> int | None:
    """Return when a cell says, in ms since 1970: a time, a day, or a count of seconds or milliseconds since 1970.

    A time without a zone is read as UTC, so that every device reads it alike.
    """
    if cell.isascii() and cell.isdigit() and len(cell) in (_SECONDS_DIGITS, _MILLISECONDS_DIGITS):
        return int(cell) * (1_000 if len(cell) == _SECONDS_DIGITS else 1)
    if re.match(r"\d{4}-\d\d-\d\d[T ]\d", cell, re.ASCII):
        try:
            moment = datetime.fromisoformat(cell.removesuffix(" UTC"))
        except ValueError:
            return None
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1_000)
    return day_of(cell, month_first=month_first, short_years=True)
