"""What the pages show is run as it stands: the commands with their output, and the Python blocks."""

from pathlib import Path

import pytest

from tests.support.console import commands, fenced, play, run_python

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=shown)
def test_the_commands_of_a_page_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    play(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if any(fenced(page, "python"))], ids=shown)
def test_the_python_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    for _, source, line in fenced(page, "python"):
        assert source.strip()
        printed = run_python(source, tmp_path / "here")
        assert printed or "print(" not in source, f"the block at line {line} printed nothing"
