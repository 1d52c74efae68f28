"""What people bring when they begin: whose words are whose, when they were said, and whom they are about.

`tests/data/exports` holds a small export of each kind, in the form of the program that it is from, made up throughout.
`expected.json` says of each what is to come of it: who said it (nobody: the owner), when, under which title, and whose
home, employer and birthday are read.
"""

import json
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import samemind
from cognition.ingest.plan import read_text as read_claims
from samemind.errors import Usage
from samemind.portable import markdown, texts, whatsapp
from samemind.portable.files import read_path, read_text
from samemind.portable.records import Item, Reads, Record, Unreadable

FOLDER = Path(__file__).parents[2] / "data" / "exports"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
NOW_MS = 1_790_000_000_000


# Of each month, as programs shorten it, from German to Ukrainian.
MONTHS_SHORTENED = (
    "Jan janv. ene gen jan. jan sty янв. січ. / Feb févr. feb feb fev. feb lut февр. лют. / "
    "März mars mar mar mar. mrt mar мар. бер. / Apr. avr. abr apr abr. apr kwi апр. квіт. / "
    "Mai mai may mag mai. mei maj мая трав. / Juni juin jun giu jun. jun cze июн. черв. / "
    "Juli juil. jul lug jul. jul lip июл. лип. / Aug. août ago ago ago. aug sie авг. серп. / "
    "Sept. sept. sept set set. sep wrz сент. вер. / Okt. oct. oct ott out. okt paź окт. жовт. / "
    "Nov. nov. nov nov nov. nov lis нояб. лист. / Dez. déc. dic dic dez. dec gru дек. груд."
)


def given(name: str) -> Path:
    """Return what somebody would import: the file, or the folder where there are several."""
    files = [path for path in (FOLDER / name).rglob("*") if path.is_file()]
    return files[0] if len(files) == 1 else FOLDER / name


def when(item: Item) -> str | None:
    """Return when something was told, to the minute."""
    told_at = item.fields.get("told_at")
    return datetime.fromtimestamp(told_at / 1_000, UTC).isoformat()[:16] if isinstance(told_at, int) else None


def claims_of(items: Iterator[Item]) -> list[list[str]]:
    """Return what those state that are read: of whom, what, and its value."""
    return [
        [each.entity, each.relation, each.value]
        for item in items
        if item.reads is Reads.YES
        for each in read_claims(item.text, item.fields, now_ms=NOW_MS)[1].statements
    ]


def test_there_are_as_many_as_were_promised() -> None:
    assert len(EXPECTED) >= 20


@pytest.mark.parametrize("name", EXPECTED)
def test_an_export_is_known_by_itself_and_says_who_said_what_when(name: str) -> None:
    records = [*read_path(given(name), "auto")]
    assert not [record for record in records if isinstance(record, Unreadable)]
    items = [record for record in records if isinstance(record, Item)]
    found = [[it.fields.get("speaker"), when(it), it.fields.get("topic"), it.text] for it in items]
    assert found == EXPECTED[name]["said"]
    assert len({it.rid for it in items}) == len(items)
    assert records == [*read_path(given(name), "auto")], "the same ids each time"


@pytest.mark.parametrize("name", EXPECTED)
def test_what_the_owner_states_is_theirs_and_what_others_do_is_not(name: str) -> None:
    items = (record for record in read_path(given(name), "auto") if isinstance(record, Item))
    assert claims_of(items) == EXPECTED[name]["claims"]


def test_the_name_in_the_profile_says_which_words_of_a_chat_are_the_owners(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path) as mind:
        mind.import_(given("whatsapp_gb"))
        mind.set_profile(name="Tom Hadley")
        mind.wait_for_queue()
        (first,) = mind.recall("where do I live?", k=1)
    assert first.speaker == "Tom Hadley"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("apple_notes", "--format markdown"),
        ("signal", "help import"),
    ],
)
def test_what_is_of_no_known_form_is_refused_once_and_says_what_to_do(name: str, hint: str) -> None:
    with pytest.raises(Usage, match="expected") as caught:
        list(read_path(given(name), "auto"))
    assert hint in caught.value.hint


def test_text_files_of_a_folder_are_notes_where_somebody_says_so() -> None:
    said = [
        record.text for record in read_path(FOLDER / "apple_notes", "markdown") if isinstance(record, Item)
    ]
    assert said == ["Me\n\nI live in Split and work at Ericsson.", "Wifi\n\nguest network is sunflower"]


@pytest.mark.parametrize(
    ("lines", "day"),
    [
        (("1/5/24, 9:00 PM", "1/13/24, 9:00 PM"), "2024-01-05"),  # there is no thirteenth month
        (("1/5/24, 9:00 PM", "13/5/24, 9:00 PM"), "2024-05-01"),
        (("1/12/24, 9:00 PM", "2/1/24, 9:00 PM", "2/2/24, 9:00 PM"), "2024-01-12"),  # time goes on
        (("1/2/24, 21:00", "2/2/24, 21:00"), "2024-02-01"),
        (("1/2/24, 9:00 PM", "1/3/24, 9:00 PM"), "2024-01-02"),  # a clock of twelve hours
        (("1.2.24, 21:00", "1.3.24, 21:00"), "2024-02-01"),
        (("2024-02-01, 21:00",), "2024-02-01"),
        (("1.2.2024 klo 21.00",), "2024-02-01"),
    ],
)
def test_which_number_is_the_month_is_read_of_the_whole_chat(lines: tuple[str, ...], day: str) -> None:
    text = "\n".join(f"{line} - Ann: hello {number}" for number, line in enumerate(lines))
    first = next(whatsapp.read("chat.txt", text))
    assert isinstance(first, Item)
    assert when(first) == f"{day}T21:00"


def test_a_chat_keeps_what_people_wrote_over_lines_and_says_where_it_is_broken(tmp_path: Path) -> None:
    text = (
        "31/02/2024, 10:00 - Ann: no such day\n01/03/2024, 10:00 - Ann: one\ntwo: three\n\n"
        "01/03/2024, 10:00 - Ann: again\n01/03/2024, 10:00 - Ann: again\n01/03/2024, 10:01 - Ann left\n"
    )
    bad, first, *again = whatsapp.read("a.txt", text)
    assert isinstance(bad, Unreadable)
    assert isinstance(first, Item)
    assert first.text == "one\ntwo: three"
    assert len({each.rid for each in again if isinstance(each, Item)}) == 2, "said twice"
    packed = tmp_path / "WhatsApp Chat - Ann.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("IMG-1.jpg", b"\xff\xd8")
        archive.writestr("_chat.txt", text)
    zipped = [record for record in read_path(packed, "auto") if isinstance(record, Item)]
    assert [each.rid for each in zipped] == [each.rid for each in (first, *again) if isinstance(each, Item)]
    assert {each.fields["topic"] for each in zipped} == {"WhatsApp Chat - Ann"}


@pytest.mark.parametrize(
    "placeholder",
    [
        "This message was deleted", "You deleted this message", "Diese Nachricht wurde gelöscht.",
        "Questo messaggio è stato eliminato", "Dit bericht is verwijderd", "Ce message a été supprimé",
        "Se eliminó este mensaje.", "Mensagem apagada", "Данное сообщение удалено",
    ],
)  # fmt: skip
def test_a_message_that_was_deleted_in_a_chat_is_no_memory(placeholder: str) -> None:
    text = (
        f"13/02/2024, 10:00 - Ann: hello\n13/02/2024, 10:01 - Ann: {placeholder}\n"
        f"13/02/2024, 10:02 - Bob: {placeholder} by whom?\n"
    )
    said = [record.text for record in whatsapp.read("a.txt", text) if isinstance(record, Item)]
    assert said == ["hello", f"{placeholder} by whom?"]


def zipped(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, data in files.items():
            archive.writestr(place, data)
    return path


def files_of(name: str) -> dict[str, bytes | str]:
    folder = FOLDER / name
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    "name", sorted(EXPECTED.keys() - {"diary", "diary_lines", "vault", "mbox_thunderbird"})
)
def test_what_a_program_exports_may_stay_zipped(tmp_path: Path, name: str) -> None:
    packed = zipped(tmp_path / "export.zip", {**files_of(name), "media/1.jpg": b"\xff\xd8"})
    said = [[it.fields.get("speaker"), it.text] for it in read_path(packed, "auto") if isinstance(it, Item)]
    assert sorted(map(repr, said)) == sorted(repr([who, text]) for who, _, _, text in EXPECTED[name]["said"])


def test_a_zip_of_slack_is_what_its_folder_is_however_it_was_packed(tmp_path: Path) -> None:
    unpacked = [*read_path(FOLDER / "slack", "auto")]
    assert [*read_path(zipped(tmp_path / "a.zip", files_of("slack")), "auto")] == unpacked
    # as a Mac packs a folder
    again = {f"Acme Slack export/{place}": data for place, data in files_of("slack").items()}
    again["__MACOSX/Acme Slack export/general/._2024-01-15.json"] = b"\0\5\x16\7"
    again["Other/2024-01-15.json"] = '[{"type": "message", "user": "U1", "text": "not of it", "ts": "1.5"}]'
    assert [*read_path(zipped(tmp_path / "b.zip", again), "auto")] == unpacked
    assert [*read_path(zipped(tmp_path / "c.zip", again), "slack")] == unpacked


def test_slack_names_people_by_their_messages_where_no_list_does_and_direct_chats_by_their_members(
    tmp_path: Path,
) -> None:
    files = files_of("slack")
    day = files.pop("general/2024-01-15.json")
    named = {**files, "D7/2024-01-15.json": day, "mpdm-a--b-1/2024-01-15.json": day}
    named["dms.json"] = '[{"id": "D7", "members": ["U1", "U2"]}, 7]'
    named["mpims.json"] = '[{"id": "G1", "name": "mpdm-a--b-1", "members": ["U2", "U9"]}]'
    items = [it for it in read_path(zipped(tmp_path / "a.zip", named), "auto") if isinstance(it, Item)]
    assert [it.fields["topic"] for it in items] == ["Min Lee, Bo Falk"] * 2 + ["Bo Falk, U9"] * 2
    del files["users.json"]
    unnamed = zipped(tmp_path / "b.zip", {**files, "general/2024-01-15.json": day})
    items = [it for it in read_path(unnamed, "auto") if isinstance(it, Item)]
    assert [it.fields["speaker"] for it in items] == ["Min Lee", "U2"]
    whole = {
        **files,
        "org_users.json": '[{"id": "U2", "name": "bo"}, {}]',
        "general/2024-01-15.json": day,
    }
    items = [it for it in read_path(zipped(tmp_path / "c.zip", whole), "auto") if isinstance(it, Item)]
    assert [it.fields["speaker"] for it in items] == ["Min Lee", "bo"]


def test_a_zip_of_more_than_an_export_has_is_refused_before_anything_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = zipped(tmp_path / "small.zip", files_of("slack"))
    bomb = zipped(tmp_path / "bomb.zip", {"users.json": "[]", "general/2024-01-15.json": b" " * 200_000_000})
    unpacked: list[object] = []
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *args: unpacked.append(args))
    with pytest.raises(Usage, match="unpack to at most"):
        list(read_path(bomb, "auto"))
    monkeypatch.setattr(texts, "ZIP_FILES_MAX", 2)
    with pytest.raises(Usage, match="at most 2 files in the zip"):
        list(read_path(small, "auto"))
    monkeypatch.setattr(texts, "ZIP_LIST_BYTES_MAX", 100)
    monkeypatch.setattr(zipfile, "ZipFile", unpacked.append)
    with pytest.raises(Usage, match="files in the zip, it has more"):
        list(read_path(small, "auto"))
    assert unpacked == []


def test_a_zip_of_nothing_known_says_so(tmp_path: Path) -> None:
    packed = zipped(tmp_path / "a.zip", {"a.json": '{\n"x":\n1}', "b.txt": "milk"})
    with pytest.raises(Usage, match="files of a known format in the zip, found none") as caught:
        list(read_path(packed, "auto"))
    assert "mail (.mbox)" in caught.value.hint
    whatsapp_too = zipped(
        tmp_path / "b.zip", {**files_of("whatsapp_us"), "b.txt": b"caf\xe9", "c.json": "{}"}
    )
    *_, broken = read_path(whatsapp_too, "auto")
    assert isinstance(broken, Unreadable)


@pytest.mark.parametrize(
    ("heading", "day"),
    [
        *(
            (written, f"2025-{month:02}-02")
            for month, words in enumerate(MONTHS_SHORTENED.split(" / "), 1)
            for written in (f"2 {word} 2025" for word in words.split())
        ),
        ("2 de abr. de 2025", "2025-04-02"),
        ("Apr 2, 2025", "2025-04-02"),
        ("2 лист. 2025 р.", "2025-11-02"),
        ("mar. 2 juin 2025", "2025-06-02"),  # a Tuesday
        ("mar. 4 mars 2025", "2025-03-04"),
        ("środa, 2 kwietnia 2025", "2025-04-02"),
        ("quarta-feira, 2 de abril de 2025", "2025-04-02"),
        ("1/25/2024", "2024-01-25"),
        ("4/3/24", None),
        ("1.2.24", None),  # a version
        ("2 jui 2025", None),
        ("2024-03-05", "2024-03-05"),
        ("2024_03_05 Tuesday", "2024-03-05"),
        ("Sunday 14 April 2024", "2024-04-14"),
        ("Montag, den 3. März 2025", "2025-03-03"),
        ("domingo, 2 de junio de 2024", "2024-06-02"),
        ("5 мая 2024", "2024-05-05"),
        ("5.3.2024, 21:30", "2024-03-05"),
        ("25/3/2024", "2024-03-25"),
        ("4/3/2024", None),  # April or March
        ("March 2024", None),
        ("Trip May 2-5 2024", None),
        ("Deadline 2027-05-02", None),
        ("Invoice 12 2024", None),
        ("31.02.2024", None),
    ],
)
def test_a_heading_that_is_a_day_says_when_what_stands_below_was_told(heading: str, day: str | None) -> None:
    below, later = markdown.read("diary.md", f"## {heading}\n\nRain.\n\n### Evening\n\nSun.\n")
    assert isinstance(below, Item)
    assert isinstance(later, Item)
    assert when(below) == when(later) == (None if day is None else f"{day}T00:00")


DIARIES: list[tuple[str, str, list[tuple[int, str | None, str]]]] = [
    ("d.txt", "3 Jan 2024\nDerby.\n\n4 Jan 2024:\n-----\nRain.\nSun.\n",
     [(1, "2024-01-03", "Derby."), (4, "2024-01-04", "Rain.\nSun.")]),
    ("d.txt", "2024-01-03: rain\nmore\n2024-01-04 snow\n3.2.24 - ice",
     [(1, "2024-01-03", "rain\nmore"), (3, "2024-01-04", "snow"), (4, "2024-02-03", "ice")]),
    ("d.txt", "1/25/24\na\n2/3/24\nb",
     [(1, "2024-01-25", "a"), (3, "2024-02-03", "b")]),
    ("d.txt", "25/1/2024 a\n3/2/2024 b",
     [(1, "2024-01-25", "a"), (2, "2024-02-03", "b")]),
    ("d.txt", "May 5, 2024: at 10:30 I left\nMay 7, 2024: 3 May 2024 was nice",
     [(1, "2024-05-05", "at 10:30 I left"), (2, "2024-05-07", "3 May 2024 was nice")]),
    ("Tagebuch 2024.txt", "Montag, 5. März\nx\n6. März: y\n2025\n**7. März**\nz",
     [(1, "2024-03-05", "x"), (3, "2024-03-06", "y"), (5, "2025-03-07", "z")]),
    ("2024-01-03.txt", "One line",
     [(1, "2024-01-03", "One line")]),
    ("2024-01-03.txt", "One\ntwo",
     [(1, "2024-01-03", "One\ntwo")]),
    ("d.txt", "A preface\nof two lines.\n\n5 мая 2024\nснег",
     [(1, None, "A preface\nof two lines."), (4, "2024-05-05", "снег")]),
    ("d.txt", "środa, 3 stycznia 2024\r\nśnieg\r\n",
     [(1, "2024-01-03", "śnieg")]),
    ("d.txt", "quarta-feira, 3 de janeiro de 2024\nchuva",
     [(1, "2024-01-03", "chuva")]),
    ("d.txt", "mercoledì 3 gennaio 2024\npioggia",
     [(1, "2024-01-03", "pioggia")]),
    ("d.txt", "woensdag 3 januari 2024\nregen",
     [(1, "2024-01-03", "regen")]),
    ("d.txt", "середа, 3 січня 2024 р.\nдощ",
     [(1, "2024-01-03", "дощ")]),
    ("d.txt", "miércoles, 3 de enero de 2024\nlluvia",
     [(1, "2024-01-03", "lluvia")]),
    ("d.txt", "Tagebuch 2024\n\n3. März\nx\n6. März: y",
     [(3, "2024-03-03", "x"), (5, "2024-03-06", "y")]),
    ("d.txt", "31 Dec 2024: rain\n1 Jan: snow",  # of which year, nothing says
     [(1, "2024-12-31", "rain\n1 Jan: snow")]),
    ("d.txt", "Diary 2026\n\n6 March: sun\n7 March: mar\nand rain",  # each is the beginning of a weekday, too
     [(3, "2026-03-06", "sun"), (4, "2026-03-07", "mar\nand rain")]),
    ("d.txt", "Diary 2026\n\n6 March: Friday\n7 March: Samedi\nrain\nSunday: 8 March\nsnow",
     [(4, "2026-03-07", "rain"), (6, "2026-03-08", "snow")]),
    ("d.txt", "Le 3 janvier 2024\npluie",
     [(1, "2024-01-03", "pluie")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "found"), DIARIES)
def test_a_diary_is_an_entry_for_each_day(
    name: str, text: str, found: list[tuple[int, str | None, str]]
) -> None:
    items = [it for it in read_text(name, text, "diary") if isinstance(it, Item)]
    days = [moment[:10] if (moment := when(it)) else None for it in items]
    assert [*zip([it.line for it in items], days, [it.text for it in items], strict=True)] == found


def test_a_diary_whose_title_alone_says_the_year_is_known_by_its_looks() -> None:
    (snow,) = (
        it for it in read_text("d.txt", "Tagebuch 2024\n\n3. März\nSchnee", "auto") if isinstance(it, Item)
    )
    assert (when(snow), snow.text) == ("2024-03-03T00:00", "Schnee")


def test_a_text_of_days_that_may_be_two_or_that_begins_with_none_is_no_diary_by_its_looks() -> None:
    for text in (
        "1/2/24\nhello\n1/3/24\nbye",
        "milk\nbread\n2024-01-03\nrain",
        "Trip May 2-5 2024\nparis",
        "We moved here in 2019.\n\n3 March\nit rained",  # a sentence, and no title
    ):
        with pytest.raises(Usage, match="known format"):
            read_text("d.txt", text, "auto")


def test_a_diary_that_has_grown_adds_its_new_entries_and_what_is_said_twice_a_day_is_two() -> None:
    text = "3 Jan 2024\nrain\n3 Jan 2024\nrain\n"
    before = [it.rid for it in read_text("d.txt", text, "auto") if isinstance(it, Item)]
    after = [it.rid for it in read_text("e.txt", text + "4 Jan 2024\nrain", "auto") if isinstance(it, Item)]
    assert len({*before}) == 2
    assert after[:2] == before
    assert after[2] not in before


def test_a_section_of_a_note_with_a_day_at_each_entry_is_a_memory_for_each() -> None:
    note = "# Log\n2024-01-03: rain #wet\n2024-01-04: [[Ann]] came\n\n# Other\nText\n2024-01-05: no entry of it\n"
    items = [it for it in markdown.read("log.md", note) if isinstance(it, Item)]
    assert [(when(it), it.text) for it in items] == [
        ("2024-01-03T00:00", "rain #wet"),
        ("2024-01-04T00:00", "[[Ann]] came"),
        (None, "Text\n2024-01-05: no entry of it"),
    ]
    assert [it.fields.get("tags") for it in items] == [["wet"], None, None]
    assert [it.line for it in items] == [2, 3, 6]


def rows_of(name: str, text: str) -> list[tuple[str | None, object, str]]:
    items = [it for it in read_text(name, text, "csv") if isinstance(it, Item)]
    return [(when(it), it.fields.get("speaker"), it.text) for it in items]


TABLES: list[tuple[str, list[tuple[str | None, str | None, str]]]] = [
    # LinkedIn
    ('CONVERSATION ID,FROM,TO,DATE,SUBJECT,CONTENT\n2-x,Dana,Ray,2024-01-05 10:00:00 UTC,,"Tulsa, really"\n',
     [("2024-01-05T10:00", "Dana", "Tulsa, really")]),
    # Discord, before 2024
    ('ID,Timestamp,Contents,Attachments\n1,2020-01-05 10:00:00.123000+02:00,"hi, Bo",\n',
     [("2020-01-05T08:00", None, "hi, Bo")]),
    ("text\nmilk, bread\nhello\n", [(None, None, "milk, bread"), (None, None, "hello")]),
    # a spreadsheet's, with a trailing cell; only the second day says which number is the month
    ("\ufeffsep=;\r\nwhat;thought\r\n2/3/24;It rains all day\r\n1/25/24;It snows all day;\r\n",
     [("2024-02-03T00:00", None, "It rains all day"), ("2024-01-25T00:00", None, "It snows all day")]),
    ("a\tb\nYesterday I met Rosa\t1704067200\nToday I met nobody\t1704153600000\n",
     [("2024-01-01T00:00", None, "Yesterday I met Rosa"), ("2024-01-02T00:00", None, "Today I met nobody")]),
    ("Дата|Заметка|Кто\n5 мая 2024|снег|я\n6 мая 2024|дождь|Олег\n",
     [("2024-05-05T00:00", None, "снег"), ("2024-05-06T00:00", "Олег", "дождь")]),
    ("Deadline,Created,Note\n2024-03-01,2024-01-05,hello\n", [("2024-01-05T00:00", None, "hello")]),
    ("Note,Date\nhello,someday\n", [(None, None, "hello")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), TABLES)
def test_a_table_of_texts_is_known_by_its_columns(
    text: str, found: list[tuple[str | None, str | None, str]]
) -> None:
    assert rows_of("notes.csv", text) == found


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,2,3\n",
        "first thought,second thought\nI think that it rains,I think that it snows\n",
        "03.01.2024;Ich wohne in Graz\n04.01.2024;Ich wohne in Linz\n",  # no names above it
        "thought,other\n",
    ],
)
def test_a_table_without_one_column_of_texts_says_what_it_has_and_how_to_name_it(text: str) -> None:
    with pytest.raises(Usage, match="one column of texts, found the columns '") as caught:
        read_text("notes.csv", text, "auto")
    assert repr(text.split("\n")[0].replace(";", ",").split(",")[0]) in str(caught.value)
    assert "`text`" in caught.value.hint


def test_a_table_says_which_rows_are_none_and_keeps_what_stands_beside_a_text() -> None:
    long = "x" * 200_000
    text = f"note,mood,date\nfirst,good,someday\nfirst,good,someday\na,b,c,d\n{long},,\nlast,,\n"
    one, again, wide, endless, last = read_text("n.csv", text, "auto")
    assert isinstance(one, Item)
    assert isinstance(again, Item)
    assert isinstance(last, Item)
    assert one.fields["meta"] == {"mood": "good", "date": "someday"}, "a date that is none stays as it is"
    assert one.rid != again.rid
    assert [bad.line for bad in (wide, endless) if isinstance(bad, Unreadable)] == [4, 5]
    assert last.text == "last"
    with pytest.raises(Usage, match="known format"):
        read_text("n.csv", " \n", "auto")


def activity(said: str, product: str = "Gemini Apps") -> str:
    return (
        f'<html><body><div class="outer-cell"><div class="header-cell"><p>{product}<br></p></div>'
        f'<div class="content-cell mdl-typography--body-1">{said}</div></div></body></html>'
    )


@pytest.mark.parametrize(
    ("moment", "found"),
    [
        ("Apr 2, 2025, 12:11:03\u202fAM EDT", "2025-04-02T04:11"),
        ("2 Apr 2025, 21:11:03 BST", "2025-04-02T20:11"),
        ("2 de abr. de 2025, 21:11:03 BRT", "2025-04-03T00:11"),
        ("2 abr 2025, 9:11:03 p. m. GMT-05:30", "2025-04-03T02:41"),
        ("2 апр. 2025 г., 21:11:03 MSK", "2025-04-02T18:11"),
        ("2 апр. 2025 г., 21:11:03 Somewhere Standard Time", "2025-04-02T21:11"),
    ],
)
def test_a_page_of_gemini_says_when_in_the_words_of_its_account(moment: str, found: str) -> None:
    asked, answer = read_text("a.html", activity(f"Prompted hello<br>{moment}<br>Hi"), "auto")
    assert isinstance(asked, Item)
    assert isinstance(answer, Item)
    assert (when(asked), when(answer), asked.text) == (found, found, "hello")


def test_a_page_of_gemini_without_a_moment_is_nobodys_words_and_another_product_is_not_read() -> None:
    (broken,) = read_text(
        "a.html", activity("Prompted I live in Oslo<br>last week<br>You live in York"), "auto"
    )
    assert isinstance(broken, Unreadable)
    spoken = activity("Said:&nbsp;I live in Rome<br>2 Apr 2025, 21:11:03 UTC<br>You do", "Assistant")
    assert not [*read_text("a.html", spoken, "gemini")]
    with pytest.raises(Usage, match="known format") as caught:
        read_text("a.html", "<html>hello</html>", "auto")
    assert "JSON instead of HTML" in caught.value.hint


def test_a_journal_of_day_one_keeps_place_and_labels_and_shows_no_picture() -> None:
    (swim, _) = (each for each in read_path(given("dayone"), "auto") if isinstance(each, Item))
    assert swim.fields["meta"] == {"place": "Strandbad Horn, Konstanz"}
    assert swim.fields["tags"] == ["lake", "summer"]
    alone = {"uuid": "1", "creationDate": "2024-01-01T08:00:00Z", "text": "# A title alone"}
    (record,) = read_text("x.json", json.dumps({"entries": [alone]}), "auto")
    assert isinstance(record, Item)
    assert record.text == "# A title alone"
    escaped = alone | {"text": "\\# 1 is what I am\n\nat 5\\.20"}
    (record,) = read_text("x.json", json.dumps({"entries": [escaped]}), "auto")
    assert isinstance(record, Item)
    assert (record.text, "topic" in record.fields) == ("# 1 is what I am\n\nat 5.20", False)


@pytest.mark.parametrize("begun", ["![", "![](dayone-moment:"])
def test_pictures_that_are_begun_without_end_take_no_time(begun: str) -> None:
    """A text of 60 kB took two seconds, and a megabyte ten minutes."""
    entry = {"uuid": "1", "creationDate": "2024-01-01T08:00:00Z", "text": begun * 30_000}
    began = time.process_time()
    (record,) = read_text("x.json", json.dumps({"entries": [entry]}), "auto")
    assert time.process_time() - began < 1
    assert isinstance(record, Item)


@pytest.mark.parametrize(
    ("document", "called"),
    [
        ({"agents": [], "blocks": [{"label": "human", "value": "Ann"}]}, "an agent file of Letta"),
        ({"core_memory": [], "messages": [], "llm_config": {}}, "an agent file of Letta"),
        ({"nodes": [], "edges": [{"fact": "Ann runs", "source_node_uuid": "a"}]}, "a graph of Zep"),
        ([{"namespace": ["a"], "key": "k", "value": {"memory": "x"}}], "the items of a LangGraph store"),
        ({"channel_values": {}, "channel_versions": {}}, "a checkpoint of LangGraph"),
    ],
)
def test_what_programs_for_agents_give_out_is_called_by_its_name(document: object, called: str) -> None:
    with pytest.raises(Usage, match=f"a format that is read here, got {called}"):
        read_text("x.json", json.dumps(document), "auto")


def test_a_json_document_of_something_else_is_told_apart_from_json_lines() -> None:
    documents: list[object] = [{"entries": []}, {"a": {"text": "x"}}, 7]
    for document in documents:
        with pytest.raises(Usage, match="known format, got a JSON document of something else"):
            read_text("x.json", json.dumps(document), "auto")
    (said,) = read_text("x.json", '{"text": "we met"}', "auto")
    assert isinstance(said, Item)


SPOILED: list[tuple[str, Any]] = [
    ("telegram", {"type": "bot_chat", "id": 1, "messages": [{"date": "", "type": "message", "text": "x"}, 7]}),
    ("telegram", {"chats": {"list": [{"type": "personal_chat", "id": 1, "messages": 7}]}}),
    ("discord", [{"ID": 1, "Timestamp": "never", "Contents": "x"}, 7]),
    ("discord", [{"id": 1, "timestamp": "never", "content": "x", "author": {"name": "ann"}}, 7]),
    ("gemini", [{"title": 7, "time": "2024-01-01T00:00:00Z", "products": ["Gemini Apps"]}]),
    ("keep", {"isTrashed": False, "userEditedTimestampUsec": "x", "textContent": "x"}),
    ("keep", 7),
    ("dayone", {"entries": [7, {"uuid": "1", "creationDate": "never", "text": "x"}, {"uuid": "2", "text": "x"}]}),
    ("dayone", {"entries": [{"uuid": "1", "creationDate": "2024-01-01", "text": "x", "location": 7, "tags": 7}]}),
    ("dayone", 7),
]  # fmt: skip


@pytest.mark.parametrize(("format", "document"), SPOILED)
def test_what_is_spoiled_is_told_and_ends_nothing(format: str, document: Any) -> None:
    records: list[Record] = [*read_text("x.json", json.dumps(document), format)]
    assert all(isinstance(record, Unreadable) for record in records)
    assert records or format == "telegram"


def test_a_spoiled_day_of_slack_keeps_no_other_out(tmp_path: Path) -> None:
    (tmp_path / "general").mkdir()
    (tmp_path / "users.json").write_text('[{"id": "U1", "name": "ann"}]', "utf-8")
    (tmp_path / "general" / "2024-01-01.json").write_text("[", "utf-8")
    (tmp_path / "general" / "2024-01-02.json").write_text(
        '[7, {"type": "message", "user": "U1", "text": "I &lt;3 <#C1|rust>", "ts": "1.5"}]', "utf-8"
    )
    broken, wrong, said = read_path(tmp_path, "auto")
    assert isinstance(broken, Unreadable)
    assert "general/2024-01-01.json" in broken.reason
    assert isinstance(wrong, Unreadable)
    assert isinstance(said, Item)
    assert (said.fields["speaker"], said.text) == ("ann", "I <3 rust")
    (tmp_path / "general" / "2024-01-01.json").write_text(
        '[{"type": "message", "user": "U1", "text": "x", "ts": "inf"}]', "utf-8"
    )
    endless, _, _ = read_path(tmp_path, "auto")
    assert isinstance(endless, Unreadable)
    (tmp_path / "users.json").write_text("7", "utf-8")
    people, _, _, said = read_path(tmp_path, "slack")
    assert isinstance(people, Unreadable)
    assert isinstance(said, Item)
    assert said.fields["speaker"] == "U1"
    with pytest.raises(Usage, match="zip of a Slack export"):
        read_text("x.json", "[]", "slack")
