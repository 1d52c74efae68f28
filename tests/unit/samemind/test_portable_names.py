"""Names of files that every system takes, and that all that is taken out has."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samemind.errors import Usage
from samemind.home.added_models import check_name
from samemind.platform.names import is_portable
from samemind.portable.notes import write
from sync.mailbox.places import folder_of

RESERVED = ["CON", "nul", "aux.md", "Com1.tar.gz", "LPT²", "con .txt", "CONIN$"]


@pytest.mark.parametrize("name", [*RESERVED, "a.", "a ", "a:b", "a\tb", "a/b", "a\\b", 'a"', "", "é" * 128])
def test_what_windows_refuses_is_known(name: str) -> None:
    assert not is_portable(name)


@pytest.mark.parametrize("name", ["CONSOLE", "null", "com", "com10", "a.con", ".nul", "é" * 127, "日記.md"])
def test_what_it_takes_is_taken(name: str) -> None:
    assert is_portable(name)


@pytest.mark.parametrize("name", ["nul", "CON.onnx", "model."])
def test_a_model_is_called_what_a_folder_can_be_called_everywhere(name: str) -> None:
    with pytest.raises(Usage):
        check_name(name)
    assert check_name("e5-small.v2") == "e5-small.v2"


@given(st.one_of(st.sampled_from(RESERVED), st.text(max_size=200)))
def test_a_note_has_a_name_that_every_system_takes_whatever_the_memory_says(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.mktemp("notes")
    rid = "01a2190f-c6ac-7498-b5af-1e644e811db9"
    line = json.dumps({"kind": "memory", "rid": rid, "text": text, "created_at": "2026-11-26T18:13:00.000Z"})
    write(folder, [line])
    names = [part for path in folder.rglob("*") for part in Path(path).relative_to(folder).parts]
    assert names
    assert all(map(is_portable, names))
    (note,) = folder.rglob("*.md")
    assert b"\r\n" not in note.read_bytes() or "\r" in text, "lines end as on every system"


def test_a_mailbox_in_a_folder_names_a_drive_where_there_are_drives() -> None:
    assert folder_of("/C:/our%20share", "\\") == "C:/our share"
    assert folder_of("/C:/our%20share", "/") == "/C:/our share"
    assert folder_of("/srv/samemind", "\\") == "/srv/samemind"
