"""Every format that memories come in, and what is wrong with files from elsewhere."""

import gc
import json
import os
import shutil
import tracemalloc
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import samemind
from cognition.days import DAY_MS
from cognition.reminding.repeating import is_on
from samemind.commands.portable import _importing
from samemind.commands.portable.import_ import FORMATS
from samemind.errors import SamemindError
from samemind.library.blocking import BlockingMind
from samemind.portable import files, markdown
from samemind.portable.files import read_path, read_text
from samemind.portable.records import Edge, Item, Unreadable
from samemind.portable.texts import ZIP_RATIO_MAX
from tests.support.exports import CHATGPT, CLAUDE, MCP_MEMORY, MEM0, NOTE


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def written(path: Path, document: object) -> Path:
    """Write a JSON document, or lines of them."""
    lines = isinstance(document, list) and path.suffix == ".jsonl"
    text = "\n".join(map(json.dumps, document)) if lines else json.dumps(document)  # type: ignore[call-overload]
    path.write_text(text, encoding="utf-8")
    return path


def items(path: Path, format: str = "auto") -> list[Item]:
    """Return the memories in a file."""
    return [record for record in read_path(path, format) if isinstance(record, Item)]


def test_a_chatgpt_export_gives_the_branch_that_was_kept(tmp_path: Path) -> None:
    asked, answered = items(written(tmp_path / "conversations.json", CHATGPT))
    assert (asked.text, answered.text) == ("What is a yawl?", "A boat with two masts.")
    assert asked.fields == {
        "conversation": "chatgpt:c1", "turn": "m1", "position": 1, "source": "chatgpt",
        "topic": "Boats", "told_at": 1_700_000_001_250,
    }  # fmt: skip
    assert answered.fields["told_at"] == 1_700_000_000_500


MEMORIES = [
    {
        "account_uuid": "a1",
        "conversations_memory": "**Work**\n\nAnn builds boats.\n\n## Home\nShe lives in Lisbon.\n\nShe has a cat.\n",
        "project_memories": {"p1": "The yawl is called Tern."},
    }
]


def test_what_claude_keeps_of_chats_is_a_memory_for_each_paragraph(tmp_path: Path) -> None:
    found = items(written(tmp_path / "memories.json", MEMORIES))
    assert [(item.text, item.fields.get("topic")) for item in found] == [
        ("Ann builds boats.", "Work"),
        ("She lives in Lisbon.", "Home"),
        ("She has a cat.", "Home"),
        ("The yawl is called Tern.", None),
    ]
    assert {item.fields["speaker"] for item in found} == {"Claude"}
    assert found == items(tmp_path / "memories.json"), "the same ids each time"
    for bad in (
        [{"conversations_memory": 3}],
        [{"project_memories": ["x"]}],
        [{"project_memories": {"p": 1}}],
    ):
        assert items(written(tmp_path / "bad.json", bad)) == []


def test_a_folder_of_an_unpacked_export_is_that_export(tmp_path: Path) -> None:
    written(tmp_path / "conversations.json", CLAUDE)
    written(tmp_path / "memories.json", MEMORIES)
    written(tmp_path / "users.json", [{"uuid": "u"}])
    assert len(items(tmp_path)) == 6
    (tmp_path / "conversations.json").rename(tmp_path / "conversations-000.json")
    (tmp_path / "note.md").write_text("A boat.\n", encoding="utf-8")
    assert len(items(tmp_path)) == 6
    assert [item.text for item in items(tmp_path, "markdown")] == ["A boat."]
    (tmp_path / "conversations-000.json").unlink()
    assert [item.text for item in items(tmp_path)] == ["A boat."], (
        "a folder of notes, whatever else lies in it"
    )


def test_a_claude_export_gives_its_messages_in_order(tmp_path: Path) -> None:
    asked, answered = items(written(tmp_path / "conversations.json", CLAUDE))
    assert (asked.text, answered.text) == ("What is a yawl?", "A boat.")
    assert (answered.fields["speaker"], answered.fields["position"]) == ("Claude", 1)
    assert "speaker" not in asked.fields  # who brings their chats in wrote in them
    assert answered.fields["told_at"] == 1_704_164_649_000


def test_an_export_may_stay_zipped(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chats/conversations.json", json.dumps(CLAUDE))
        archive.writestr("users.json", "[]")
    assert len(items(tmp_path / "export.zip")) == 2


@pytest.mark.parametrize("document", [MEM0, MEM0["results"], {"memories": MEM0["results"]}])
def test_mem0_memories_keep_their_labels_and_their_time(tmp_path: Path, document: object) -> None:
    (item,) = items(written(tmp_path / "mem0.json", document))
    assert item.text == "Likes sushi"
    assert item.fields == {
        "source": "mem0", "tags": ["food"], "told_at": 1_722_020_400_000,
        "meta": {"room": "kitchen", "deep": '{"a": 1}', "user_id": "ann"},
    }  # fmt: skip


def test_relations_of_mem0_are_edges(tmp_path: Path) -> None:
    relations = [
        {"source": "ann", "relationship": "works_at", "target": "acme"},
        {"source": "ann", "relationship": "likes", "destination": "sushi"},
        {"source": "ann", "relationship": "likes", "target": None},
    ]
    memory, *found, broken = read_path(
        written(tmp_path / "mem0.json", {**MEM0, "relations": relations}), "auto"
    )
    assert isinstance(memory, Item)
    assert found == [
        Edge(line=2, source="ann", relation="works_at", target="acme", weight=1.0),
        Edge(line=3, source="ann", relation="likes", target="sushi", weight=1.0),
    ]
    assert isinstance(broken, Unreadable)
    assert "both ends" in broken.reason


@pytest.mark.parametrize("format", ["auto", "mem0"])
def test_mem0_memories_may_have_a_line_each(tmp_path: Path, format: str) -> None:
    lines = [
        *map(json.dumps, MEM0["results"]),
        "",
        '{"id": "8", "memory": ""}',
        json.dumps({"id": "9", "memory": "Has a cat"}),
    ]
    (tmp_path / "mem0.jsonl").write_text("\n".join(lines))
    first, broken, last = read_path(tmp_path / "mem0.jsonl", format)
    assert first == items(written(tmp_path / "mem0.json", MEM0))[0]
    assert isinstance(broken, Unreadable)
    assert isinstance(last, Item)
    assert (broken.line, last.line, last.text) == (3, 4, "Has a cat")


def test_mcp_observations_name_their_entity_and_relations_are_edges(tmp_path: Path) -> None:
    path = written(tmp_path / "memory.jsonl", MCP_MEMORY)
    assert [item.text for item in items(path)] == [
        "Ann_Stone (person)", "Ann_Stone: Speaks Spanish", "Ann_Stone sails", "Ann_Stone works_at Acme",
    ]  # fmt: skip
    (edge,) = (record for record in read_path(path, "auto") if isinstance(record, Edge))
    assert (edge.source, edge.relation, edge.target) == ("Ann_Stone", "works_at", "Acme")


def test_a_vault_gives_its_sections_with_tags_and_links(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / "sea").mkdir(parents=True)
    (vault / "sea" / "Yawl.md").write_text(NOTE, encoding="utf-8")
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "hidden.md").write_text("no", encoding="utf-8")
    found = list(read_path(vault, "auto"))
    intro, yawls, rig = (record for record in found if isinstance(record, Item))
    assert intro.fields == {
        "source": "markdown", "topic": "Yawl", "meta": {"note": "sea/Yawl.md"}, "tags": ["boats", "first", "sea"],
    }  # fmt: skip
    assert (yawls.fields["topic"], rig.fields["topic"]) == ("Yawl > Yawls", "Yawl > Yawls > Rig")
    assert (intro.line, yawls.line, rig.line) == (4, 7, 12)
    assert "# not a heading" in yawls.text
    assert rig.text == "The mizzen is small. C# is no tag."
    edges = [(edge.source, edge.target) for edge in found if isinstance(edge, Edge)]
    assert edges == [("Yawl", "Ketch")]


def test_a_note_that_begins_with_its_own_name_is_filed_under_it_once() -> None:
    text = "# Boiler\n\nServiced in May.\n\n## Boiler\n\nA new pump."
    found = [it for it in read_text("Boiler.md", text, "auto") if isinstance(it, Item)]
    assert [it.fields["topic"] for it in found] == ["Boiler", "Boiler > Boiler"]


def test_a_changed_section_comes_in_anew_and_the_others_are_known() -> None:
    before = {r.rid for r in markdown.read("a.md", NOTE) if isinstance(r, Item)}
    after = {r.rid for r in markdown.read("a.md", NOTE.replace("small", "tiny")) if isinstance(r, Item)}
    assert (len(before), len(before & after)) == (3, 2)


@pytest.mark.parametrize(
    ("name", "document"),
    [("c.json", CHATGPT), ("a.json", CLAUDE), ("m.json", MEM0), ("k.jsonl", MCP_MEMORY)],
)
def test_bringing_a_file_in_twice_adds_nothing(
    mind: BlockingMind, tmp_path: Path, name: str, document: Any
) -> None:
    path = written(tmp_path / name, document)
    first = mind.import_(path)
    assert first.imported > 0
    assert first.failed == []
    again = mind.import_(path)
    assert (again.imported, again.skipped) == (0, first.imported)
    assert mind.verify().ok


HOSTILE: list[tuple[str, bytes]] = [
    ("cut.json", json.dumps(CHATGPT).encode()[:200]),
    ("deep.json", b"[" * 100_000),
    ("nodes.json", b'[{"mapping": {"a": {"parent": "a"}}, "current_node": "a"}, {"mapping": 5}, 7, null]'),
    ("claude.json", b'[{"chat_messages": [7]}, {"chat_messages": [], "uuid": null}, {"chat_messages": 3}]'),
    (
        "mem0.json",
        b'{"results": [{"id": 1, "memory": 5}, {"id": 2, "memory": "x", "created_at": "soon"}, 8]}',
    ),
    (
        "graph.jsonl",
        b'{"type": "entity", "name": 3, "observations": [1]}\n{"type": "relation", "relationType": 1}\nx',
    ),
    ("mem0.jsonl", b'{"id": 1, "memory": "tea"}\n' + b"[" * 5_000),
]


@pytest.mark.parametrize(("name", "data"), HOSTILE, ids=lambda each: each if isinstance(each, str) else "")
def test_a_damaged_file_says_what_is_wrong_and_stops_nothing(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    failed = [record for record in read_path(tmp_path / name, "auto") if isinstance(record, Unreadable)]
    assert failed
    assert all(record.reason for record in failed)


def test_good_entries_beside_bad_ones_come_in_and_the_bad_ones_are_counted(
    mind: BlockingMind, tmp_path: Path
) -> None:
    path = written(tmp_path / "mixed.json", [{"mapping": 5}, *CHATGPT])
    imported = mind.import_(path)
    assert (imported.imported, [line.line for line in imported.failed]) == (2, [1])


def test_a_folder_of_notes_may_be_zipped_and_notes_beside_an_export_are_about_it(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / "trips").mkdir(parents=True)
    (vault / "tea.md").write_text("I like tea")
    (vault / "trips" / "lisbon.md").write_text("We went to Lisbon in May")
    packed = shutil.make_archive(str(tmp_path / "vault"), "zip", vault)
    assert [*read_path(Path(packed), "auto")] == [*read_path(vault, "auto")]
    (vault / "diary.txt").write_text("2024-01-03: rain all day")
    shutil.make_archive(str(tmp_path / "vault"), "zip", vault)
    assert [getattr(each, "text", None) for each in read_path(Path(packed), "auto")] == ["rain all day"]


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b" " * 30_000_000)
    packed = (tmp_path / "bomb.zip").stat().st_size
    assert packed * ZIP_RATIO_MAX < 30_000_000
    with pytest.raises(SamemindError, match="unpack"):
        list(read_path(tmp_path / "bomb.zip", "auto"))


def test_a_zip_without_chats_and_a_folder_without_notes_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.jpg", "x")
    with pytest.raises(SamemindError, match=r"conversations\.json"):
        list(read_path(tmp_path / "other.zip", "auto"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SamemindError, match="Markdown"):
        list(read_path(tmp_path / "empty", "auto"))


def test_a_whole_disk_is_no_folder_of_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends before the first note is read; what is hidden is not counted."""
    monkeypatch.setattr(files, "FOLDER_FILES_MAX", 3)
    for name in ("a.md", "b.md", ".git/c", ".git/d", "sub/e.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a note")
    assert len(list(read_path(tmp_path, "auto"))) == 2
    (tmp_path / "sub" / "f.jpg").write_text("a picture")
    with pytest.raises(SamemindError, match="at most 3 files in the folder"):
        list(read_path(tmp_path, "auto"))


def test_a_folder_that_goes_while_it_is_looked_through_keeps_no_note_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a synced folder does; and below `/proc` some go at any time."""
    (tmp_path / "good.md").write_text("fine")
    (tmp_path / "sub" / "gone").mkdir(parents=True)
    look = os.scandir

    def scandir(path: Any) -> Any:
        if os.fspath(path).endswith("gone"):
            raise FileNotFoundError(path)
        return look(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert len(list(read_path(tmp_path, "auto"))) == 1


def test_plain_text_is_refused_once_with_what_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("milk\nbread\n")
    with pytest.raises(SamemindError, match=r"notes\.txt: expected a file of a known format") as caught:
        list(read_path(file, "auto"))
    assert caught.value.code == "unknown_format"
    assert "--format markdown" in caught.value.hint
    (note,) = read_path(file, "markdown")
    assert isinstance(note, Item)
    assert note.text == "milk\nbread"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"a line\n" * 100_000])
def test_where_a_file_is_no_text_is_told(tmp_path: Path, before: bytes, packed: bool) -> None:
    data = before + b"caf\xe9 and more" + b"\nof it" * 20_000
    path = tmp_path / "bad.jsonl"
    path.write_bytes(data)
    if packed:
        path = tmp_path / "bad.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("conversations.json", data)
    with pytest.raises(SamemindError, match=rf"UTF-8.* at place {len(before) + 3}:"):
        list(read_path(path, "auto"))


@pytest.mark.parametrize("data", [b'{"text": "caf\xe9"}', bytes(range(256)), b"PK\x03\x04" + b"x" * 50])
def test_a_file_that_is_no_text_is_refused_but_keeps_no_other_note_of_a_folder_out(
    tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "bad.md").write_bytes(data)
    (tmp_path / "good.md").write_text("fine")
    with pytest.raises(SamemindError, match=r"UTF-8|zip"):
        list(read_path(tmp_path / "bad.md", "auto"))
    bad, good = read_path(tmp_path, "auto")
    assert isinstance(bad, Unreadable)
    assert bad.reason.count("bad.md: ") == 1
    assert isinstance(good, Item)


def test_utf_16_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    for encoding in ("utf-16", "utf-8-sig"):
        path = tmp_path / f"{encoding}.jsonl"
        path.write_bytes('{"text": "Олена живе у Києві"}'.encode(encoding))
        assert [item.text for item in items(path)] == ["Олена живе у Києві"]


CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//EN
BEGIN:VEVENT
UID:one@example.org
DTSTAMP:20240501T080000Z
DTSTART;TZID=Europe/Berlin:20240603T140000
DTEND;TZID=Europe/Berlin:20240603T150000
SUMMARY:Zahnarzt
LOCATION:Hauptstraße 3\\, Bonn
DESCRIPTION:Karte mitnehmen.
END:VEVENT
BEGIN:VEVENT
UID:two@example.org
DTSTAMP:20240501T080000Z
DTSTART;VALUE=DATE:20240714
RRULE:FREQ=YEARLY
SUMMARY:Ann's birthday
END:VEVENT
BEGIN:VEVENT
UID:01a2008e-fcbf-7fa0-80ee-8a77e4c2342d@samemind
DTSTAMP:20240501T080000Z
DTSTART:20240603T140000Z
SUMMARY:Written here
END:VEVENT
BEGIN:VEVENT
UID:three@example.org
DTSTAMP:20240501T080000Z
DTSTART:20240603T140000Z
END:VEVENT
END:VCALENDAR
"""


def test_a_calendar_gives_its_events_with_their_times_and_says_what_is_none(tmp_path: Path) -> None:
    path = tmp_path / "mine.ics"
    path.write_text(CALENDAR.replace("\n", "\r\n"))
    dentist, birthday, nameless = read_path(path, "auto")
    assert isinstance(dentist, Item)
    assert isinstance(birthday, Item)
    assert isinstance(nameless, Unreadable)
    assert dentist.text == "Zahnarzt, Hauptstraße 3, Bonn\nKarte mitnehmen."
    begins = datetime(2024, 6, 3, 12, tzinfo=UTC)
    assert dentist.fields["event_start"] == int(begins.timestamp() * 1_000)
    assert dentist.fields["event_end"] == int((begins + timedelta(hours=1)).timestamp() * 1_000)
    assert birthday.text == "Ann's birthday"
    assert birthday.fields["meta"] == {"repeats": "FREQ=YEARLY"}
    day = datetime(2024, 7, 14, tzinfo=UTC)
    assert birthday.fields["event_start"] == int(day.timestamp() * 1_000)
    assert birthday.fields["event_end"] == int((day + timedelta(days=1)).timestamp() * 1_000)


OTHER_ENTRIES = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//EN
BEGIN:VEVENT
UID:off@example.org
DTSTART:20240603T140000Z
STATUS:CANCELLED
SUMMARY:Dinner with Bea
END:VEVENT
BEGIN:VTODO
UID:water@example.org
DTSTAMP:20240501T080000Z
DTSTART:20240520T080000Z
DUE:20240605T120000Z
SUMMARY:Pay the water bill
END:VTODO
BEGIN:VTODO
UID:shelf@example.org
STATUS:COMPLETED
DURATION:PT1H
DTSTART;VALUE=DATE:20240520
SUMMARY:Put up the shelf
END:VTODO
BEGIN:VTODO
UID:some-day@example.org
DTSTAMP:20240501T080000Z
SUMMARY:Learn to sail
END:VTODO
BEGIN:VJOURNAL
UID:heron@example.org
DTSTAMP:20240701T080000Z
DTSTART;VALUE=DATE:20240603
SUMMARY:By the river
DESCRIPTION:Saw a heron.
END:VJOURNAL
END:VCALENDAR
"""


def test_a_calendar_gives_its_tasks_and_its_journal_and_nothing_that_was_cancelled(tmp_path: Path) -> None:
    """A dinner that was off was remembered as one to come, and tasks were left out without a word."""
    path = tmp_path / "mine.ics"
    path.write_text(OTHER_ENTRIES.replace("\n", "\r\n"))

    def ms(month: int, day: int, hour: int = 0) -> int:
        return int(datetime(2024, month, day, hour, tzinfo=UTC).timestamp() * 1_000)

    water, shelf, some_day, heron = items(path)
    assert (water.text, water.fields["event_start"], water.fields["told_at"]) == (
        "Pay the water bill",
        ms(6, 5, 12),
        ms(5, 1, 8),
    )
    assert water.fields["event_end"] == water.fields["event_start"]
    assert (shelf.text, shelf.fields["meta"]) == ("Put up the shelf", {"status": "completed"})
    assert (shelf.fields["event_start"], shelf.fields["event_end"]) == (ms(5, 20), ms(5, 21))
    assert (some_day.text, set(some_day.fields)) == ("Learn to sail", {"source", "told_at"})
    assert (heron.text, heron.fields["told_at"]) == ("By the river\nSaw a heron.", ms(6, 3))
    assert "event_start" not in heron.fields


STRUCK_OUT = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//EN
BEGIN:VEVENT
UID:choir@example.org
DTSTART;TZID=Europe/Berlin:20260310T190000
DTEND;TZID=Europe/Berlin:20260310T210000
RRULE:FREQ=WEEKLY;BYDAY=TU
EXDATE;TZID=Europe/Berlin:20260317T190000,20260407T190000
EXDATE;VALUE=DATE:20260414
SUMMARY:Choir rehearsal
END:VEVENT
BEGIN:VEVENT
UID:choir@example.org
RECURRENCE-ID;TZID=Europe/Berlin:20260421T190000
DTSTART;TZID=Europe/Berlin:20260422T190000
SUMMARY:Choir rehearsal
END:VEVENT
BEGIN:VEVENT
UID:choir@example.org
RECURRENCE-ID;TZID=Europe/Berlin:20260428T190000
DTSTART;TZID=Europe/Berlin:20260428T190000
STATUS:CANCELLED
SUMMARY:Choir rehearsal
END:VEVENT
END:VCALENDAR
"""


def test_times_that_were_struck_out_of_a_repeated_event_or_moved_are_none_of_it(tmp_path: Path) -> None:
    """Somebody who asked what is on that Tuesday was told of a rehearsal that had been cancelled."""
    path = tmp_path / "mine.ics"
    path.write_text(STRUCK_OUT.replace("\n", "\r\n"))
    choir, moved = items(path)
    meta, first, ends = (choir.fields[name] for name in ("meta", "event_start", "event_end"))
    assert isinstance(meta, dict)
    assert isinstance(first, int)
    assert isinstance(ends, int)
    weeks = [first + week * 7 * DAY_MS for week in range(9)]
    on = [week for week, ms in enumerate(weeks) if is_on(first, ends - first, meta["repeats"], ms, ms)]
    assert on == [0, 2, 3, 8]
    wednesday = int(datetime(2026, 4, 22, 17, tzinfo=UTC).timestamp() * 1_000)
    assert (moved.fields["event_start"], "meta" in moved.fields) == (wednesday, False)


WRITTEN_OTHERWISE = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//EN
BEGIN:VJOURNAL
UID:mill@example.org
DTSTART;VALUE=DATE:20240603
DESCRIPTION:Found the old mill.
END:VJOURNAL
BEGIN:VTODO
UID:fence@example.org
DTSTART:20240520T080000Z
DURATION:P1DT2H
STATUS:completed
SUMMARY:Paint the fence
END:VTODO
END:VCALENDAR
"""


def test_a_journal_needs_no_title_and_a_task_is_due_when_its_time_is_over(tmp_path: Path) -> None:
    """A journal without titles was refused, and a task of 26 hours was due as it began."""
    path = tmp_path / "mine.ics"
    path.write_text(WRITTEN_OTHERWISE.replace("\n", "\r\n"))
    mill, fence = items(path)
    assert mill.text == "Found the old mill."
    due = int(datetime(2024, 5, 21, 10, tzinfo=UTC).timestamp() * 1_000)
    assert (fence.fields["event_start"], fence.fields["event_end"]) == (due, due)
    assert fence.fields["meta"] == {"status": "completed"}


def test_a_calendar_that_is_brought_in_twice_is_there_once_and_reminds_of_nothing(
    mind: BlockingMind, tmp_path: Path
) -> None:
    path = tmp_path / "mine.ics"
    path.write_text(CALENDAR)
    assert (mind.import_(path).imported, mind.import_(path).skipped) == (2, 2)
    assert list(mind.triggers()) == []
    (hit,) = mind.recall("wann war ich beim Zahnarzt?", k=1)
    assert hit.text.startswith("Zahnarzt")


@pytest.mark.parametrize(
    "text", ["BEGIN:VCALENDAR", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:x\nEND:VEVENT\nEND:VCALENDAR"]
)
def test_a_damaged_calendar_says_what_is_wrong(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.ics"
    path.write_text(text)
    assert all(isinstance(each, Unreadable) for each in read_path(path, "auto"))


def test_a_file_of_an_unknown_kind_is_told_what_can_be_read() -> None:
    with pytest.raises(SamemindError) as raised:
        read_text("contacts.vcf", "BEGIN:VCARD\nFN:Ann\nEND:VCARD\n", "auto")
    assert (raised.value.code, "calendars (.ics), tables (.csv)" in raised.value.hint) == (
        "unknown_format",
        True,
    )


@pytest.mark.parametrize("format", [each for each in FORMATS if each not in ("auto", "locomo")])
def test_every_format_that_is_offered_reads_its_own(tmp_path: Path, format: str) -> None:
    path = tmp_path / "file.jsonl"
    match format:
        case "markdown":
            path.write_text(NOTE)
        case "jsonl":
            path.write_text('{"text": "x"}')
        case "mcp-memory":
            written(path, MCP_MEMORY)
        case "ics":
            path.write_text(CALENDAR)
        case "diary":
            path.write_text("3 Jan 2024\nrain")
        case "mbox":
            path.write_text("From - Mon Jan  1 10:00:00 2024\nFrom: Ann <ann@example.org>\n\nrain\n")
        case "csv":
            path.write_text("text\nrain")
        case "gemini" | "whatsapp" | "telegram" | "slack" | "discord" | "keep" | "dayone":
            folder = {
                "gemini": "gemini_en",
                "whatsapp": "whatsapp_us/_chat.txt",
                "telegram": "telegram_all",
                "discord": "discord_package",
            }.get(format, format)
            path = Path(__file__).parents[2] / "data" / "exports" / folder
        case _:
            path.write_text(json.dumps({"chatgpt": CHATGPT, "claude": CLAUDE, "mem0": MEM0}[format]))
    assert items(path, format)


@pytest.mark.parametrize("kind", ["jsonl", "text", "claude", "chatgpt", "mem0", "mem0 in an object", "zip"])
def test_a_large_file_takes_the_memory_of_a_small_part_of_it(tmp_path: Path, kind: str) -> None:
    """Items of ten thousand letters, of which no two are the same, so that nothing is shared."""
    random = Random(kind)

    def chat(number: int) -> dict[str, Any]:
        message = {"uuid": f"{number}", "sender": "human", "text": random.randbytes(5_000).hex()}
        if kind == "chatgpt":
            node = {
                "message": {
                    "id": f"{number}",
                    "author": {"role": "user"},
                    "content": {"parts": [message["text"]]},
                }
            }
            return {"id": f"c{number}", "mapping": {"a": node}, "current_node": "a"}
        if kind.startswith("mem0"):
            return {"id": f"m{number}", "memory": message["text"]}
        return {"uuid": f"c{number}", "chat_messages": [message]}

    path = tmp_path / {"jsonl": "large.jsonl", "text": "stdin"}.get(kind, "large.json")
    count = 600
    with path.open("w") as file:
        if kind in ("jsonl", "text"):
            file.writelines(json.dumps({"text": random.randbytes(5_000).hex()}) + "\n" for _ in range(count))
        else:
            file.write('{"count": 600, "results": [' if "object" in kind else "[")
            file.writelines(json.dumps(chat(n)) + ("," if n < count - 1 else "]") for n in range(count))
            file.write("}" if "object" in kind else "")
    size = path.stat().st_size
    assert size > 6_000_000
    if kind == "zip":
        with zipfile.ZipFile(tmp_path / "large.zip", "w") as archive:
            archive.write(path, "conversations.json")
        path = tmp_path / "large.zip"
    gc.collect()
    tracemalloc.start()
    try:
        found = sum(isinstance(record, Item) for record in read_path(path, "auto"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == count
    # A piece and its copy, and what is looked at to know the format; read whole it was three times the file.
    assert peak < size / 2, peak


@pytest.mark.parametrize(
    ("text", "count", "reason"),
    [
        ('{"results": [{"id": 1, "memory": "one"}, {"id": 2, "memory": "two"}], "next": null}', 2, None),
        ('{"next": {"deep": [1, {"results": [2]}]}, "results": [{"id": 1, "memory": "one"}]}', 1, None),
        ('{"results": [{"id": 1, "memory": "one"}], "next"', 1, "a name and a colon"),
        ('{"results": [{"id": 1, "memory": "one"}]', 1, "a comma or the end"),
        ('{"results": [{"id": 1, "memory": "one"}]} more', 1, "nothing behind"),
        ('{"results": [{"id": 1, "memory": "one"}, {"id": 2, "mem', 1, "to its end"),
    ],
)
def test_a_list_in_an_object_is_read_item_by_item_up_to_the_damage(
    tmp_path: Path, text: str, count: int, reason: str | None
) -> None:
    (tmp_path / "mem0.json").write_text(text)
    records = list(read_path(tmp_path / "mem0.json", "auto"))
    assert len([record for record in records if isinstance(record, Item)]) == count
    failed = [record.reason for record in records if isinstance(record, Unreadable)]
    assert [str(reason) in each for each in failed] == ([] if reason is None else [True]), failed


def test_a_note_that_is_no_note_by_its_size_is_refused_and_ours_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "NOTE_CHARACTERS_MAX", 1 << 20)
    long = "word " * 300_000
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "long.md").write_text(long)
    (tmp_path / "vault" / "short.md").write_text("A yawl has two masts.")
    with pytest.raises(SamemindError, match="at most 1 million characters"):
        list(read_path(tmp_path / "vault" / "long.md", "auto"))
    refused, read = read_path(tmp_path / "vault", "auto")  # one keeps no other out
    assert isinstance(refused, Unreadable)
    assert isinstance(read, Item)
    (tmp_path / "ours.md").write_text(f"---\nsamemind: memory\n---\n{long}\n")
    (ours,) = items(tmp_path / "ours.md")
    assert ours.text == long


def test_what_stands_before_the_damage_in_a_list_comes_in(mind: BlockingMind, tmp_path: Path) -> None:
    whole = json.dumps([{**CLAUDE[0], "uuid": f"c{n}"} for n in range(20)])
    (tmp_path / "cut.json").write_text(whole[: len(whole) * 3 // 4])
    one = mind.import_(written(tmp_path / "one.json", CLAUDE[:1])).imported
    imported = mind.import_(tmp_path / "cut.json")
    assert imported.imported == 14 * one or imported.imported == 15 * one
    (failed,) = imported.failed
    assert "to its end" in failed.reason


def test_a_short_list_that_is_cut_off_gives_what_stands_before_that(tmp_path: Path) -> None:
    """It is known by fewer chats than are looked at."""
    for document in (CHATGPT, CLAUDE):
        whole = json.dumps([document[0], document[0]])
        (tmp_path / "cut.json").write_text(whole[:-5])
        *read, told = read_path(tmp_path / "cut.json", "auto")
        assert read == items(written(tmp_path / "one.json", document[:1]))
        assert isinstance(told, Unreadable)
        assert (told.line, "to its end" in told.reason) == (2, True)


def test_of_long_texts_fewer_are_held_at_once_and_each_comes_in(
    mind: BlockingMind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a page holds is bounded by how much it says, too."""
    monkeypatch.setattr(_importing, "PAGE_CHARACTERS", 1_000)
    texts = [
        f"note {number}" + " la" * length for number, length in enumerate([0, 300, 0, 0, 500, 10, 900, 0])
    ]
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(f"{json.dumps({'text': text})}\n" for text in texts))
    records = _importing.records_of([path], "jsonl")
    pages = list(iter(partial(_importing.next_page, records, 100, None), []))
    assert [len(page) for page in pages] == [5, 2, 1]
    assert mind.import_(path).imported == len(texts)
    assert sorted(memory.text for memory in mind.list(limit=100)) == sorted(texts)
