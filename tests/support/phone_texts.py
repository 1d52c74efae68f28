"""The texts of a phone's page, as its translations name them: those of its modules, and what it is told to show.

Its catalogs add to the panel's, so that what both say is said once and in the same words.
"""

import re
from pathlib import Path
from typing import Final

from tests.support.panel_texts import catalog as panel_catalog
from tests.support.panel_texts import read_catalog, texts_of

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "samemind" / "phone" / "page"
CATALOGS: Final = PAGE / "catalog"

# Where sentences are made that the page shows whole, and how they stand there.
_TOLD: Final = (
    ("samemind/phone/host.py", r'raise NameNotFound\(\s*"([^"]+)"'),
    ("samemind/phone/mail.py", r'^    "\w+": "([^"]+)",$'),
    ("samemind/phone/page/worker.js", r'^const (?:NO_ROOM|STRANGERS|PAIRING_CLOSED|NOT_REACHED) = "([^"]+)"'),
    ("samemind/phone/page/page.js", r'^const NO_PLACE = "([^"]+)"'),
    ("samemind/phone/page/ahead.js", r'^const AWAY = "([^"]+)"'),
    ("replica/codec.py", r'raise InvalidOp\("(expected some text[^"]+)"'),
    ("sync/code.py", r'raise InvalidCode\("(expected a code such[^"]+)"'),
    ("sync/pairing.py", r'b"\\x0\d", "([^"]+)"'),
    ("sync/pairing.py", r'raise WrongCode\("((?:the device at|the other side)[^"]+)"'),
)


def texts() -> list[str]:
    """Return every text of the page."""
    modules = (text for path in sorted(PAGE.glob("*.js")) for text in texts_of(path.read_text("utf-8")))
    return list(dict.fromkeys([*modules, *told()]))


def told() -> list[str]:
    """Return what the page is told in English, and shows in its own language."""
    found = [re.findall(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE) for name, pattern in _TOLD]
    assert all(found), list(zip(_TOLD, found, strict=True))
    return [text for each in found for text in each]


def catalog(language: str) -> dict[str, str]:
    """Return what the page adds to the panel's texts in a language."""
    return read_catalog(CATALOGS / f"{language}.js")


def whole_catalog(language: str) -> dict[str, str]:
    """Return all texts that the page has in a language."""
    return panel_catalog(language) | catalog(language)
