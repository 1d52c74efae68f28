"""Memory as Markdown notes: exact on the way back, whatever was said."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import samemind
from samemind.cli.line import find_verb, read_line, read_words
from samemind.errors import Usage
from samemind.portable import notes
from samemind.portable.files import read_path
from samemind.portable.records import Edge, Item

TRICKY = [
    "Ann moved to Lisbon",
    "two\n\nparagraphs\nand a trailing line\n",
    "---\nsamemind: memory\n---\nlooks like one of ours",
    "# A heading\n\n```samemind\n{}\n```",
    "windows\r\nlines\rand \u2028 others",
    "  spaces around  ",
    '"quotes", [[links]], #tags: and {braces}',
    "日本語のメモ 🦭",
]


def test_an_export_as_notes_comes_back_with_the_same_digest(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "one") as mind:
        for text in TRICKY:
            mind.remember(
                text, no_dedup=True, speaker="Ann: the #1", tag=["a b", "c"], meta={"k": 'v"', "n": 1.5}
            )
        told = mind.remember("Alice is the tech lead at Stripe. She prefers Python over Java.", read=True)
        assert told.facts
        mind.relate("Ann", "lives in", "Lisbon [Portugal]", weight=0.5)
        mind.pin(told)
        mind.set(told.facts[0], topic="0123", project="true")
        digest = mind.digest().digest
        exported = mind.export(tmp_path / "vault", format="markdown")
        assert exported.count == mind.stats().memories
        with pytest.raises(samemind.Usage):
            mind.export(tmp_path / "vault", format="markdown")
    found = sorted((tmp_path / "vault").rglob("*.md"))
    assert len(found) == exported.count + 1
    (note,) = (each for each in found if "Ann moved to Lisbon" in each.name)
    assert note.read_text(encoding="utf-8").endswith("\n---\nAnn moved to Lisbon\n")
    assert any("up: " in each.read_text(encoding="utf-8") for each in found), "a fact links to its source"
    assert "[[Ann]] lives in [[Lisbon [Portugal]]]" in (tmp_path / "vault" / notes.RECORDS_NOTE).read_text(
        "utf-8"
    )
    with samemind.open_blocking(tmp_path / "two") as mind:
        imported = mind.import_(tmp_path / "vault")
        assert imported.failed == []
        assert mind.digest().digest == digest
        assert mind.import_(tmp_path / "vault").imported == 0


def test_an_export_never_takes_the_place_of_the_folder_that_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("Ann moved to Lisbon in spring")
        for kind in ("markdown", "jsonl"):
            for named in (".", tmp_path / "here"):
                with pytest.raises(Usage, match="the current folder"):
                    mind.export(named, format=kind)
            with pytest.raises(Usage, match="this device needs"):
                mind.export(tmp_path / "home" / "identity.pem", format=kind)
        assert mind.export("notes", format="markdown").count == 1
    for words in (["export", "-o", "."], ["export", "--format", "markdown", "--output=../here"]):
        line = read_line(words)
        with pytest.raises(Usage, match="the current folder"):
            read_words(find_verb(line), line.words)


def test_notes_that_an_editor_rewrote_are_read_all_the_same(tmp_path: Path) -> None:
    rid = "01a2008e-fcbf-7fa0-80ee-8a77e4c2342d"
    (tmp_path / "note.md").write_text(
        f"---\nsamemind: memory\nrid: {rid}\nspeaker: Ann Smith\ntags:\n  - a b\n  - c\npinned: true\n"
        "created_at: 2026-01-01T00:00:00.000Z\n---\nchanged by hand\n",
        encoding="utf-8",
    )
    (item,) = read_path(tmp_path, "auto")
    assert isinstance(item, Item)
    assert item.text == "changed by hand"
    assert item.rid.hex() == rid.replace("-", "")
    assert item.fields == {"speaker": "Ann Smith", "tags": ["a b", "c"], "pinned": True}


def test_other_notes_are_read_as_before(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("---\ntags: [x]\n---\nplain, see [[Other]]\n", encoding="utf-8")
    item, edge = read_path(tmp_path, "markdown")
    assert isinstance(item, Item)
    assert isinstance(edge, Edge)


@given(
    text=st.text(min_size=1).filter(str.strip),
    speaker=st.text(min_size=1, max_size=20),
    tags=st.lists(st.text(min_size=1, max_size=5), max_size=3),
)
def test_whatever_was_said_is_read_as_it_was_written(text: str, speaker: str, tags: list[str]) -> None:
    line = json.dumps(
        {
            "kind": "memory", "rid": "01a2008e-fcbf-7fa0-80ee-8a77e4c2342d", "text": text, "speaker": speaker,
            "tags": tags, "created_at": "2026-01-01T00:00:00.000Z",
        }
    )  # fmt: skip
    with TemporaryDirectory() as folder:
        notes.write(Path(folder), [line])
        (item,) = read_path(Path(folder), "auto")
    assert isinstance(item, Item)
    assert (item.text, item.fields["speaker"]) == (text, speaker)
    assert item.fields.get("tags", []) == sorted(set(tags))
