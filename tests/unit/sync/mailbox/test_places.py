"""Addresses of mailboxes: what each means, and what is wrong with those that are refused."""

import base64

import pytest

from sync.mailbox.folder import FolderBox
from sync.mailbox.http_files import HttpCall
from sync.mailbox.places import MailboxAddress, check_place, open_box
from sync.mailbox.requesting import HttpBox


def asked(url: str, secret: str) -> HttpCall:
    """Return what is requested to list a mailbox."""
    box = open_box(check_place(MailboxAddress(url, secret)), None)  # type: ignore[arg-type]
    assert isinstance(box, HttpBox)
    return next(box._files.names())


def test_a_folder_goes_by_its_path() -> None:
    assert isinstance(open_box(check_place(MailboxAddress("folder:///srv/sync")), None), FolderBox)  # type: ignore[arg-type]


def test_webdav_goes_by_user_host_and_path_and_its_password_lies_beside() -> None:
    place = check_place(
        MailboxAddress("webdav+https://ada%40home@cloud.example:8443/dav/ada/my%20box", "hush")
    )
    box = open_box(place, None)  # type: ignore[arg-type]
    assert isinstance(box, HttpBox)
    call = next(box._files.names())
    assert call.url == "https://cloud.example:8443/dav/ada/my%20box/"
    assert call.headers["authorization"] == f"Basic {base64.b64encode(b'ada@home:hush').decode()}"


def test_a_bucket_goes_by_key_name_and_endpoint() -> None:
    call = asked("s3://KEYID@bucket/box?endpoint=https://s3.example:9000&region=eu-1", "hush")
    assert call.url.startswith("https://s3.example:9000/bucket?")
    assert call.url.endswith("&prefix=box%2F")
    assert call.headers["host"] == "s3.example:9000"
    assert "Credential=KEYID/" in call.headers["authorization"]
    assert "/eu-1/s3/aws4_request," in call.headers["authorization"]
    assert "hush" not in str(call)


@pytest.mark.parametrize(
    ("behind", "url", "region"),
    [
        ("?region=eu-1", "https://s3.eu-1.amazonaws.com/bucket?", "eu-1"),
        ("", "https://s3.us-east-1.amazonaws.com/bucket?", "us-east-1"),
        ("?endpoint=https://s3.example", "https://s3.example/bucket?", "auto"),
        ("?endpoint=s3.example", "https://s3.example/bucket?", "auto"),
        ("?endpoint=http://s3.example/store/", "http://s3.example/store/bucket?", "auto"),
        ("?endpoint=http://s3.example/st%C3%A4ll%20e", "http://s3.example/st%C3%A4ll%20e/bucket?", "auto"),
        ("?endpoint=http://s3.example/st%25C3%25A4ll", "http://s3.example/st%C3%A4ll/bucket?", "auto"),
        ("?endpoint=HTTP://s3.example", "http://s3.example/bucket?", "auto"),
        ("?endpoint=https://bucket.s3.eu-1.example&region=eu-1", "https://s3.eu-1.example/bucket?", "eu-1"),
        ("?endpoint=bucket.s3.eu.example:9000/", "https://s3.eu.example:9000/bucket?", "auto"),
        ("?endpoint=https://bucket.example", "https://bucket.example/bucket?", "auto"),
        ("?endpoint=s3.amazonaws.com&region=eu-1", "https://s3.eu-1.amazonaws.com/bucket?", "eu-1"),
        ("?endpoint=https://s3.amazonaws.com", "https://s3.us-east-1.amazonaws.com/bucket?", "us-east-1"),
        (
            "?endpoint=https://bucket.s3.amazonaws.com:443/&region=eu-1",
            "https://s3.eu-1.amazonaws.com/bucket?",
            "eu-1",
        ),
    ],
)
def test_a_bucket_without_endpoint_is_at_amazon_and_without_region_in_a_usual_one(
    behind: str, url: str, region: str
) -> None:
    call = asked(f"s3://KEYID@bucket{behind}", "hush")
    assert call.url.startswith(url)
    assert call.url.endswith("&prefix=")
    assert f"/{region}/s3/" in call.headers["authorization"]


@pytest.mark.parametrize("folder", ["a/b", "a/b/", "/a//b", "a/%2Fb"])
@pytest.mark.parametrize("before", ["s3://KEYID@bucket", "azblob://ada@box"])
def test_a_folder_of_a_bucket_is_the_same_however_many_slashes_it_is_written_with(
    before: str, folder: str
) -> None:
    assert "prefix=a%2Fb%2F" in asked(f"{before}/{folder}", "aHVzaA==").url


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        ("https://s3.example:443", "s3.example"),
        ("http://s3.example:80/store", "s3.example"),
        ("http://s3.example:443", "s3.example:443"),
        ("http://[::1]:80", "[::1]"),
    ],
)
def test_the_usual_port_is_neither_sent_nor_signed(endpoint: str, host: str) -> None:
    assert asked(f"s3://KEYID@bucket?endpoint={endpoint}", "hush").headers["host"] == host


def test_a_container_of_azure_goes_by_account_and_name() -> None:
    call = asked("azblob://ada@box/sub%20folder", "aHVzaA==")
    assert call.url.startswith("https://ada.blob.core.windows.net/box?")
    assert "prefix=sub%20folder%2F" in call.url
    assert call.headers["authorization"].startswith("SharedKey ada:")
    assert "aHVzaA==" not in str(call)
    own = asked("azblob://ada@box/?endpoint=http://127.0.0.1:10000/ada", "aHVzaA==")
    assert own.url.startswith("http://127.0.0.1:10000/ada/box?")


@pytest.mark.parametrize(
    ("url", "secret", "said"),
    [
        ("", None, "the address of a mailbox"),
        ("http://cloud.example", None, "the address of a mailbox"),
        ("webdav+https://ada:hush@cloud.example/", None, "without a secret"),
        ("webdav+https://ada%3Ahush@cloud.example/", "x", "without a secret"),
        ("s3://KEYID%3ahush@bucket/box", "x", "without a secret"),
        ("webdav+https://ada%0D%0A@cloud.example/", "x", "the address of a mailbox"),
        ("webdav+https://ada@cloud.example/?token=hush", "x", "no 'token'"),
        ("s3://KEYID@bucket/box?endpoint=https://ada:hush@s3.example", "x", "without a secret"),
        ("s3://KEYID@bucket/box?endpoint=ada:hush@s3.example", "x", "without a secret"),
        ("s3://KEYID@bucket/box?endpoint=//ada:hush@s3.example", "x", "without a secret"),
        ("s3://KEYID@bucket/box?secret_access_key=hush", "x", "no 'secret_access_key'"),
        ("azblob://ada@box/sub?endpoint=https://x.example?sv=1&sig=hush", "aHVzaA==", "no 'sig'"),
        ("nats+tls://hush@meet.example/family", None, "without a secret"),
        ("webdav+https://ada@cloud.example/", None, "a password for 'ada'"),
        ("webdav+https:///path", None, "a host"),
        ("webdav+https://[::1/path", None, "the address of a mailbox"),
        ("folder://relative/path", None, "a path from the root"),
        ("s3://bucket/box", "hush", "the id of a key"),
        ("s3://KEYID@bucket/box", None, "and its secret"),
        ("s3://KEY%C3%84@bucket/box", "x", "letters and digits"),
        ("s3://KEYID@bucket/box?region=eu%0D%0Ax-evil:%201", "x", "behind region="),
        ("s3://KEYID@bucket/box?region=x@evil.example/", "x", "behind region="),
        ("azblob://%C3%A4da@box/sub", "aHVzaA==", "letters and digits"),
        ("s3://KEYID@bucket/box?endpoint=ftp://s3.example", "x", "behind endpoint="),
        ("s3://KEYID@bucket/box?endpoint=https:///path", "x", "behind endpoint="),
        ("azblob://ada@box/sub?endpoint=https://x.example%3Fsig=y", "aHVzaA==", "behind endpoint="),
        ("azblob://container", "aHVzaA==", "a storage account"),
        ("azblob://ada@container", None, "and its key"),
        ("azblob://ada@container", "hush!", "in base64"),
        ("nats://", None, "a host"),
        ("nats://host/a.b", None, "letters and digits"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_and_no_secret_is_repeated(
    url: str, secret: str | None, said: str
) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        check_place(MailboxAddress(url, secret))
    assert said in str(caught.value)
    assert "hush" not in str(caught.value)
