"""Addresses of mailboxes: what each means, and what is wrong with those that are refused."""

import base64

import pytest

from sync.mailbox.folder import FolderBox
from sync.mailbox.places import MailboxAddress, check_place, open_box
from sync.mailbox.requesting import WebdavBox
from sync.mailbox.storage import StorageBox


def options(url: str, secret: str | None = None) -> dict[str, str]:
    box = open_box(check_place(MailboxAddress(url, secret)), None)  # type: ignore[arg-type]
    assert isinstance(box, StorageBox)
    return box._options


def test_a_folder_goes_by_its_path() -> None:
    assert isinstance(open_box(check_place(MailboxAddress("folder:///srv/sync")), None), FolderBox)  # type: ignore[arg-type]


def test_webdav_goes_by_user_host_and_path_and_its_password_lies_beside() -> None:
    place = check_place(
        MailboxAddress("webdav+https://ada%40home@cloud.example:8443/dav/ada/my%20box", "hush")
    )
    box = open_box(place, None)  # type: ignore[arg-type]
    assert isinstance(box, WebdavBox)
    call = next(box._files.names())
    assert call.url == "https://cloud.example:8443/dav/ada/my%20box/"
    assert call.headers["authorization"] == f"Basic {base64.b64encode(b'ada@home:hush').decode()}"


def test_a_bucket_goes_by_key_name_and_endpoint_and_nothing_else_is_asked_for_keys() -> None:
    assert options("s3://KEYID@bucket/box?endpoint=https://s3.example&region=eu-1", "hush") == {
        "bucket": "bucket",
        "root": "/box",
        "region": "eu-1",
        "access_key_id": "KEYID",
        "secret_access_key": "hush",
        "endpoint": "https://s3.example",
        "disable_config_load": "true",
        "disable_ec2_metadata": "true",
    }


def test_a_container_of_azure_goes_by_account_and_name() -> None:
    found = options("azblob://ada@box/sub%20folder", "aHVzaA==")
    assert found == {
        "container": "box",
        "root": "/sub folder",
        "endpoint": "https://ada.blob.core.windows.net",
        "account_name": "ada",
        "account_key": "aHVzaA==",
    }
    own = options("azblob://ada@box/?endpoint=http://127.0.0.1:10000/ada", "aHVzaA==")
    assert own["endpoint"] == "http://127.0.0.1:10000/ada"


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
        ("s3://KEYID@bucket/box?secret_access_key=hush", "x", "no 'secret_access_key'"),
        ("azblob://ada@box/sub?endpoint=https://x.example?sv=1&sig=hush", "aHVzaA==", "no 'sig'"),
        ("nats+tls://hush@meet.example/family", None, "without a secret"),
        ("webdav+https://ada@cloud.example/", None, "a password for 'ada'"),
        ("webdav+https:///path", None, "a host"),
        ("webdav+https://[::1/path", None, "the address of a mailbox"),
        ("folder://relative/path", None, "a path from the root"),
        ("s3://bucket/box", "hush", "the id of a key"),
        ("s3://KEYID@bucket/box", None, "and its secret"),
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
