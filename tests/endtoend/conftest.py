"""What end-to-end tests share: the command line, called on a home of its own, and one browser."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from samemind.cli.main import main
from tests.support.calling import Call, Said

if TYPE_CHECKING:  # the extra `dev` has it
    from playwright.sync_api import Browser, Playwright


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the command line on a home of its own."""

    def run(*words: str, stdin: str = "") -> Said:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = main(["--home", str(tmp_path / "home"), *words])
        printed = capsys.readouterr()
        return Said(code, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def playwright() -> "Iterator[Playwright]":
    """What drives browsers: one a process, since a second one refuses to start beside the loop of the first."""
    pytest.importorskip("playwright")
    from playwright.sync_api import expect, sync_playwright

    from tests.support.browser import PATIENCE_MS

    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def chromium(playwright: "Playwright") -> "Iterator[Browser]":
    """The machine's browser."""
    from tests.support.browser import CHROMIUM, launched

    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: apt install chromium")
    with launched(playwright) as running:
        yield running
