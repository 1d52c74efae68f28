"""What end-to-end tests share: the command line, called on a home of its own."""

import io
import sys
from pathlib import Path

import pytest

from samemind.cli.main import main
from tests.support.calling import Call, Said


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the command line on a home of its own."""

    def run(*words: str, stdin: str = "") -> Said:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = main(["--home", str(tmp_path / "home"), *words])
        printed = capsys.readouterr()
        return Said(code, printed.out, printed.err)

    return run
