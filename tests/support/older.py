"""An older build of this program, in a folder of its own: the present one with its newest kind of op taken out.

No release without it was ever made, so the build before it is made here: what the kind's number, its reader and its
writer are is cut out of the sources. The process that runs from there has never heard of the kind, in its log, in a
snapshot or in the versions that it states; it is not told to look away.
"""

import shutil
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("replica", "sync", "cognition", "samemind")

_READING: Final = """\
            case CellKind.FEEDBACK:
                _place_in(name)
                _said(OpKind.FEEDBACK, plain)
"""
# What the build before feedback did not say: each stands in its file once.
_FEEDBACK: Final = (
    ("replica/ops.py", "    FEEDBACK = 14\n"),
    ("replica/ops.py", "    Feedback: OpKind.FEEDBACK,\n"),
    ("replica/codec.py", "    ops.OpKind.FEEDBACK: _feedback,\n"),
    ("replica/state/reading.py", _READING),
    ("samemind/panel/moments.py", "OpKind.FEEDBACK, "),
)


def without_feedback(folder: Path) -> Path:
    """Make the build before feedback; whoever is started in this folder runs it."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, lines in _FEEDBACK:
        source = (folder / name).read_text(encoding="utf-8")
        assert source.count(lines) == 1, f"{name} is laid out otherwise: expected once {lines!r}"
        (folder / name).write_text(source.replace(lines, ""), encoding="utf-8")
    left = [path for path in folder.rglob("*.py") if "OpKind.FEEDBACK" in path.read_text(encoding="utf-8")]
    assert left == [], "this build was to know nothing of the kind"
    return folder
