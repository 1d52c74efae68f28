"""At which addresses browsers reach a mailbox, and that nothing else gets into a header."""

import pytest

from samemind.errors import Usage
from samemind.home.phone_mailboxes import check_for_phones
from samemind.panel.guard import phone_policy
from sync.mailbox.nkeys import new_seed
from sync.mailbox.places import MailboxAddress

DAV = MailboxAddress("webdav+https://ada@cloud.example/box", "geheim")
NATS = MailboxAddress("nats+tls://meet.example:4222/family", new_seed(bytes(32)))


@pytest.mark.parametrize(
    ("place", "address", "origin"),
    [
        (DAV, "https://cloud.example", "https://cloud.example"),
        (DAV, " https://Cloud.Example:8443/ ", "https://cloud.example:8443"),
        (DAV, "https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
        (DAV, "http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        (NATS, "wss://meet.example:8443", "wss://meet.example:8443"),
        (NATS, "ws://localhost:9222", "ws://localhost:9222"),
    ],
)
def test_an_address_is_an_origin(place: MailboxAddress, address: str, origin: str) -> None:
    assert check_for_phones(place, address) == origin


@pytest.mark.parametrize(
    ("place", "address"),
    [
        (DAV, "http://cloud.example"),
        (DAV, "wss://cloud.example"),
        (DAV, "https://cloud.example/path"),
        (DAV, "https://ada@cloud.example"),
        (DAV, "https://*.example"),
        (DAV, "https://*"),
        (DAV, "https:"),
        (DAV, "*"),
        (DAV, "https://cloud.example; script-src *"),
        (DAV, "https://cloud.example https://evil.example"),
        (DAV, "https://cloud.example\nx-other: 1"),
        (DAV, "https://cloud.example:99999"),
        (DAV, "https://" + "a" * 300),
        (NATS, "https://meet.example"),
        (NATS, "ws://meet.example"),
        (MailboxAddress("folder:///srv/box"), "https://cloud.example"),
        (MailboxAddress("s3://key@bucket/box", "geheim"), "https://cloud.example"),
    ],
)
def test_everything_else_is_refused(place: MailboxAddress, address: str) -> None:
    with pytest.raises(Usage):
        check_for_phones(place, address)


def test_the_policy_of_a_phone_adds_its_mailboxes_and_nothing_else() -> None:
    plain = phone_policy([])
    assert "connect-src 'self';" in plain
    assert phone_policy(["https://a.example", "wss://b.example:1"]) == plain.replace(
        "connect-src 'self'", "connect-src 'self' https://a.example wss://b.example:1"
    )
