"""Mail that people bring: whose words a message is, what in it is somebody else's, and what ends nothing."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

import samemind
from samemind.errors import Usage
from samemind.portable import mail
from samemind.portable.files import read_path
from samemind.portable.records import Item, Record, Unreadable

SEPARATOR = "From - Mon Jan  1 10:00:00 2024\n"


def read(data: bytes, name: str = "Inbox") -> list[Record]:
    @contextmanager
    def opens() -> Iterator[IO[bytes]]:
        yield io.BytesIO(data)

    return [*mail.read(name, opens)]


def message(body: str, *headers: str, sender: str = "Ann <ann@example.org>") -> str:
    lines = [f"From: {sender}", *headers]
    return SEPARATOR + "\n".join(lines) + f"\n\n{body}\n\n"


def said(data: str, name: str = "Inbox") -> list[tuple[object, str]]:
    return [(it.fields.get("speaker"), it.text) for it in read(data.encode(), name) if isinstance(it, Item)]


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("Yes.\n\nOn Mon, 1 Jan 2024 at 10:00, Bo Lee <bo@example.org> wrote:\n> I live in York\n", "Yes."),
        (
            "Ja.\n\nAm 01.01.24 um 10:00 schrieb Bo Lee:\n> Ich wohne in Bonn\n> > und ich in Ulm\n\nBis bald",
            "Ja.\n\nBis bald",
        ),
        ("Oui.\n\nLe lun. 1 janv. 2024 à 10:00, Bo Lee <bo@example.org> a\nécrit :\n\n> Lyon\n", "Oui."),
        ("Да.\n\n1 янв. 2024 г., 10:00, Bo <bo@example.org>:\n\n> Я живу в Казани\n", "Да."),
        ("> question one?\nyes\n> question two?\nno", "yes\nno"),
        ("See below.\n\n-----Original Message-----\nFrom: Bo\nI live in York", "See below."),
        ("Siehe unten.\n\n________________________________\nVon: Bo\nIch wohne in Bonn", "Siehe unten."),
        (
            "Ok.\n\nVon: Bo <bo@example.org>\nGesendet: Montag, 1. Januar 2024\nAn: Ann\nIch wohne in Bonn",
            "Ok.",
        ),
        (
            "My data:\nName: Ann\nPhone: 123\nMail: ann@example.org",
            "My data:\nName: Ann\nPhone: 123\nMail: ann@example.org",
        ),
        ("Hi\n-- \nAnn, I live in my signature", "Hi"),
        ("Bin da\n\nVon meinem iPhone gesendet", "Bin da"),
        ("I got an iPhone", "I got an iPhone"),
        ("--- my list ---\none", "--- my list ---\none"),
        ("> only a quote", None),
    ],
)
def test_what_is_quoted_or_signed_is_not_said(body: str, own: str | None) -> None:
    assert [text for _, text in said(message(body))] == ([] if own is None else [own])


def test_without_labels_whoever_it_was_delivered_to_wrote_what_no_server_handed_over() -> None:
    received = message("I live in York", "Delivered-To: ann@example.org", sender="Bo <bo@example.org>")
    forged = message("I live in Hell", "Delivered-To: ann@example.org", "Received: from somewhere")
    sent = message("I live in Leeds")
    assert said(received + forged + sent, "Archive") == [
        ("Bo", "I live in York"),
        ("Ann", "I live in Hell"),
        (None, "I live in Leeds"),
    ]
    assert said(sent, "Archive") == [("Ann", "I live in Leeds")], "nothing tells who brought it"
    assert said(sent, "Messages envoyés.mbox") == [(None, "I live in Leeds")]


def test_the_name_in_the_profile_tells_where_no_message_does(tmp_path: Path) -> None:
    path = tmp_path / "all.mbox"
    path.write_text(message("I live in Leeds") + message("I live in York", sender="Bo <bo@example.org>"))
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.import_(path)
        mind.set_profile(name="Ann")
        mind.wait_for_queue()
        (first,) = mind.recall("where do I live?", k=1)
    assert (first.speaker, first.text) == ("Ann", "I live in Leeds")


def test_where_gmail_says_what_was_sent_no_address_counts() -> None:
    data = (
        message("one", "X-Gmail-Labels: Inbox,=?UTF-8?Q?Envoy=C3=A9?=", sender="Annie <alias@example.org>")
        + message(
            "two", "X-Gmail-Labels: Inbox", "Delivered-To: ann@example.org", sender="Bo <bo@example.org>"
        )
        + message("three", "X-Gmail-Labels: Inbox")
    )
    assert said(data) == [(None, "one"), ("Bo", "two"), ("Ann", "three")]


@pytest.mark.parametrize(
    ("headers", "sender"),
    [
        (["List-Id: <dev.example.org>"], "Bo <bo@example.org>"),
        (["Precedence: bulk"], "Bo <bo@example.org>"),
        (["Auto-Submitted: auto-replied"], "Bo <bo@example.org>"),
        ([], "Shop <no-reply@example.org>"),
        (["X-Gmail-Labels: Inbox,Trash"], "Bo <bo@example.org>"),
    ],
)
def test_what_lists_and_programs_send_or_was_thrown_away_is_left_out(headers: list[str], sender: str) -> None:
    assert said(message("I live in York", *headers, sender=sender)) == []


def test_charsets_are_read_as_they_say_or_as_they_are() -> None:
    for charset, told in (
        ("iso-8859-2", "iso-8859-2"),
        ("utf-8", "x-none"),
        ("cp1252", "utf-8"),
        ("utf-8", None),
    ):
        kind = "text/plain" if told is None else f"text/plain; charset={told}"
        head = message("", f"Content-Type: {kind}", "Content-Transfer-Encoding: 8bit").rstrip("\n")
        data = head.encode() + b"\n\n" + "für München".encode(charset) + b"\n"
        (item,) = read(data)
        assert isinstance(item, Item)
        assert item.text == "für München"


def test_one_bad_message_ends_nothing_and_a_huge_one_is_read_at_its_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mail, "_MESSAGE_BYTES_MAX", 100_000)
    huge = message("I live in York\n" + "x" * 300_000 + "\nI live in Hell")
    nested = (
        message("", "Content-Type: multipart/mixed; boundary=b0").rstrip("\n")
        + "\n\n"
        + "".join(
            f"--b{depth}\nContent-Type: multipart/mixed; boundary=b{depth + 1}\n\n" for depth in range(1_200)
        )
    )
    first, second, last = read((huge + nested + "\n\n" + message("fine", "Date: Mon, 99 Foo 2024")).encode())
    assert isinstance(first, Item)
    assert first.text.startswith("I live in York")
    assert "Hell" not in first.text
    assert isinstance(second, Unreadable)
    assert second.line == 2
    assert isinstance(last, Item)
    assert last.text == "fine"
    assert "told_at" not in last.fields


def test_a_sentence_that_begins_with_from_separates_nothing() -> None:
    body = "Hi\nFrom bo Mon Jan  1 10:00:00 2024, he said\n\nFrom Monday on I work\n\n>From home\n\nFrom 10:00 to 12:00"
    assert said(message(body)) == [("Ann", body.replace(">From", "From"))]


def test_a_line_of_any_length_is_one_line() -> None:
    body = "x\n" + " " * mail._LINE_BYTES_MAX + SEPARATOR.strip() + "\ny"
    ((_, text),) = said(message(body))
    assert text == body


def test_a_message_that_is_in_two_folders_is_one_and_answers_are_of_one_chat() -> None:
    first = message("one", "Message-ID: <1@example.org>", "Subject: Trip")
    answer = message(
        "two", "Message-ID: <2@example.org>", "References: <1@example.org> <x@y>", "Subject: AW: Re: Trip"
    )
    items = [it for it in read((first + answer + first).encode()) if isinstance(it, Item)]
    assert items[0].rid == items[2].rid
    assert items[0].fields["conversation"] == items[1].fields["conversation"] == "mbox:<1@example.org>"
    assert [it.fields["topic"] for it in items] == ["Trip"] * 3


def test_an_endless_id_and_a_day_that_cannot_be_are_left_out() -> None:
    first, second = read(
        (
            message("one", f"Message-ID: <{'a' * 500}@example.org>", "Date: Mon, 1 Jan 2624 10:00:00 +0000")
            + message("two", "Date: Mon, 1 Jan 1904 10:00:00 +0000")
        ).encode()
    )
    for item in (first, second):
        assert isinstance(item, Item)
        assert len(str(item.fields["turn"])) == 64
        assert "told_at" not in item.fields


def test_mail_of_a_zip_that_is_damaged_further_on_is_told(tmp_path: Path) -> None:
    packed = tmp_path / "mail.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("all.mbox", message("I live in Leeds\n" + "x\n" * 40_000) * 20)
    whole = packed.read_bytes()
    packed.write_bytes(whole.replace(b"x\n" * 20, b"y\n" * 20, 1))
    (told,) = read_path(packed, "auto")
    assert isinstance(told, Unreadable)
    assert "zip" in told.reason


def test_what_is_no_mail_is_refused_and_mail_in_a_damaged_zip_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_text("From: Ann\n\nhello")
    with pytest.raises(Usage, match="expected an mbox"):
        list(read_path(path, "mbox"))
    packed = tmp_path / "takeout.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Takeout/archive_browser.html", "<html>what is in it</html>")
        archive.writestr("Takeout/Mail/All mail.mbox", message("I live in Leeds") * 3)
    assert len([*read_path(packed, "auto")]) == 3
    packed.write_bytes(packed.read_bytes().replace(b"I live in Leeds", b"I live in Xeeds", 1))
    *_, last = read_path(packed, "auto")
    assert isinstance(last, Unreadable)
    assert "zip" in last.reason
