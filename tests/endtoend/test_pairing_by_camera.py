"""Pairing by the QR code that a terminal shows, read by a decoder as a phone reads it."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import samemind

pytest.importorskip("zxingcpp", reason="no decoder of QR codes for this platform")

from samemind.formats.qr import print_qr
from tests.support import cli
from tests.support.camera import read_terminal


def test_the_code_in_a_terminal_says_what_was_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    for text in (
        "samemind:x",
        "samemind:" + "100-acorn-album " * 20,
        "samemind:" + "\N{OLD PERSONAL COMPUTER}" * 40,
    ):
        print_qr(text)
        assert read_terminal(capsys.readouterr().out) == text


def test_what_a_terminal_shows_pairs_the_device_that_reads_it(tmp_path: Path) -> None:
    """Key, addresses and secret are all in it: nothing is typed. Piped, the command draws nothing."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*cli.COMMAND, "--home", str(tmp_path / "laptop"), "pair"],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, env=cli.environment(PYTHONUTF8="1"),
    )  # fmt: skip
    os.close(theirs)
    try:
        shown = b""
        while (invitation := read_terminal(shown.decode(errors="replace"))) is None:
            heard = os.read(ours, 65_536)
            assert heard, f"it ended before a code was shown: {shown!r}"
            shown += heard
        assert invitation.startswith("samemind:")
        with samemind.open_blocking(tmp_path / "phone") as phone:
            joined = phone.pair(invitation)
        rest = _rest(ours)
        assert process.wait(cli.SECONDS_MAX) == 0
    finally:
        process.kill()
        process.communicate()
        os.close(ours)
    assert joined.words in rest


def _rest(descriptor: int) -> str:
    """What else stands in a terminal, until the program behind it ends."""
    found = b""
    try:
        while heard := os.read(descriptor, 65_536):
            found += heard
    except OSError:
        assert sys.platform == "linux"  # there a terminal that nobody holds is an error, elsewhere its end
    return found.decode()
