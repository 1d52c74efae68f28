"""A phone meets others through a mailbox: steps go out, answers come in, and a server may answer what it likes."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from replica.membership import revoke
from samemind.home.mailboxes import SavedMailbox
from samemind.home.phone_mailboxes import told_to_phones
from samemind.phone import mail
from samemind.phone.host import Phone
from samemind.phone.link import TOLD_BYTES_MAX
from samemind.phone.mail import (
    FILE_BYTES_MAX,
    LONG_SECONDS,
    LOOKS_MAX,
    MAILBOXES_MAX,
    POKE_SECONDS_MIN,
    SLOW_SECONDS,
    Breath,
    MailRequestFailed,
    PhoneMail,
    PhoneMailbox,
    read_told,
)
from sync.errors import Unreached
from sync.mailbox.http_files import HttpAnswer, HttpCall
from sync.mailbox.nkeys import new_seed
from sync.mailbox.pace import BELLS_A_SECOND, BELLS_AT_ONCE, NEWS_SECONDS_MAX, PERSON_SECONDS
from tests.support.phones import NOW_MS, meet, pair, phone, read_all
from tests.support.visits import any_name
from tests.unit.sync.mailbox.test_webdav import listing

AT = PhoneMailbox("post", "https://cloud.example/box", "ada", "geheim", None, 1, 1 << 30, None)


@dataclass
class Folder:
    """A folder of WebDAV, as far as a page asks for one; `spoiled` answers instead."""

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    spoiled: Callable[[HttpCall], HttpAnswer | None] = lambda _: None

    def answer(self, call: HttpCall) -> HttpAnswer:
        self.asked.append(call.method)
        self.urls.append(call.url)
        if (other := self.spoiled(call)) is not None:
            return other
        name = call.url.rpartition("/")[2]
        match call.method:
            case "PROPFIND":
                return HttpAnswer(
                    207,
                    listing(*((f"/box/{each}", str(len(data)), False) for each, data in self.files.items())),
                )
            case "PUT":
                self.files[name] = call.body
                return HttpAnswer(201)
            case "DELETE":
                self.files.pop(name, None)
                return HttpAnswer(204)
        return HttpAnswer(200, self.files[name][: call.bytes_max]) if name in self.files else HttpAnswer(404)


@dataclass
class Kept:
    """One phone and its mailboxes, on a clock that jumps."""

    phone: Phone
    folder: Folder
    steady: float = 0.0
    failing: str | None = None
    """With what every request fails."""

    def __post_init__(self) -> None:
        self.mail = PhoneMail(self.phone, Random(1))
        self.mail.use((AT,))

    @property
    def now_ms(self) -> int:
        return NOW_MS + int(self.steady * 1_000)

    def look(self) -> None:
        """Wait until it is due, and look."""
        self.steady += self.mail.wait_s(self.steady)
        number = self.mail.begin(self.now_ms, self.steady)
        assert number is not None
        self.go_on(number)

    def go_on(self, number: int) -> None:
        """Do what a look wants done until it is over."""
        while (step := self.mail.step(number)) is not None:
            answer: Any = None
            if isinstance(step, HttpCall):
                answer = self.folder.answer(step) if self.failing is None else MailRequestFailed(self.failing)
            else:
                assert isinstance(step, Breath)
            self.mail.answered(number, answer, self.now_ms, self.steady)

    @property
    def state(self) -> dict[str, Any]:
        (state,) = self.mail.states()
        return state


def two(folder: Folder) -> tuple[Kept, Kept]:
    here, there = phone(), phone("laptop")
    pair(here, there)
    meet(here, there)
    return Kept(here, folder), Kept(there, folder)


def test_two_that_never_link_hold_the_same_in_the_end() -> None:
    here, there = two(Folder())
    rid = here.phone.remember("milk, bread", now_ms=NOW_MS)["rid"]
    there.phone.remember("I live in Bern", now_ms=NOW_MS)
    for _ in range(3):
        here.look()
        there.look()
        read_all(here.phone)
        read_all(there.phone)
    here.phone.edit(rid, "milk, bread, cheese", now_ms=here.now_ms)
    there.phone.edit(rid, "oat milk, bread", now_ms=there.now_ms)
    for _ in range(3):
        here.look()
        there.look()
    assert here.phone.digests() == there.phone.digests()
    assert there.phone.memory(rid)["text"] == "oat milk, bread, cheese"
    assert (here.state["trouble"], here.state["putting_off"]) == (None, False)
    assert here.state["looked_ms"] == here.now_ms


def test_what_was_fetched_is_not_fetched_again_also_after_a_restart() -> None:
    folder = Folder()
    here, there = two(folder)
    there.phone.remember("told", now_ms=NOW_MS)
    there.look()
    here.look()
    Kept(here.phone, folder).look()
    assert folder.asked.count("GET") == len(folder.files) - 1  # but its own


def test_news_is_put_off_for_a_moment_and_written_once() -> None:
    folder = Folder()
    here, _ = two(folder)
    here.look()
    before, began = folder.asked.count("PUT"), here.steady
    for n in range(5):
        here.phone.remember(f"number {n}", now_ms=here.now_ms)
        read_all(here.phone)
        here.mail.wait_s(here.steady)
    assert here.state["putting_off"]
    here.look()
    assert folder.asked.count("PUT") == before + 1
    assert here.steady - began == mail.GROUP_SECONDS_LOOKED_AT


def test_what_a_mailbox_loses_again_and_again_is_written_ever_more_seldom_and_news_all_the_same() -> None:
    folder = Folder()
    here, _ = two(folder)
    puts, told_at = list[float](), 0.0
    while here.steady < 12 * 3_600:
        before = folder.asked.count("PUT")
        here.look()
        if folder.asked.count("PUT") > before:
            puts.append(here.steady)
        if not told_at and here.steady > 8 * 3_600 and here.steady - puts[-1] > 1_000:
            told_at = here.steady
            here.phone.remember("news", now_ms=here.now_ms)
            read_all(here.phone)
        folder.files.clear()
    assert len(puts) <= 12 + 8 + 1, "it would be 360 and more"
    assert min(at for at in puts if at > told_at) - told_at <= NEWS_SECONDS_MAX


def test_where_nobody_writes_it_looks_less_and_less_often() -> None:
    here, _ = two(Folder())
    times = []
    for _ in range(6):
        here.look()
        times.append(here.steady)
    waits = [round(later - sooner) for sooner, later in pairwise(times)]
    assert waits == [60, 60, 120, 240, 300]  # its own file came up after the first


def test_whoever_turns_to_the_page_again_and_again_makes_it_look_seldom() -> None:
    folder = Folder()
    here, _ = two(folder)
    here.look()
    before = folder.asked.count("PROPFIND")
    for _ in range(100):
        here.steady += 0.1
        here.mail.poke(here.steady)
        if here.mail.wait_s(here.steady) == 0:
            here.look()
    assert folder.asked.count("PROPFIND") - before <= 10 / POKE_SECONDS_MIN


def test_bells_without_end_are_believed_so_often_only() -> None:
    here, _ = two(Folder())
    here.look()
    for _ in range(BELLS_AT_ONCE):
        here.mail.rung("post", here.steady)
        assert here.mail.wait_s(here.steady) == 0
        here.look()
    for _ in range(10 * BELLS_AT_ONCE):
        here.mail.rung("post", here.steady)
    assert here.mail.wait_s(here.steady) == 1 / BELLS_A_SECOND, "one stands for all that rang meanwhile"


def test_bells_of_a_mailbox_that_lists_without_end_are_believed_seldom() -> None:
    here, _ = two(folder := Folder())
    here.look()
    folder.files |= {f"{n:032x}.samemind": b"?" for n in range(900)}
    before = folder.asked.count("PROPFIND")
    for _ in range(600):
        here.steady += 0.1
        here.mail.rung("post", here.steady)
        if here.mail.wait_s(here.steady) == 0:
            here.look()
    # It may be looked at 120 times in a minute, and fetching 900 files counts as 90 of those.
    assert folder.asked.count("PROPFIND") - before <= 30 + BELLS_AT_ONCE + 1


def test_a_bell_that_rings_during_a_look_is_not_lost() -> None:
    here, _ = two(Folder())
    look = here.mail.begin(NOW_MS, here.steady)
    assert look is not None
    here.mail.rung("post", here.steady)
    here.go_on(look)
    assert here.mail.wait_s(here.steady) == 0


@pytest.mark.parametrize(("status", "kind"), [(401, "denied"), (403, "denied"), (507, "full"), (413, "full")])
def test_what_a_person_has_to_mend_is_tried_seldom_and_told(status: int, kind: str) -> None:
    here, _ = two(Folder(spoiled=lambda call: HttpAnswer(status)))
    here.look()
    assert (here.state["kind"], str(status) in here.state["trouble"]) == (kind, True)
    assert here.mail.wait_s(here.steady) == PERSON_SECONDS


@pytest.mark.parametrize("kind", ["network", "cors", "policy", "timeout", "closed"])
def test_what_the_browser_says_of_a_failure_is_told_and_tried_less_and_less_often(kind: str) -> None:
    here, _ = two(Folder())
    here.failing = kind
    pauses = []
    for _ in range(12):
        here.look()
        pauses.append(here.mail.wait_s(here.steady))
    assert here.state["kind"] == kind
    assert pauses[0] <= 1
    assert 150 <= pauses[-1] <= 300
    here.failing = None
    here.look()
    assert here.state["trouble"] is None


def test_a_server_that_says_when_to_come_back_is_left_alone_until_then() -> None:
    here, _ = two(Folder(spoiled=lambda call: HttpAnswer(503, retry_after="200")))
    here.look()
    assert here.mail.wait_s(here.steady) == 200


def test_a_hostile_folder_does_no_harm() -> None:
    """It alters, cuts, repeats, renames, lies about sizes, and lists what it likes."""
    folder = Folder()
    here, there = two(folder)
    there.phone.remember("told", now_ms=NOW_MS)
    there.look()
    ((name, good),) = folder.files.items()
    random = Random(3)
    folder.files = {
        any_name(): bytes(bad)
        for bad in (
            b"",
            good[:-1],
            good + b"\0",
            good[:50] + bytes([good[50] ^ 1]) + good[51:],
            random.randbytes(9_000),
        )
    }
    folder.files |= {"notes.txt": b"mine", "a b?#.samemind": random.randbytes(10)}
    position = here.phone.core.position
    here.look()
    assert (here.phone.core.position, here.state["trouble"]) == (position, None)
    # It is told of sizes that are none, and answers with more than was asked for.
    folder.files = {name: good, any_name(): good}  # replayed under another name
    large = any_name()
    huge = listing((f"/box/{large}", str(FILE_BYTES_MAX + 1), False), (f"/box/{name}", str(len(good)), False))
    folder.spoiled = lambda call: (
        HttpAnswer(207, huge)
        if call.method == "PROPFIND"
        else HttpAnswer(200, good + bytes(1 << 20))
        if call.method == "GET"
        else None
    )
    here.look()
    assert [each["text"] for each in here.phone.recent(limit=5, now_ms=NOW_MS)] == ["told"]
    assert not any(large in url for url in folder.urls)
    folder.spoiled = lambda call: HttpAnswer(207, b"<a/>") if call.method == "PROPFIND" else None
    here.look()
    assert here.state["trouble"] is not None
    assert here.phone.digests() == there.phone.digests()


def test_a_file_that_comes_and_goes_is_no_trouble() -> None:
    folder = Folder()
    here, there = two(folder)
    there.phone.remember("told", now_ms=NOW_MS)
    there.look()
    folder.spoiled = lambda call: HttpAnswer(404) if call.method == "GET" else None
    here.look()
    assert here.state["trouble"] is None
    folder.spoiled = lambda _: None
    here.look()
    assert here.phone.status(now_ms=NOW_MS)["memories"] == 1


def test_who_was_revoked_reads_nothing_that_was_written_after_and_is_not_read() -> None:
    folder = Folder()
    here, there = two(folder)
    there.look()
    here.look()
    who = there.phone.identity
    there.phone.core.learn([], [revoke(who.sign, who.device_id, here.phone.core.device)])
    there.phone.remember("nothing for strangers", now_ms=there.now_ms)
    here.phone.remember("told by a stranger", now_ms=here.now_ms)
    for _ in range(3):
        here.look()
        there.look()
    assert "nothing for strangers" not in {each["text"] for each in here.phone.recent(limit=9, now_ms=NOW_MS)}
    assert "told by a stranger" not in {each["text"] for each in there.phone.recent(limit=9, now_ms=NOW_MS)}


def test_one_that_is_used_no_more_is_forgotten() -> None:
    here, _ = two(Folder())
    here.look()
    here.mail.use(())
    assert here.mail.wait_s(here.steady) == float("inf")
    assert here.mail.states() == []
    ((rows,),) = here.phone.connection.execute("SELECT count(*) FROM carried")
    assert rows == 0


def test_a_look_that_was_given_up_leaves_the_next_one_free() -> None:
    here, _ = two(Folder())
    number = here.mail.begin(here.now_ms, here.steady)
    assert number is not None
    here.mail.drop(number)
    here.steady += 1
    here.look()
    assert here.state["looked_ms"] is not None


# -- what a paired device tells ----------------------------------------------------------------------------------

SEED = new_seed(bytes(32))
TOLD = {
    "name": "post",
    "url": "wss://meet.example:8443",
    "user": None,
    "secret": SEED,
    "group": "family",
    "replicas": 3,
    "stream_bytes": 1 << 30,
    "bytes_max": None,
}
DAV = {**TOLD, "url": "https://cloud.example/box", "group": None, "secret": "geheim", "user": "ada"}


def test_a_phone_reads_what_a_device_tells() -> None:
    saved = [
        SavedMailbox(
            "post", "nats+tls://a:4222,b:4222/family?replicas=3", SEED, phones="wss://meet.example:8443"
        ),
        SavedMailbox(
            "cloud", "webdav+https://ada%40x@c.example/dav/box/", "geheim", phones="https://c.example"
        ),
        SavedMailbox("not for phones", "webdav+https://d.example/box", None),
    ]
    first, second = read_told(told_to_phones(saved).decode())
    assert first == PhoneMailbox("post", "wss://meet.example:8443", None, SEED, "family", 3, 1 << 30, None)
    assert second == PhoneMailbox(
        "cloud", "https://c.example/dav/box", "ada@x", "geheim", None, 1, 1 << 30, None
    )
    phone_mail = PhoneMail(phone(), Random(1))
    phone_mail.use((first,))
    server = phone_mail.server("post")
    assert (server["url"], server["ring"]) == ("wss://meet.example:8443", "samemind.family.ring")
    assert (server["nkey"] or "").startswith("U")
    assert len(phone_mail.signed("post", "nonce")) == 86


@pytest.mark.parametrize(
    "told",
    [
        {},
        [TOLD] * 2,
        [{**TOLD, "name": str(n)} for n in range(MAILBOXES_MAX + 1)],
        [{**TOLD, "url": "ws://meet.example"}],
        [{**TOLD, "url": "https://meet.example"}],
        [{**TOLD, "secret": "SUNOSEED"}],
        [{**TOLD, "group": "a.>"}],
        [{**TOLD, "replicas": 6}],
        [{**DAV, "url": "http://cloud.example/box"}],
        [{**DAV, "url": "file:///etc/passwd"}],
        [{**DAV, "url": "https://ada@cloud.example/box"}],
        [{**DAV, "url": "https://cloud.example/box?x=1"}],
        [{**DAV, "name": ""}],
        [{**DAV, "name": "a\nb"}],
        [{**DAV, "secret": "x" * 1_001}],
        [{**DAV, "bytes_max": "many"}],
        [{key: value for key, value in DAV.items() if key != "url"}],
    ],
)
def test_what_is_told_is_read_as_anybodys_words(told: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_told(json.dumps(told))


def test_more_than_fits_is_not_read() -> None:
    for text in ("[]" + " " * TOLD_BYTES_MAX, "[" * TOLD_BYTES_MAX, "no json"):
        with pytest.raises(ValueError, match="xpect"):
            read_told(text)


def test_this_machine_may_be_reached_without_encryption() -> None:
    (one,) = read_told(json.dumps([{**DAV, "url": "http://127.0.0.1:8080/box"}]))
    assert one.url == "http://127.0.0.1:8080/box"
    assert issubclass(mail.RequestLost, Unreached)


def test_a_mailbox_that_lets_itself_be_waited_for_holds_up_no_other() -> None:
    kept = Kept(phone(), Folder())
    others = tuple(replace(AT, name=f"box{n}", url=f"https://{n}.example/box") for n in range(LOOKS_MAX + 1))
    kept.mail.use(others)
    started = []
    for place in range(LOOKS_MAX):
        number = kept.mail.begin(kept.now_ms, kept.steady)
        assert number is not None
        started.append(kept.mail.looking(number))
        assert kept.mail.begin(kept.now_ms, kept.steady) is None, "an answer may come at once"
        if place < LOOKS_MAX - 1:
            assert kept.mail.wait_s(kept.steady) == SLOW_SECONDS
        kept.steady += SLOW_SECONDS
    assert len(set(started)) == LOOKS_MAX, "each into another"
    assert kept.mail.begin(kept.now_ms, kept.steady) is None, "what they hold meanwhile is bounded"
    kept.mail.answered(1, MailRequestFailed("timeout"), kept.now_ms, kept.steady)
    assert kept.mail.step(1) is None
    last = kept.mail.begin(kept.now_ms, kept.steady)
    assert last is not None
    assert kept.mail.looking(last) not in started
    kept.mail.answered(
        1, HttpAnswer(200), kept.now_ms, kept.steady
    )  # an answer that nobody waits for any more
    kept.mail.use(others[:1])
    assert [kept.mail.looking(number) for number in (1, 2, last)] == [None, None, None]


def test_a_look_that_goes_on_and_on_holds_up_no_other_for_longer_than_a_minute() -> None:
    """Each answer comes soon enough, and each asks for one more."""
    kept = Kept(phone(), Folder())
    kept.mail.use((AT, replace(AT, name="other", url="https://other.example/box")))
    files = {any_name(): b"x" for _ in range(32)}
    number = kept.mail.begin(kept.now_ms, kept.steady)
    assert number is not None
    folder = Folder(files)
    while kept.steady < LONG_SECONDS:
        assert kept.mail.begin(kept.now_ms, kept.steady) is None
        kept.steady += SLOW_SECONDS - 1
        step = kept.mail.step(number)
        answer = folder.answer(step) if isinstance(step, HttpCall) else None
        kept.mail.answered(number, answer, kept.now_ms, kept.steady)
        assert kept.mail.step(number) is not None
    assert kept.mail.begin(kept.now_ms, kept.steady) is not None
