"""What is requested of S3 and Azure, and what their answers mean, without a connection."""

import hashlib
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync.errors import Denied, Full, Gone, MailboxError, Unreached
from sync.mailbox import azure, s3
from sync.mailbox.azure import AzureFiles
from sync.mailbox.buckets import PAGE_BYTES_MAX, BucketFiles
from sync.mailbox.http_files import HttpAnswer, HttpCall
from sync.mailbox.s3 import S3Files
from tests.support.visits import any_name

NAME = f"{'0123456789abcdef' * 2}.samemind"
EMPTY = hashlib.sha256(b"").hexdigest()
# 24 May 2013, 00:00 UTC: the moment of the examples of AWS.
NOW_S = 1_369_353_600.0


def s3_files(prefix: str = "box/") -> S3Files:
    return S3Files(
        "https://s3.example",
        "bucket",
        prefix,
        region="eu-1",
        key_id="ada",
        secret="hush",
        now_s=lambda: NOW_S,
    )


def azure_files(prefix: str = "box/") -> AzureFiles:
    return AzureFiles(
        "https://ada.blob.example", "bucket", prefix, account="ada", key=b"hush", now_s=lambda: NOW_S
    )


EACH = pytest.mark.parametrize("files", [s3_files(), azure_files()], ids=["S3", "Azure"])


def ended(calling: Any, *answers: HttpAnswer) -> tuple[list[HttpCall], Any]:
    """Return what was requested, and what came of it."""
    calls, given = [next(calling)], list(answers)
    try:
        while True:
            calls.append(calling.send(given.pop(0)))
    except StopIteration as end:
        assert not given
        return calls, end.value


@pytest.mark.parametrize(
    ("path", "query", "headers", "signature"),
    [
        (
            "/test.txt",
            {},
            {"range": "bytes=0-9"},
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        ("/", {"lifecycle": ""}, {}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        (
            "/",
            {"prefix": "J", "max-keys": "2"},
            {},
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ],
    ids=["a file", "a setting", "a listing"],
)
def test_requests_are_signed_as_in_the_examples_of_aws(
    path: str, query: dict[str, str], headers: dict[str, str], signature: str
) -> None:
    """From "Signature Calculations for the Authorization Header", which has them in this order."""
    headers = {
        **headers,
        "host": "examplebucket.s3.amazonaws.com",
        "x-amz-content-sha256": EMPTY,
        "x-amz-date": "20130524T000000Z",
    }
    said = s3.authorization(
        "GET",
        path,
        s3.canonical_query(query),
        headers,
        region="us-east-1",
        key_id="AKIAIOSFODNN7EXAMPLE",
        secret="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    )
    assert said.endswith(f"Signature={signature}")


def test_what_is_sent_to_s3_is_what_was_signed() -> None:
    call = next(s3_files("my box/ä+b/").put(NAME, b"words"))
    assert call.url == f"https://s3.example/bucket/my%20box/%C3%A4%2Bb/{NAME}"
    assert call.headers["x-amz-date"] == "20130524T000000Z"
    assert call.headers["x-amz-content-sha256"] == hashlib.sha256(b"words").hexdigest()
    rest = {name: value for name, value in call.headers.items() if name != "authorization"}
    path = call.url.removeprefix("https://s3.example")
    signed = s3.authorization("PUT", path, "", rest, region="eu-1", key_id="ada", secret="hush")
    assert call.headers["authorization"] == signed


def test_what_is_sent_to_azure_is_what_was_signed() -> None:
    call = next(azure_files().put(NAME, b"words"))
    assert call.headers["content-length"] == "5"
    assert call.headers["x-ms-blob-type"] == "BlockBlob"
    rest = {name: value for name, value in call.headers.items() if name != "authorization"}
    signed = azure.authorization("PUT", f"/bucket/box/{NAME}", {}, rest, account="ada", key=b"hush")
    assert call.headers["authorization"] == signed
    listed = next(azure_files("a b/").names())
    assert "prefix=a%20b%2F" in listed.url, "its value is signed as it is, and sent in percent"


def test_a_name_that_is_none_of_ours_is_never_written() -> None:
    for files in (s3_files(), azure_files()):
        with pytest.raises(ValueError, match="32 hexadecimal digits"):
            next(files.put("../x.samemind", b"words"))


PAGES = {
    "S3": (
        s3_files,
        (
            b'<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>'
            b"<Prefix>box/</Prefix>%b<CommonPrefixes><Prefix>box/sub/</Prefix></CommonPrefixes></ListBucketResult>"
        ),
        b"<Contents><Key>box/%b</Key><Size>%d</Size><Owner><ID>1</ID></Owner></Contents>",
        b"<NextContinuationToken>more+of/it=</NextContinuationToken>",
        "continuation-token=more%2Bof%2Fit%3D",
    ),
    "Azure": (
        azure_files,
        (
            b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="bucket"><Blobs>'
            b"<BlobPrefix><Name>box/sub/</Name></BlobPrefix>%b</Blobs><NextMarker/></EnumerationResults>"
        ),
        b"<Blob><Name>box/%b</Name><Properties><Content-Length>%d</Content-Length></Properties></Blob>",
        b"</Blobs><NextMarker>more+of/it=</NextMarker><Blobs>",
        "marker=more%2Bof%2Fit%3D",
    ),
}


@pytest.mark.parametrize("kind", PAGES)
def test_files_are_listed_with_their_sizes_over_all_pages(kind: str) -> None:
    files, page, file, more, asked = PAGES[kind]
    first, second = any_name().encode(), any_name().encode()
    if kind == "Azure":
        page = page.replace(b"<NextMarker/>", b"")
    told = [page % (file % (first, 5) + file % (b"", 0) + more), page % (file % (second, 70))]
    calls, found = ended(files().names(), *(HttpAnswer(200, body) for body in told))
    assert found == {first.decode(): 5, second.decode(): 70}
    assert "prefix=box%2F" in calls[0].url
    assert "token" not in calls[0].url
    assert "marker" not in calls[0].url
    assert asked in calls[1].url
    assert all(call.bytes_max == PAGE_BYTES_MAX for call in calls)


@pytest.mark.parametrize("kind", PAGES)
def test_a_size_that_is_no_number_is_no_file(kind: str) -> None:
    files, page, file, *_ = PAGES[kind]
    body = page % file.replace(b"%d", b"%b") % (NAME.encode(), b"-5")
    assert ended(files().names(), HttpAnswer(200, body))[1] == {}


@pytest.mark.parametrize("kind", PAGES)
def test_what_is_said_of_one_file_is_not_taken_for_another_that_nothing_is_said_of(kind: str) -> None:
    files, page, file, *_ = PAGES[kind]
    nameless = {
        "S3": b"<Contents><Size>7</Size></Contents>",
        "Azure": b"<Blob><Content-Length>7</Content-Length></Blob>",
    }
    sizeless = {"S3": b"<Contents><Key>box/x</Key></Contents>", "Azure": b"<Blob><Name>box/x</Name></Blob>"}
    body = page % (file % (NAME.encode(), 5) + nameless[kind] + sizeless[kind])
    assert ended(files().names(), HttpAnswer(200, body))[1] == {NAME: 5}


def test_a_listing_of_s3_ends_where_the_server_says_so_and_never_in_the_middle() -> None:
    """Some servers name a next page behind the last one; older ones say that there is one, and not which."""
    _, page, file, more, _ = PAGES["S3"]
    name = any_name()
    listed = file % (name.encode(), 5)
    last = page % (listed + b"<IsTruncated>false</IsTruncated>" + more)
    assert ended(s3_files().names(), HttpAnswer(200, last))[1] == {name: 5}
    nowhere = page % (listed + b"<IsTruncated>true</IsTruncated>")
    with pytest.raises(Unreached, match="some of the files"):
        ended(s3_files().names(), HttpAnswer(200, nowhere))
    on = page % (more + b"<IsTruncated>true</IsTruncated>")
    assert ended(s3_files().names(), HttpAnswer(200, on), HttpAnswer(200, last))[1] == {name: 5}


def test_names_that_s3_writes_in_percent_are_read_whether_that_is_said_before_or_behind_them() -> None:
    """A foreign key may hold what XML cannot, and comes in percent; a server that does not know how says nothing."""
    _, page, file, *_ = PAGES["S3"]
    listed = (
        file % (b"%01%0A+%2B", 1)
        + b"<Contents><Key>b%%6Fx%%2F%b</Key><Size>5</Size></Contents>" % NAME.encode()
    )
    how = b"<EncodingType>url</EncodingType>"
    for body in (how + listed, listed + how):
        (call,), found = ended(s3_files().names(), HttpAnswer(200, page % body))
        assert found == {"\x01\n +": 1, NAME: 5}
        assert "encoding-type=url" in call.url
    plain = file % (b"%41 +", 3)
    assert ended(s3_files().names(), HttpAnswer(200, page % plain))[1] == {"%41 +": 3}


@EACH
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"words",
        b"<html/>",
        b"<ListBucketResult><EnumerationResults>",
        b"<!DOCTYPE x><ListBucketResult/>",
        b"<!DOCTYPE x><EnumerationResults/>",
        b"<ListBucketResult>" + b"<a>" * 40 + b"</a>" * 40 + b"</ListBucketResult>",
        b"<EnumerationResults>" + b"<a>" * 40 + b"</a>" * 40 + b"</EnumerationResults>",
        b"<ListBucketResult><NextContinuationToken>%b</NextContinuationToken></ListBucketResult>"
        % (b"x" * 5_000),
        b"<EnumerationResults><NextMarker>%b</NextMarker></EnumerationResults>" % (b"x" * 5_000),
    ],
)
def test_what_is_no_listing_is_said_to_be_none(files: BucketFiles, body: bytes) -> None:
    with pytest.raises(Unreached, match="expected the server to list a bucket"):
        ended(files.names(), HttpAnswer(200, body))


@EACH
@given(body=st.binary(max_size=200) | st.text(alphabet="<>/&;! ListBuckRsEnm", max_size=200).map(str.encode))
def test_no_page_is_more_than_one_of_four_errors(files: BucketFiles, body: bytes) -> None:
    try:
        ended(files.names(), HttpAnswer(200, body))
    except MailboxError:
        pass


def refusal(code: str) -> bytes:
    return f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>hush</Message></Error>'.encode()


@EACH
@pytest.mark.parametrize(
    ("status", "code", "expected", "said"),
    [
        (403, "RequestTimeTooSkewed", Denied, "this device's clock is wrong"),
        (
            403,
            "SignatureDoesNotMatch",
            Denied,
            "this key, or `region=` in the mailbox's address is not the server's",
        ),
        (403, "AuthenticationFailed", Denied, "or this device's clock is wrong"),
        (403, "OfAKindNobodyKnows", Denied, "OfAKindNobodyKnows"),
        (403, "<script>", Denied, "the storage answered 403 (Forbidden)"),
        (404, "NoSuchBucket", Gone, "is its name right"),
        (404, "ContainerNotFound", Gone, "is its name right"),
        (301, "PermanentRedirect", Denied, "in another region"),
        (400, "AuthorizationHeaderMalformed", Denied, "are `region=` and the key's id"),
        (400, "InvalidRegionName", Denied, "in another region"),
        (400, "InvalidBucketName", Unreached, "400 (Bad Request): InvalidBucketName"),
        (503, "SlowDown", Unreached, "503 (Service Unavailable): SlowDown"),
        (507, "", Full, "507"),
        (999, "", Unreached, "999"),
    ],
)
def test_a_code_says_why(
    files: BucketFiles, status: int, code: str, expected: type[MailboxError], said: str
) -> None:
    for calling in (
        files.put(NAME, b"words"),
        files.names(),
        files.get(NAME, 5, io.BytesIO()),
        files.remove(NAME),
    ):
        with pytest.raises(expected) as caught:
            ended(calling, HttpAnswer(status, refusal(code)))
        assert type(caught.value) is expected
        assert said in str(caught.value)
        assert "hush" not in str(caught.value)
        assert "script" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body", "header"),
    [
        (400, "<Code>AuthorizationHeaderMalformed</Code><Region>us-west-2</Region>", ""),
        (
            400,
            "<Code>AuthorizationHeaderMalformed</Code><Message>is wrong; expecting 'us-west-2'</Message>",
            "",
        ),
        (403, "<Code>SignatureDoesNotMatch</Code>", "us-west-2"),
        (301, "<Code>PermanentRedirect</Code><Endpoint>bucket.s3.example</Endpoint>", "us-west-2"),
        (301, "", "us-west-2"),
    ],
)
def test_the_region_that_a_server_wants_is_named(status: int, body: str, header: str) -> None:
    with pytest.raises(Denied, match="wants the region us-west-2, and this is signed for eu-1") as caught:
        ended(s3_files().names(), HttpAnswer(status, f"<Error>{body}</Error>".encode(), region=header))
    assert caught.value.fix == "add it again under its name, with region=us-west-2 in its address"


def test_a_region_that_is_right_is_not_blamed_and_one_that_is_none_not_shown() -> None:
    """MinIO names its region with each answer."""
    with pytest.raises(Denied) as caught:
        ended(s3_files().names(), HttpAnswer(403, refusal("SignatureDoesNotMatch"), region="eu-1"))
    assert str(caught.value) == "the secret does not belong to this key"
    with pytest.raises(Denied, match="in another region"):
        ended(s3_files().names(), HttpAnswer(301, refusal("PermanentRedirect"), region="<script>"))


@EACH
def test_a_file_that_is_gone_is_gone_and_a_bucket_that_is_gone_is_said_to_be(files: BucketFiles) -> None:
    with pytest.raises(Gone, match="no such file"):
        ended(files.get(NAME, 5, io.BytesIO()), HttpAnswer(404, refusal("NoSuchKey")))
    assert ended(files.remove(NAME), HttpAnswer(404, refusal("NoSuchKey")))[1] is None
    for calling in (files.put(NAME, b"words"), files.names()):
        with pytest.raises(Gone, match="is its name right"):
            ended(calling, HttpAnswer(404))


@EACH
def test_of_a_short_file_no_more_is_returned(files: BucketFiles) -> None:
    (call,), _ = ended(files.get(NAME, 3, file := io.BytesIO()), HttpAnswer(200, b"words"))
    assert file.getvalue() == b"wor"
    assert (call.bytes_max, call.into) == (3, file)


@EACH
def test_who_is_busy_is_left_alone_for_as_long_as_it_asks(files: BucketFiles) -> None:
    with pytest.raises(Unreached) as caught:
        ended(files.names(), HttpAnswer(503, refusal("SlowDown"), retry_after="70"))
    assert caught.value.retry_after_s == 70.0
