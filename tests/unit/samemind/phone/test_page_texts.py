"""The page of a phone speaks every language that the panel does, wholly."""

import re
import sqlite3
from collections.abc import Callable

import pytest

from replica import NameNotFound, StoreFailed, TooLarge
from replica.hlc import HLC_MAX, drift
from replica.limits import TEXT_BYTES_MAX
from replica.storage.sql import as_trouble
from samemind.phone.host import LooksSecret, Phone
from sync.code import PairingCode
from sync.errors import InvalidCode
from tests.support.panel_texts import CATALOGS as PANEL_CATALOGS
from tests.support.panel_texts import MODULES
from tests.support.panel_texts import catalog as panel_catalog
from tests.support.phone_texts import CATALOGS, PAGE, catalog, texts, told, whole_catalog
from tests.support.phones import NOW_MS, phone

LANGUAGES = sorted(path.stem for path in PANEL_CATALOGS.glob("*.js"))
_BLANK = re.compile(r"\{\w+\}")
_NAMING = re.compile(r"^  \[/(.+)/, \(", re.MULTILINE)
_BETWEEN_TAGS = re.compile(r">([^<>{}]*[A-Za-z]{2}[^<>{}]*)<")
_LABELS = re.compile(r'(?:aria-label|title|placeholder|alt)="([^"]+)"')
# What of a module is shown to people: attributes that are read out, and children of elements and notices.
_SHOWN = re.compile(r'(?:"aria-label": |placeholder: |\}, |notice\(|name: )"([^"]*[A-Za-z]{2}[^"]*)"')
# Names, of ciphers too, and no words.
_NAMES = frozenset({"samemind", "Ed25519", "AES-GCM"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalog_has_every_text_and_no_other_and_fills_in_the_same(language: str) -> None:
    wanted, have, own = texts(), whole_catalog(language), catalog(language)
    assert len(wanted) > 150
    assert [text for text in wanted if text not in have] == []
    assert [text for text in own if text not in wanted] == []
    assert [text for text in own if text in panel_catalog(language)] == [], "the panel says it already"
    assert {text for text in wanted if not have[text].strip()} == set()
    assert [
        text for text in wanted if sorted(_BLANK.findall(text)) != sorted(_BLANK.findall(have[text]))
    ] == []


def test_the_page_has_the_languages_of_the_panel() -> None:
    assert sorted(path.stem for path in CATALOGS.glob("*.js")) == LANGUAGES
    for language in LANGUAGES:
        source = (CATALOGS / f"{language}.js").read_text("utf-8")
        taken = re.findall(r'import panel from "(.+)";\n\nexport default \{\n  \.\.\.panel,\n', source)
        assert [(CATALOGS / each).resolve() for each in taken] == [PANEL_CATALOGS / f"{language}.js"]


def test_no_line_of_french_begins_with_a_mark_that_ends_a_sentence() -> None:
    """French sets a space before these, where a line may break unless that space forbids it."""
    assert [text for text in catalog("fr").values() if re.search(r" [;:!?»]|« ", text)] == []


def test_no_module_shows_a_text_that_no_catalog_could_say() -> None:
    """Only what goes through `t` is translated: a text that stands in the page by itself is English for everybody."""
    assert _SHOWN.findall('h("b", {}, "Text"), h("p", { "aria-label": "Name" })') == ["Text", "Name"]
    shown = {
        path.name: found
        for path in sorted(PAGE.glob("*.js"))
        if (found := [text for text in _SHOWN.findall(path.read_text("utf-8")) if text not in _NAMES])
    }
    assert shown == {}


def test_what_stands_in_the_page_before_its_program_runs_is_said_anew_by_it() -> None:
    """But for its name, and for what is shown only where no program runs."""
    page = re.sub(r"<noscript>.*</noscript>", "", (PAGE / "index.html").read_text("utf-8"))
    stands = {*_BETWEEN_TAGS.findall(page), *_LABELS.findall(page)} - {"samemind"}
    assert stands
    frame = (PAGE / "page.js").read_text("utf-8").partition("function frame()")[2].partition("\n}")[0]
    assert sorted(re.findall(r't\("([^"]+)"\)', frame)) == sorted(stands)


def test_what_the_device_says_of_something_is_read_by_the_page() -> None:
    """A pattern that fits nothing any more would leave its sentence English, or speak of a store to who has a phone."""
    device = phone()
    rid = device.remember("The roof leaks", now_ms=NOW_MS)["rid"]
    device.forget(rid, now_ms=NOW_MS + 1)
    broken = sqlite3.OperationalError("disk I/O error")
    broken.sqlite_errorcode = sqlite3.SQLITE_IOERR
    said = [
        _said_by(NameNotFound, lambda: device.forget(rid, now_ms=NOW_MS + 2)),
        _said_by(StoreFailed, lambda: _fill(device)),
        str(as_trouble(broken)),
        _said_by(TooLarge, lambda: device.remember("long " * TEXT_BYTES_MAX, now_ms=NOW_MS)),
        str(drift(HLC_MAX)),
        _said_by(LooksSecret, lambda: device.remember("my password is hunter2-Tr0ub4dor&3", now_ms=NOW_MS)),
        _said_by(InvalidCode, lambda: PairingCode.parse("417-maple-xyzzy")),
    ]
    patterns = [
        re.compile(each.replace("(?<", "(?P<")) for each in _NAMING.findall((PAGE / "said.js").read_text())
    ]
    assert len(patterns) == len(said)
    assert [[bool(each.match(one)) for each in patterns] for one in said] == [
        [at == place for at in range(len(said))] for place in range(len(said))
    ]


def _said_by(error: type[Exception], act: Callable[[], object]) -> str:
    with pytest.raises(error) as raised:
        act()
    return str(raised.value)


def _fill(device: Phone) -> None:
    """Tell it more than its disk has room for."""
    ((pages,),) = device.connection.execute("PRAGMA page_count")
    device.connection.execute(f"PRAGMA max_page_count = {pages + 4}")
    for number in range(200):
        device.remember(f"telling {number} of many", now_ms=NOW_MS + number)


def test_what_the_page_is_told_is_found_where_it_is_made() -> None:
    assert len(told()) > 20
    assert "it did not answer" in told()


def test_the_page_loads_texts_by_the_panels_module() -> None:
    """One way to look a text up, and one list of languages."""
    for path in PAGE.glob("*.js"):
        for taken in re.findall(r'from "(\.\./\.\./[^"]+)"', path.read_text("utf-8")):
            assert (path.parent / taken).resolve().parent == MODULES, path.name
