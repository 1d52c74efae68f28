"""QR codes on a terminal, and what is too long for one."""

import pytest

from samemind.formats.qr import print_qr


def test_what_no_code_can_hold_is_said_to_be_too_long(capsys: pytest.CaptureFixture[str]) -> None:
    print_qr("samemind-mailbox:" + "x" * 2_900)
    assert "▄" in capsys.readouterr().out
    print_qr("samemind-mailbox:" + "x" * 3_000)
    assert capsys.readouterr().out == "(more than a QR code holds: copy the text)\n"
