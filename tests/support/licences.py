"""List the licence of everything that comes with a device, and of what it is made with.

`python -m tests.support.licences` writes the tables of the page, which begin at a heading; what stands above is prose.
The names are those of the lock files; the licences are what each package says of itself where it is installed.
"""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.locks import ROOT, Pin, pins

PAGE: Final = ROOT / "docs" / "reference" / "licences.md"
# Extras that are no part of what people use.
_OWN: Final = ("dev", "peers")
# What is not locked: which torch fits a machine is for its owner to choose, and no list of files would hold for all.
_UNLOCKED: Final = ("transformers",)
# What says nothing, or nothing short, about itself; and what other systems install and this one has not.
_KNOWN: Final = {
    "axe-playwright-python": "MIT",
    "colorama": "BSD-3-Clause",
    "hnswlib": "Apache-2.0",
    "httpx2-jsfetch": "BSD-3-Clause",
    "pywin32": "PSF-2.0",
    "pywin32-ctypes": "BSD-3-Clause",
}
# The same licence under the names that packages give it.
_SPELLINGS: Final = {
    "apache 2.0": "Apache-2.0",
    "apache 2.0 license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD",
    "bsd license": "BSD",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}
# Where the tables begin.
_FIRST: Final = "## Every device\n"


def licence(name: str) -> str:
    """Return what a package says its licence is, where it is not known better; empty if it is not here to ask."""
    if name in _KNOWN:
        return _KNOWN[name]
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return ""
    said = found.json  # which gives nothing for what is not said, whoever stands in for importlib's own
    spoken = str(said.get("license_expression") or "")
    if not spoken:
        classifiers = [one for one in found.get_all("Classifier") or [] if one.startswith("License ::")]
        spoken = " and ".join(sorted(_one(one.rpartition(":: ")[2]) for one in classifiers))
    if not spoken or spoken == "OSI Approved":
        spoken = _one(str(said.get("license") or "").strip().partition("\n")[0])
    return spoken


def _one(spelling: str) -> str:
    return _SPELLINGS.get(spelling.casefold(), spelling)


def _extras() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    offered: dict[str, list[str]] = project["optional-dependencies"]
    return {name: lines for name, lines in offered.items() if name not in (*_OWN, *_UNLOCKED)}


def with_extra(extra: str) -> set[str]:
    """Return everything that an extra brings, as far as it is installed here and can be asked."""
    waiting, seen = [Requirement(line) for line in _extras()[extra]], set[tuple[str, str]]()
    names: set[str] = set()
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        for chosen in one.extras or {""}:
            if (name, chosen) in seen:
                continue
            seen.add((name, chosen))
            names.add(name)
            try:
                lines = requires(name) or []
            except PackageNotFoundError:
                continue
            waiting += [
                needed
                for needed in map(Requirement, lines)
                if needed.marker is None or needed.marker.evaluate({"extra": chosen})
            ]
    return names


def page() -> str:
    """Return the whole page: its prose as it is, and the tables anew."""
    core = {pin.name for pin in pins("core")}
    rest = [pin for pin in pins("dev") if pin.name not in core]
    known = core | {pin.name for pin in rest}
    for extra in ("models", "ann"):
        rest += [pin for pin in pins(extra) if pin.name not in known]
        known |= {pin.name for pin in rest}
    extras = {name: with_extra(name) - core for name in _extras()}
    offered = set[str]().union(*extras.values())
    prose = PAGE.read_text("utf-8").partition(_FIRST)[0]
    parts = [prose, _FIRST, "\n", _table(pins("core"))]
    for extra, names in extras.items():
        table = _table([pin for pin in rest if pin.name in names])
        parts += [f"\n## With `samemind[{extra}]`\n\n", table]
    tools = [pin for pin in rest if pin.name not in offered]
    parts += ["\n## Tools that only developers install\n\n", _table(tools)]
    return "".join(parts)


def _table(of: list[Pin]) -> str:
    """One row a package, also where different Pythons take different versions of it."""
    versions: dict[str, list[str]] = {}
    for pin in of:
        versions.setdefault(pin.name, []).append(pin.version)
    rows = [f"| {name} | {', '.join(each)} | {licence(name)} |\n" for name, each in sorted(versions.items())]
    return "| package | version | licence |\n| --- | --- | --- |\n" + "".join(rows)


def rows(text: str) -> dict[str, tuple[str, str]]:
    """Read the tables of the page back: version and licence by name."""
    found = re.findall(r"^\| ([a-z0-9-]+) \| (\d[\w., ]*) \| (.+) \|$", text, re.MULTILINE)
    return {name: (version, words) for name, version, words in found}


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
