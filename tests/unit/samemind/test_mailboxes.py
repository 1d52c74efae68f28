"""Mailboxes as verbs know them: what is saved and for whom, invitations, and what status and doctor say."""

import json
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

import samemind
from replica.supervision import Supervisor
from samemind.commands.device._mailbox_checks import QUIET_DAYS, UNREACHED_MINUTES, look_at
from samemind.commands.device._parts import Check
from samemind.commands.group._by_mailbox import _keep, read_opening
from samemind.commands.mailbox._parts import MailboxPeer, MailboxView, ago, standing
from samemind.commands.mailbox.list import render as render_list
from samemind.commands.mailbox.serve_config import render as render_config
from samemind.config import Home
from samemind.errors import Failed, NotFound, Unreachable, Usage
from samemind.formats.plain import to_json
from samemind.formats.rendering import minute
from samemind.home.mailboxes import (
    FOLDER_RIGHTS,
    MAILBOXES_MAX,
    Mailboxes,
    SavedMailbox,
    mailbox_named,
    new_mailbox,
    read_mailboxes,
    told_of,
    unusable_mailboxes,
    write_mailboxes,
)
from sync.code import PairingCode
from sync.errors import Denied, Full, Gone, MailboxError, NoRoomHere, Unreached
from sync.mailbox.box import refused_with, too_many
from sync.mailbox.buckets import check as check_answer
from sync.mailbox.http_files import HttpAnswer
from sync.mailbox.keeping import Keeper
from sync.mailbox.meeting import WAIT_MS_MAX, CodeByMailbox, Opening
from sync.mailbox.places import MailboxAddress, seen_from_outside

NOW = datetime(2026, 11, 23, 18, 0, tzinfo=UTC)
DAV = SavedMailbox("home", "webdav+https://ada@cloud.example/box", "hush", out=("aa",))
VIEW = MailboxView(name="home", url=DAV.url, looked_at=NOW, files=14, bytes=3_100_000)


def test_they_are_saved_for_their_owner_alone(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    assert read_mailboxes(home) == []
    folder = SavedMailbox("stick", "folder:///srv/box", bytes_max=5_000_000)
    write_mailboxes(home, [DAV, folder])
    assert read_mailboxes(home) == [DAV, folder]
    assert home.mailboxes.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["{", "{}", "1"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    home = Home.at(tmp_path)
    home.mailboxes.write_text(text)
    with pytest.raises(Failed, match=r"mailboxes\.json"):
        read_mailboxes(home)


STICK = {"name": "stick", "url": "folder:///srv/box"}
TELEPATHY = {
    "name": "far",
    "url": "telepathy://ada:hush@mars/box",
    "secret": "hush",
    "wave": [1.5, {"ö": None}],
}


@pytest.mark.parametrize(
    ("entry", "name", "why"),
    [
        (1, "entry 2", "expected the fields of a mailbox, got int"),
        ({}, "entry 2", "expected a text as 'name', got nothing"),
        ({"name": " x", "url": "folder:///a"}, "entry 2", "expected a name of 1 to 40 characters, got ' x'"),
        ({"name": "x", "url": 5}, "x", "expected a text as 'url', got a whole number"),
        ({"name": "x", "url": "folder:///a", "secret": ["hush"]}, "x", "as 'secret', got a list"),
        (
            {"name": "x", "url": "folder:///a", "bytes_max": True},
            "x",
            "a whole number as 'bytes_max', got some",
        ),
        ({"name": "stick", "url": "folder:///b"}, "stick", "each name and each address once"),
        ({"name": "x", "url": "folder:///srv/box"}, "x", "got those of stick twice"),
        ({"name": "x", "url": "webdav+https://ada@cloud.example/box"}, "x", "expected a password for 'ada'"),
        (TELEPATHY, "far", "expected the address of a mailbox"),
    ],
)
def test_an_entry_that_is_unusable_is_named_and_kept_and_the_others_work(
    tmp_path: Path, entry: object, name: str, why: str
) -> None:
    """One edited by hand, or written by a newer version, keeps no other from opening, and is never lost."""
    home = Home.at(tmp_path)
    home.mailboxes.write_text(json.dumps([STICK, entry]))
    assert [one.name for one in read_mailboxes(home)] == ["stick"]
    (unusable,) = unusable_mailboxes(home)
    assert (unusable.name, unusable.entry) == (name, entry)
    assert why in unusable.why
    assert "hush" not in unusable.why
    write_mailboxes(home, [*read_mailboxes(home), DAV])
    assert [one.name for one in read_mailboxes(home)] == ["stick", "home"]
    assert [one.entry for one in unusable_mailboxes(home)] == [entry]


def test_an_unusable_entry_survives_the_commands_for_others_and_is_removed_by_its_name(
    tmp_path: Path,
) -> None:
    path, box = Home.at(tmp_path / "home").mailboxes, tmp_path / "box"
    box.mkdir()
    with samemind.open_blocking(tmp_path / "home") as mind:
        path.write_text(json.dumps([{**TELEPATHY, "name": "mailbox"}, STICK]))
        assert mind.add_mailbox(f"folder://{box}").name == "mailbox-1", (
            "its name is not given to another unasked"
        )
        assert json.loads(path.read_text())[-1] == {**TELEPATHY, "name": "mailbox"}
        mind.remove_mailbox("stick")
        listed = mind.mailboxes()
        assert [one.name for one in listed.mailboxes] == ["mailbox-1"]
        (unusable,) = listed.unusable
        assert "samemind mailbox remove mailbox" in unusable.fix
        assert render_list(to_json(listed))[1].startswith(
            "mailbox mailbox cannot be used: expected the address"
        )
        (check,) = [one for one in mind.doctor().checks if one.name == "mailbox" and not one.ok]
        assert check.detail.startswith("mailbox cannot be used: expected the address of a mailbox (folder://")
        assert check.fix == unusable.fix
        assert "hush" not in check.detail
        with pytest.raises(Failed, match="mailbox cannot be used: expected the address"):
            mind.look_into_mailboxes("mailbox")
        mind.remove_mailbox("mailbox")
        assert [one["name"] for one in json.loads(path.read_text())] == ["mailbox-1"]
        path.write_text(json.dumps([TELEPATHY]))
        mind.add_mailbox(f"folder://{box}", name="far")
        assert [one["url"] for one in json.loads(path.read_text())] == [f"folder://{box}"], (
            "it takes its place"
        )


def test_fields_of_a_newer_version_stay_with_the_mailbox_at_their_address(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    newer = {**STICK, "wave": [1.5, {"ö": None}], "note": "the blue one"}
    home.mailboxes.write_text(json.dumps([newer]))
    (stick,) = read_mailboxes(home)
    write_mailboxes(home, [DAV, replace(stick, bytes_max=5_000_000)])
    written = json.loads(home.mailboxes.read_text())[1]
    assert newer.items() <= written.items()
    assert written["bytes_max"] == 5_000_000, "what this version knows is what it says"
    write_mailboxes(home, [DAV, replace(stick, url="folder:///srv/other")])
    assert not {"wave", "note"} & json.loads(home.mailboxes.read_text())[1].keys(), "another mailbox"


def test_names_are_given_and_one_address_is_one_mailbox(tmp_path: Path) -> None:
    first = new_mailbox([], None, MailboxAddress("folder:///srv/a"), None, ())
    second = new_mailbox([first], None, MailboxAddress("folder:///srv/b"), None, ())
    assert (first.name, second.name) == ("mailbox", "mailbox-1")
    again = new_mailbox([first, second], None, MailboxAddress("folder:///srv/b"), 7, ())
    assert again == replace(second, bytes_max=7), "added again, it is changed"
    with pytest.raises(Usage, match="at this one already"):
        new_mailbox([first], "other", MailboxAddress("folder:///srv/a"), None, ())
    with pytest.raises(Usage, match="1 to 40 characters"):
        new_mailbox([], "a\nb", MailboxAddress("folder:///srv/a"), None, ())
    many = [SavedMailbox(f"m{n}", f"folder:///srv/{n}") for n in range(MAILBOXES_MAX)]
    with pytest.raises(Usage, match="at most"):
        new_mailbox(many, None, MailboxAddress("folder:///srv/more"), None, ())
    write_mailboxes(Home.at(tmp_path), [second])
    with pytest.raises(NotFound, match="mailbox-1"):
        mailbox_named(Home.at(tmp_path), "nowhere")


class FailingKeeper(Keeper):
    """Fails as nobody foresaw each time it is run but the last."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.began = self.ended = 0

    async def run(self) -> None:
        self.began += 1
        if self.began <= self.failures:
            raise LookupError("what nobody foresaw")
        try:
            await trio.sleep_forever()
        finally:
            self.ended += 1

    def end(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


@pytest.mark.parametrize("failures", [0, 1, 3])
def test_one_whose_keeping_failed_is_kept_on_until_it_is_dropped(
    failures: int,
) -> None:
    async def main() -> None:
        keeper, other = FailingKeeper(failures), FailingKeeper(0)
        made = [keeper, other]
        with trio.fail_after(600):
            async with trio.open_nursery() as nursery:
                mailboxes = Mailboxes(lambda _: made.pop(0), Supervisor(nursery))
                mailboxes.keep(DAV)
                await trio.sleep(60)
                assert (keeper.began, keeper.ended) == (failures + 1, 0)
                mailboxes.keep(DAV)
                await trio.sleep(60)
                assert (keeper.ended, other.began, other.ended) == (1, 1, 0)
                mailboxes.drop(DAV.name)
        assert (keeper.began, other.began, other.ended) == (failures + 1, 1, 1)

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_one_that_is_dropped_while_it_waits_to_be_kept_again_is_kept_no_more() -> None:
    async def main() -> None:
        keeper = FailingKeeper(1)
        with trio.fail_after(600):
            async with trio.open_nursery() as nursery:
                mailboxes = Mailboxes(lambda _: keeper, Supervisor(nursery))
                mailboxes.keep(DAV)
                await trio.sleep(0.5)
                mailboxes.drop(DAV.name)
        assert keeper.began == 1

    trio.run(main, clock=MockClock(autojump_threshold=0))


def test_files_that_a_mailbox_swapped_are_named() -> None:
    name = f"{'ab' * 16}.samemind"
    first, second = said(None, replace(VIEW, altered=[name]))
    assert first.ok
    assert not second.ok
    assert second.detail.startswith("home: it serves other bytes")
    assert name in second.detail
    assert "another mailbox" in second.fix


def test_a_mailbox_that_loses_files_again_and_again_is_named() -> None:
    assert len(said(None, replace(VIEW, lost=1))) == 1, "somebody may have emptied it"
    _, check = said(None, replace(VIEW, lost=2))
    assert not check.ok
    assert check.detail.startswith("home: it lost files 2 times")
    assert "another mailbox" in check.fix


def said(trouble: Exception | None, view: MailboxView = VIEW, still: tuple[str, ...] = ()) -> list[Check]:
    return look_at(DAV, view, trouble, list(still), NOW)


QUIET = MailboxPeer(device_id="bb", name="phone", heard_at=NOW - timedelta(days=QUIET_DAYS), in_step=False)


def test_doctor_says_that_all_is_well() -> None:
    assert [(check.ok, check.detail, check.fix) for check in said(None)] == [
        (True, "home: 14 files, 3.1 MB", "")
    ]


def test_doctor_does_not_say_that_all_is_well_where_nobody_looked() -> None:
    (check,) = said(None, replace(VIEW, looked_at=None))
    assert check.detail == "home: no daemon looks into it: none runs, or not for long enough"
    assert check.fix.startswith("samemind mailbox look home")


def test_without_a_daemon_the_words_of_the_last_look_are_said(tmp_path: Path) -> None:
    """Also whom it was heard of: whoever is away for 40 days is so without a daemon, too."""
    (tmp_path / "box").mkdir()
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.add_mailbox(f"folder://{tmp_path}/box", name="box")
        mind.remember("Ann lives in Lisbon")
        mind.look_into_mailboxes()
    with samemind.open_blocking(tmp_path / "home") as mind:
        (view,) = mind.mailboxes().mailboxes
        (file,) = (tmp_path / "box").iterdir()
        assert (view.looked_at, view.files, view.bytes) == (None, 1, file.stat().st_size)
        (line,) = standing([to_json(view)])
        assert line == f"mailbox box at folder://{tmp_path}/box, 1 file when it was looked into last"
        file.unlink()
        (tmp_path / "box").rmdir()
        (check,) = [each for each in mind.doctor().checks if each.name == "mailbox"]
        assert "no daemon looks into it" in check.detail


def test_doctor_says_that_the_password_is_refused_and_how_to_give_another() -> None:
    (check,) = said(Denied("the storage answered 401 (Unauthorized)"))
    assert not check.ok
    assert check.detail == "home: the key or password is refused (the storage answered 401 (Unauthorized))"
    assert check.fix == f"samemind mailbox add {DAV.url} --name home --secret-file FILE"


@pytest.mark.parametrize(
    ("code", "fix"),
    [
        ("RequestTimeTooSkewed", "set this device's clock"),
        ("AuthorizationHeaderMalformed", "add it again under its name"),
        ("AccessDenied", "let the key list, read, write and delete there"),
    ],
)
def test_who_asks_by_a_wrong_clock_or_region_is_not_told_to_give_a_password(code: str, fix: str) -> None:
    with pytest.raises(Denied) as refused:
        check_answer(HttpAnswer(403, f"<Code>{code}</Code>".encode()), "https://s3.example/bucket")
    (check,) = said(refused.value)
    assert "key or password" not in check.detail
    assert fix in check.fix
    assert told_of(DAV, refused.value).hint == check.fix


def test_what_doctor_says_to_run_can_be_pasted_into_a_shell() -> None:
    url = "s3://KEYID@bucket/box?endpoint=https://s3.example&region=eu-1"
    view = replace(VIEW, name="my box", url=url)
    (check,) = look_at(SavedMailbox("my box", url, "hush"), view, Denied("403"), [], NOW)
    words = ["samemind", "mailbox", "add", url, "--name", "my box", "--secret-file", "FILE"]
    assert [*shlex.shlex(check.fix, posix=True, punctuation_chars=True)] == words


def test_doctor_asks_for_no_password_of_a_folder() -> None:
    stick = SavedMailbox("stick", "folder:///srv/box")
    refused = Denied("/srv/box: Read-only file system")
    (check,) = look_at(stick, replace(VIEW, name="stick"), refused, [], NOW)
    assert not check.ok
    assert check.detail == "stick: this user may not read and write there (/srv/box: Read-only file system)"
    assert told_of(stick, refused).hint == check.fix == FOLDER_RIGHTS
    assert "password" in (told_of(DAV, refused).hint or "")


def test_doctor_says_that_it_is_full() -> None:
    full = Full("the storage answered 507 (Insufficient Storage)")
    (check,) = said(full)
    assert not check.ok
    assert check.detail == "home: it is full (the storage answered 507 (Insufficient Storage))"
    assert check.fix == told_of(DAV, full).hint
    assert check.fix.startswith("have whoever runs it make room or raise the quota")


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        (refused_with(413, None), "let the server take files of up to 256 MB"),
        (too_many(), "remove what is none of samemind's there"),
        (NoRoomHere("no room on this device", missing=1, fix="make room here"), "make room here"),
    ],
)
def test_where_more_room_there_does_not_help_it_is_said_what_does(error: MailboxError, fix: str) -> None:
    (check,) = said(error)
    told = told_of(DAV, error)
    assert (check.ok, check.detail, told.message) == (False, f"home: {error}", f"home: {error}")
    assert check.fix.startswith(fix)
    assert told.hint == check.fix


@pytest.mark.parametrize(
    ("status", "code"),
    [(403, "QuotaExceeded"), (400, "XMinioAdminBucketQuotaExceeded"), (507, "XMinioStorageFull")],
)
def test_a_bucket_whose_quota_is_used_up_is_full(status: int, code: str) -> None:
    """Ceph says that by the status of a wrong key, and doctor asked for another one."""
    with pytest.raises(Full) as refused:
        check_answer(HttpAnswer(status, f"<Code>{code}</Code>".encode()), "https://s3.example/bucket")
    assert told_of(DAV, refused.value).code == "mailbox_full"


def test_doctor_says_that_there_is_no_such_bucket() -> None:
    (check,) = said(Gone("there is no such bucket or container: is its name right?"))
    assert not check.ok
    assert check.detail.startswith("home: it is not there (there is no such bucket")
    assert check.fix == "samemind mailbox remove home, then mailbox add with the right address"


def test_doctor_says_since_when_it_was_not_reached() -> None:
    long = replace(VIEW, trouble="x", trouble_since=NOW - timedelta(minutes=UNREACHED_MINUTES))
    (check,) = said(Unreached("no route"), long)
    assert (check.ok, check.detail) == (False, "home: not reached since 2026-11-23 17:45: no route")
    assert "tried again by itself" in check.fix
    short = replace(VIEW, trouble="x", trouble_since=NOW - timedelta(minutes=UNREACHED_MINUTES - 1))
    (check,) = said(Unreached("no route"), short)
    assert (check.ok, check.fix) == (True, "")


def test_doctor_counts_the_files_of_revoked_devices() -> None:
    _, check = said(None, replace(VIEW, foreign=4))
    assert check.detail == "home: 4 files of revoked devices, until what is inside is rewritten"
    one, foreign = said(None, replace(VIEW, files=1, foreign=1))
    assert (one.detail, foreign.detail.split(",")[0]) == (
        "home: 1 file, 3.1 MB",
        "home: 1 file of revoked devices",
    )


def test_doctor_counts_what_is_sealed_for_others() -> None:
    _, check = said(None, replace(VIEW, sealed=2))
    assert check.ok
    assert check.detail.startswith("home: 2 files sealed for others: of another group")


def test_doctor_says_in_whose_files_erased_words_still_are_and_for_how_long_it_was_away() -> None:
    _, stale, check = said(None, replace(VIEW, stale=2, peers=[replace(QUIET, stale=2)]))
    assert stale.ok
    assert stale.detail == "home: words that were erased may still be in 2 files, until that is rewritten"
    assert not check.ok
    assert check.detail == (
        f"home: erased words may still be in 2 files of phone, which was not heard of there for {QUIET_DAYS} days"
    )
    _, check = said(None, replace(VIEW, peers=[QUIET]))
    assert (check.ok, check.detail) == (True, f"home: phone was not heard of there for {QUIET_DAYS} days")
    fresh = replace(QUIET, heard_at=NOW - timedelta(days=QUIET_DAYS - 1), stale=1)
    assert len(said(None, replace(VIEW, peers=[fresh]))) == 1


def test_doctor_goes_on_saying_who_was_revoked_and_knows_the_password() -> None:
    _, check = said(None, still=("tablet",))
    assert (check.ok, check.detail) == (False, "home: tablet was revoked and still knows its password")
    assert check.fix.startswith("change the password or key there, then: samemind mailbox add")
    folder = replace(DAV, url="folder:///srv/box", secret=None)
    assert len(look_at(folder, VIEW, None, ["tablet"], NOW)) == 1, "a folder has none"


def test_doctor_says_how_another_key_comes_to_a_server_of_ones_own() -> None:
    nats = replace(DAV, url="nats+tls://meet.example:4222", secret="SUAKEY")
    *_, check = look_at(nats, replace(VIEW, url=nats.url), None, ["tablet"], NOW)
    assert "serve-config HOST --new-key" in check.fix


def test_a_server_keeps_its_key_until_another_is_asked_for(tmp_path: Path) -> None:
    """A device that was revoked knows the old one: afterwards it is in no settings and in no file."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        first = mind.mailbox_server_config("meet.example")
        key = Path(first.key_file).read_text()
        assert mind.mailbox_server_config("meet.example") == first
        other = mind.mailbox_server_config("meet.example", new_key=True)
        assert (other.key_file, other.url) == (first.key_file, first.url)
        assert other.settings != first.settings
        assert Path(first.key_file).read_text() not in (key, "")
        assert Path(first.key_file).stat().st_mode & 0o077 == 0
        assert mind.mailbox_server_config("meet.example") == other


def test_three_servers_have_the_same_settings_but_their_names(tmp_path: Path) -> None:
    hosts = ["n1.example", "n2.example", "10.0.0.3"]
    with samemind.open_blocking(tmp_path / "home") as mind:
        found = mind.mailbox_server_config(",".join(hosts))
        assert found.names == hosts
        assert found.url == "nats+tls://n1.example:4222,n2.example:4222,10.0.0.3:4222/group?replicas=3"
        assert 'server_name: "n1.example"' in found.settings
        assert "subjectAltName=DNS:n1.example,DNS:n2.example,IP:10.0.0.3" in found.certificate_command
        printed = "\n".join(render_config(to_json(found)))
        assert '# /etc/nats-server.conf (server_name: "n2.example", "10.0.0.3" on the others)' in printed
        assert "samemind mailbox add 'nats+tls://n1.example:4222," in printed
        assert mind.mailbox_server_config("::1").url == "nats+tls://[::1]:4222"
        for wrong in ("", "a,b", "a,a,b", "a b", "a;rm", "$(x)", "a,,b", '"'):
            with pytest.raises(Usage):
                mind.mailbox_server_config(wrong)


def test_doctor_says_that_it_holds_more_than_it_should() -> None:
    assert len(said(None, replace(VIEW, bytes_max=3_100_000))) == 1
    _, check = said(None, replace(VIEW, bytes_max=3_000_000))
    assert check.detail == "home: 3.1 MB, over its bound of 3: this device keeps one file there"


def test_status_says_through_what_a_device_is_in_step() -> None:
    peers = [
        MailboxPeer(
            device_id="bb", name="phone", heard_at=datetime.now(UTC) - timedelta(seconds=200), in_step=True
        ),
        MailboxPeer(
            device_id="cc", name="tablet", heard_at=datetime.now(UTC) - timedelta(days=2), in_step=False
        ),
    ]
    view = replace(
        VIEW, looked_at=datetime.now(UTC), bytes_max=500_000_000, unread=1, putting_off=True, peers=peers
    )
    document = to_json(view)
    assert standing([document]) == [
        "mailbox home: 14 files, 3.1 of 500 MB, looked just now, 1 unread, news waiting",
        "phone: in step by mailbox home, 3 min ago",
        "tablet: heard by mailbox home, 2 days ago",
    ]
    troubled = to_json(replace(view, trouble="no route", trouble_since=NOW, peers=[], looking_since=NOW))
    since = minute(NOW)
    assert standing([troubled]) == [f"mailbox home: no route, since {since}, a look under way since {since}"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3_599, "59 min ago"),
        (3_600, "1 hour ago"),
        (172_800, "2 days ago"),
    ],
)
def test_times_are_said_as_people_say_them(seconds: int, said: str) -> None:
    assert ago((NOW - timedelta(seconds=seconds)).isoformat(), NOW) == said


NOW_MS = 1_700_000_000_000
CODE = CodeByMailbox(7, PairingCode(417, ("maple", "otter", "cedar")))


def same(one: Opening, other: Opening) -> bool:
    return replace(one, code=None) == replace(other, code=None) and str(one.code) == str(other.code)


def test_an_opening_that_was_written_down_goes_on_with_its_code_and_its_guesses(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    opening = Opening(NOW_MS, NOW_MS + WAIT_MS_MAX, words=3, burnt=1, code=CODE, begun=True)
    other = Opening(NOW_MS, NOW_MS + 600_000, words=2)
    trio.run(_keep, home, "nats://a", opening)
    trio.run(_keep, home, "nats://b", other)
    assert home.pairings.stat().st_mode & 0o777 == 0o600
    assert same(read_opening(home, "nats://a", NOW_MS + 1, WAIT_MS_MAX), opening)
    assert same(read_opening(home, "nats://a", NOW_MS + 1, None), opening), "whatever is open goes on"
    assert same(read_opening(home, "nats://b", NOW_MS + 1, None), other)
    assert read_opening(home, "nats://b", NOW_MS + 1, WAIT_MS_MAX).words == 3, "asked for longer: another one"
    late = NOW_MS + WAIT_MS_MAX
    assert read_opening(home, "nats://a", late, WAIT_MS_MAX) == Opening.new(late, WAIT_MS_MAX)
    trio.run(_keep, home, "nats://a", replace(opening, burnt=2))
    assert read_opening(home, "nats://a", NOW_MS + 1, None) == Opening.new(NOW_MS + 1), (
        "three guesses were had"
    )
    for url in ("nats://a", "nats://b"):
        trio.run(_keep, home, url, None)
    assert not home.pairings.exists()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"nats://a": 1}', '{"nats://a": {"code": "no"}}'])
def test_a_file_of_openings_that_cannot_be_read_opens_anew(tmp_path: Path, text: str) -> None:
    home = Home.at(tmp_path)
    home.pairings.write_text(text)
    assert read_opening(home, "nats://a", NOW_MS, None) == Opening.new(NOW_MS)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("folder:///srv/ann/private/box", "folder"),
        ("webdav+https://ann@cloud.example/dav/box", "webdav+https://cloud.example/dav/box"),
        ("s3://KEYID@bucket/box?endpoint=https://s3.example", "s3://bucket/box"),
        ("nats+tls://a:4222,b:4222/group?replicas=3", "nats+tls://a:4222,b:4222/group"),
    ],
)
def test_no_name_of_a_user_and_no_folder_is_told_to_others(url: str, told: str) -> None:
    assert seen_from_outside(url) == told


def test_a_mailbox_that_fails_keeps_nobody_from_the_others(tmp_path: Path) -> None:
    """All are looked into, also behind one whose server is down or whose share is not mounted; each failure is told."""
    places = [tmp_path / name for name in ("first", "second", "third")]
    with samemind.open_blocking(tmp_path / "home") as mind:
        for place in places:
            place.mkdir()
            mind.add_mailbox(f"folder://{place}", name=place.name)
        mind.remember("Ann likes green tea")
        for gone in ("first", "third"):
            (tmp_path / gone).rmdir()
        with pytest.raises(Unreachable, match=r"^first: .*; third: ") as refused:
            mind.look_into_mailboxes()
        assert refused.value.code == "mailbox_unreachable"
        assert list((tmp_path / "second").iterdir()), "the one that is there got what was told"


def test_a_folder_that_is_named_as_a_path_gets_the_address_to_type(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(Usage, match="got a folder") as refused:
            mind.add_mailbox(str(tmp_path))
        assert refused.value.hint == f"samemind mailbox add folder://{tmp_path}"


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("/srv/none/box", "folder:///srv/none/box"),
        ("/srv/my box", "'folder:///srv/my box'"),
        ("file:///srv/none/box", "folder:///srv/none/box"),
        ("https://cloud.example/dav", "webdav+https://cloud.example/dav"),
        ("davs://cloud.example/dav", "webdav+https://cloud.example/dav"),
        ("http://cloud.example/dav", "webdav+http://cloud.example/dav"),
        ("https://ada:hush@cloud.example/dav", None),
        ("ftp://cloud.example/dav", None),
        ("box", None),
    ],
)
def test_an_address_as_other_programs_write_it_gets_the_one_to_type(
    tmp_path: Path, url: str, meant: str | None
) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(Usage, match="expected the address of a mailbox") as refused:
            mind.add_mailbox(url)
        assert refused.value.hint == ("" if meant is None else f"samemind mailbox add {meant}")
        assert "hush" not in str(refused.value) + refused.value.hint


def test_a_folder_that_is_not_there_and_a_secret_that_is_missing_are_refused_with_what_to_do(
    tmp_path: Path,
) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(NotFound, match="there is none") as missing:
            mind.add_mailbox(f"folder://{tmp_path}/box")
        assert missing.value.hint.endswith(f"mkdir -p {tmp_path}/box")
        for url in ("webdav+https://ada@cloud.example/box", "webdav+https://ada:hush@cloud.example/box"):
            with pytest.raises(Usage) as bare:
                mind.add_mailbox(url)
            assert "on one line of a file" in bare.value.hint
        assert mind.mailboxes().mailboxes == []
