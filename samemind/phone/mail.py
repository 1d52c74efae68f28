"""Meet through mailboxes while no paired device is in reach: what a page's worker is to request, one step at a time.

What to fetch, to write and to remove is decided by `sync.carrier.visit`, and when by `sync.mailbox.pace`, as for a
daemon. All that is different is who makes the requests: a browser has `fetch` and WebSockets, and no socket. They are
looked into one after the other, since each look holds what it takes in memory; one that lets itself be waited for is
waited for beside the others. Which
mailboxes there are is told by a paired device over an encrypted link; what it says is read here as anybody's words.
"""

import base64
import io
import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

from replica.json_text import parse_json
from replica.mailbox_files import files_taken, forget_files, note_files
from samemind.phone.host import Phone
from samemind.phone.link import TOLD_BYTES_MAX
from sync.carrier.shelf import Plan, Shelf
from sync.carrier.visit import GetFile, Looked, Names, Put, Remove, Run, Save, Step, Visitor, VisitUnderWay
from sync.errors import Denied, Full, MailboxError, SyncError, Unreached
from sync.loopback import is_this_machine
from sync.mailbox.http_files import HttpAnswer, HttpCall
from sync.mailbox.nkeys import public_nkey, read_seed
from sync.mailbox.pace import GROUP_SECONDS_RINGING, LOOK_SECONDS_MAX, LookClock, Pace
from sync.mailbox.stream_files import Ask, StreamFiles, Tell
from sync.mailbox.webdav import WebdavFiles

# As many as a daemon keeps.
MAILBOXES_MAX: Final = 16
_TEXT_CHARACTERS_MAX: Final = 1_000
# What a phone's memory holds beside everything else, twice over; a larger file is for a daemon to take.
FILE_BYTES_MAX: Final = 48 << 20
# A page may be closed at any moment after somebody told it something, so news waits less long than a daemon's.
GROUP_SECONDS_LOOKED_AT: Final = 10.0
# Whoever turns to the page and away from it again and again does not make it look each time.
POKE_SECONDS_MIN: Final = 10.0
# A server that answers later than this is waited for while another mailbox is looked into.
SLOW_SECONDS: Final = 5.0
# So is one whose look takes longer than this altogether.
LONG_SECONDS: Final = 60.0
# Each may hold a batch of files meanwhile (`sync.carrier.visit`).
LOOKS_MAX: Final = 4
_SCHEMES: Final = ("https", "wss")
_SCHEMES_HERE: Final = ("http", "ws")

_NEVER: Final = -1

Files = WebdavFiles | StreamFiles
Transport = HttpCall | Ask | Tell


@dataclass(frozen=True, slots=True)
class PhoneMailbox:
    """A mailbox as a phone reaches it. `group`: of which stream, on a NATS server; None for a folder of WebDAV."""

    name: str
    url: str
    user: str | None
    secret: str | None
    group: str | None
    replicas: int
    stream_bytes: int
    bytes_max: int | None

    @property
    def key(self) -> str:
        """By what the store knows it."""
        return self.url if self.group is None else f"{self.url}/{self.group}"


class Breath:
    """Step: let others be asked first, since much was done."""


@dataclass(slots=True)
class PhoneMailboxState:
    """How it stands with one, as a page shows it."""

    looked_ms: int | None = None
    wrote_ms: int | None = None
    trouble: str | None = None
    trouble_kind: str | None = None
    putting_off: bool = False
    refused: tuple[str, ...] = ()


class MailRequestFailed(Exception):
    """A request came to nothing; `kind`: `network`, `cors`, `policy`, `timeout`, `denied` or `closed`."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(slots=True)
class _Kept:
    """One mailbox, and what is known of it since the page was opened. Times are a steady clock's seconds."""

    about: PhoneMailbox
    files: Files
    pace: Pace
    shelf: Shelf
    clock: LookClock
    state: PhoneMailboxState = field(default_factory=PhoneMailboxState)
    look_at: float = 0.0
    rung_at: float = float("inf")
    """When to look because of a bell that rang after the last look began."""
    looked_at: float = float("-inf")
    paused_until: float = float("-inf")
    plan: Plan | None = None
    planned_at: int = _NEVER
    put_off_at: int = -1
    write_at: float = float("inf")


@dataclass(slots=True)
class _Look:
    """A look that is under way. `step`: what it wants done next, since `asked_at`."""

    kept: _Kept
    steps: Generator[Transport | Breath, Any, None]
    begun_at: float
    asked_at: float
    step: Transport | Breath | None = None

    @property
    def slow_at(self) -> float:
        """When another may be looked into beside it."""
        return min(self.asked_at + SLOW_SECONDS, self.begun_at + LONG_SECONDS)


class PhoneMail:
    """The mailboxes of one phone."""

    def __init__(self, phone: Phone, random: Random) -> None:
        self._phone = phone
        self._random = random
        self._kept: dict[str, _Kept] = {}
        self._now_ms = 0
        self._steady = 0.0
        self._looks: dict[int, _Look] = {}
        self._last = 0

    def server(self, name: str) -> dict[str, str | None]:
        """Return where the NATS server of one is, as whom to sign in there, and on which subject it rings."""
        about, files = self._kept[name].about, self._kept[name].files
        nkey = None if about.secret is None else public_nkey(read_seed(about.secret))
        return {"url": about.url, "nkey": nkey, "ring": getattr(files, "ring", None)}

    def signed(self, name: str, nonce: str) -> str:
        """Return what proves to a NATS server that its user's key is here, as its clients write it."""
        signature = read_seed(self._kept[name].about.secret or "").sign(nonce.encode())
        return base64.urlsafe_b64encode(signature).decode().rstrip("=")

    def use(self, mailboxes: tuple[PhoneMailbox, ...]) -> None:
        """Use these, and no others, from now on."""
        connection = self._phone.connection
        for name, kept in list(self._kept.items()):
            if kept.about not in mailboxes:
                del self._kept[name]
                for number in [each for each, look in self._looks.items() if look.kept is kept]:
                    self.drop(number)
                if kept.about.key not in {each.key for each in mailboxes}:
                    forget_files(connection, kept.about.key)
        for about in mailboxes:
            if about.name not in self._kept:
                self._kept[about.name] = _Kept(
                    about,
                    self._files(about),
                    Pace(
                        GROUP_SECONDS_RINGING if about.group is not None else GROUP_SECONDS_LOOKED_AT,
                        self._random,
                    ),
                    Shelf(files_taken(connection, about.key)),
                    LookClock(),
                    look_at=self._steady,
                )

    def states(self) -> list[dict[str, Any]]:
        """Return how it stands with each."""
        return [
            {
                "name": name,
                "url": kept.about.url,
                "looked_ms": kept.state.looked_ms,
                "wrote_ms": kept.state.wrote_ms,
                "trouble": kept.state.trouble,
                "kind": kept.state.trouble_kind,
                "putting_off": kept.state.putting_off
                or kept.planned_at not in (_NEVER, self._phone.core.news),
                "refused": list(kept.state.refused),
            }
            for name, kept in self._kept.items()
        ]

    # -- when to look ----------------------------------------------------------------------------------------

    def wait_s(self, steady: float) -> float:
        """Return after how many seconds to look into one; infinity where there is none, or a look has to end first."""
        self._steady = steady
        if len(self._looks) >= LOOKS_MAX:
            return float("inf")
        slow_at = max((look.slow_at for look in self._looks.values()), default=0.0)
        waits = (max(0.0, self._due(kept) - steady, slow_at - steady) for kept in self._idle())
        return min(waits, default=float("inf"))

    def poke(self, steady: float) -> None:
        """Look soon: somebody came to the page, or leaves it."""
        for kept in self._kept.values():
            soon = max(steady, kept.looked_at + POKE_SECONDS_MIN)
            kept.look_at = min(kept.look_at, soon)
            kept.paused_until = min(kept.paused_until, soon)
            kept.pace.at_once()
            kept.write_at = min(kept.write_at, soon)

    def rung(self, name: str, steady: float) -> None:
        """Hear that something may have come: believed only so often, and once until that is looked for."""
        if (kept := self._kept.get(name)) is not None and kept.rung_at == float("inf"):
            kept.rung_at = steady + kept.pace.bells.pause(steady)

    def _due(self, kept: _Kept) -> float:
        due, waits = min(kept.look_at, kept.rung_at), kept.plan is not None and kept.plan.writes
        if kept.planned_at not in (_NEVER, news := self._phone.core.news):
            if kept.put_off_at != news:
                kept.put_off_at = news
                if waits:
                    kept.pace.heard(self._steady)
                else:
                    kept.write_at = min(kept.write_at, kept.pace.put_off(self._steady))
            due = min(due, kept.write_at)
        if kept.plan is not None and waits:
            due = min(due, kept.pace.due(kept.plan))
        return max(due, kept.paused_until)

    # -- looking ---------------------------------------------------------------------------------------------

    def _idle(self) -> list[_Kept]:
        looked_into = [look.kept for look in self._looks.values()]
        return [kept for kept in self._kept.values() if not any(kept is each for each in looked_into)]

    def begin(self, now_ms: int, steady: float) -> int | None:
        """Begin to look into the one that is due, if one is and nothing stands in its way; return the look's number."""
        if self.wait_s(steady) > 0:
            return None
        self._now_ms = now_ms
        kept = min(
            (kept for kept in self._idle() if self._due(kept) <= steady), key=lambda each: each.looked_at
        )
        kept.looked_at, kept.rung_at = steady, float("inf")
        self._last += 1
        self._looks[self._last] = _Look(kept, self._look(kept), steady, steady)
        self._go_on(self._last, None, None)
        return self._last

    def looking(self, look: int) -> str | None:
        """Return the name of the one that is being looked into."""
        return self._looks[look].kept.about.name if look in self._looks else None

    def step(self, look: int) -> Transport | Breath | None:
        """Return what a look wants done next; None once it is over."""
        return self._looks[look].step if look in self._looks else None

    def step_told(self, look: int) -> str:
        """Return what a look wants done next, as JSON; null when it is over."""
        match self.step(look):
            case None:
                return "null"
            case Breath():
                return '{"kind": "breath"}'
            case HttpCall(method, url, headers, _, bytes_max):
                told = {"method": method, "url": url, "headers": dict(headers), "bytes_max": bytes_max}
                return json.dumps({"kind": "http", **told})
            case Ask(subject, _):
                return json.dumps({"kind": "ask", "subject": subject})
            case Tell(subject):
                return json.dumps({"kind": "tell", "subject": subject})

    def step_body(self, look: int) -> bytes:
        """Return the bytes that go with it."""
        match self.step(look):
            case HttpCall(body=body):
                return body
            case Ask(payload=payload):
                return payload
        return b""

    def heard(self, look: int, said: Mapping[str, Any], body: bytes, now_ms: int, steady: float) -> None:
        """Hear what came of the step, as the page's worker tells it."""
        answer: HttpAnswer | bytes | MailRequestFailed | None = None
        step = self.step(look)
        if "failed" in said:
            answer = MailRequestFailed(str(said["failed"]))
        elif isinstance(step, HttpCall):
            answer = HttpAnswer(int(said["status"]), body, str(said["retry_after"]))
        elif isinstance(step, Ask):
            answer = body
        self.answered(look, answer, now_ms, steady)

    def answered(
        self, look: int, answer: HttpAnswer | bytes | MailRequestFailed | None, now_ms: int, steady: float
    ) -> None:
        """Hear what came of the step that was asked for."""
        self._now_ms, self._steady = now_ms, steady
        if isinstance(answer, MailRequestFailed):
            self._go_on(look, None, self._meant(answer))
        else:
            self._go_on(look, answer, None)

    def drop(self, look: int) -> None:
        """Give up a look that is under way."""
        if (dropped := self._looks.pop(look, None)) is not None:
            dropped.steps.close()

    def _go_on(self, number: int, answer: Any, failure: SyncError | None) -> None:
        look = self._looks.get(number)
        if look is None:
            return
        try:
            look.step = look.steps.send(answer) if failure is None else look.steps.throw(failure)
            look.asked_at = self._steady
        except StopIteration:
            self.drop(number)
        except BaseException:
            self.drop(number)
            raise

    def _look(self, kept: _Kept) -> Generator[Transport | Breath, Any, None]:
        core, pace = self._phone.core, kept.pace
        visitor = Visitor(
            kept.shelf, self._phone.identity, now_ms=lambda: self._now_ms, bytes_max=kept.about.bytes_max
        )
        kept.write_at = float("inf")
        before = core.news
        try:
            if isinstance(kept.files, StreamFiles):
                yield from kept.files.open()
            looked = yield from self._visited(
                kept, visitor.look(may_write=lambda plan: pace.may_write(plan, self._steady))
            )
        except MailboxError as error:
            kept.state.trouble = str(error)
            kept.state.trouble_kind = _kind(error)
            kept.paused_until = self._steady + pace.pause_after(error)
            return
        finally:
            self._phone.clean(self._now_ms)
        pace.looked(looked)
        self._note(kept, looked, before)

    def _note(self, kept: _Kept, looked: Looked, before: int) -> None:
        core, state = self._phone.core, kept.state
        state.looked_ms, state.trouble, state.trouble_kind = self._now_ms, None, None
        state.refused = tuple(dict.fromkeys(looked.refused))[:1]
        if looked.wrote:
            state.wrote_ms = self._now_ms
        if looked.wrote_again:
            kept.pace.wrote_again(self._steady)
        kept.plan, kept.planned_at = looked.plan, core.news
        if core.news != before:  # by what was taken, or by what was told meanwhile
            kept.plan = kept.shelf.plan(core, self._now_ms, bytes_max=kept.about.bytes_max)
        if kept.plan is not None:
            kept.pace.planned(kept.plan, self._steady)
        state.putting_off = kept.plan is not None and kept.plan.writes
        wait_s = LOOK_SECONDS_MAX if isinstance(kept.files, StreamFiles) else kept.clock.wait_s
        kept.look_at = self._steady + wait_s

    def _visited(
        self, kept: _Kept, visit: Generator[Step, Any, Looked]
    ) -> Generator[Transport | Breath, Any, Looked]:
        """Do what a visit wants done until it is over."""
        under_way = VisitUnderWay(visit)
        while (step := under_way.proceed()) is not None:
            with under_way.trying():
                under_way.result = yield from self._done(kept, step)
        return under_way.looked

    def _done(self, kept: _Kept, step: Step) -> Generator[Transport | Breath, Any, Any]:
        files = kept.files
        match step:
            case Names():
                names = yield from files.names()
                kept.clock.listed(names)
                return {name: size for name, size in names.items() if size <= FILE_BYTES_MAX}
            case GetFile(name, size):
                file = io.BytesIO()
                yield from files.get(name, size, file)
                return file
            case Put(name, data):
                return (yield from files.put(name, data))
            case Remove(name):
                return (yield from files.remove(name))
            case Run(fn):
                done = fn(self._phone.core)
                yield Breath()
                return done
            case Save(new, gone):
                return note_files(self._phone.connection, kept.about.key, new, gone)

    def _files(self, about: PhoneMailbox) -> Files:
        if about.group is None:
            return WebdavFiles(about.url, about.user, about.secret)
        return StreamFiles(
            about.group,
            now=lambda: self._steady,
            replicas=about.replicas,
            bytes_max=about.stream_bytes,
        )

    def _meant(self, failed: MailRequestFailed) -> MailboxError:
        if failed.kind == "denied":
            return Denied(_FAILURES["denied"])
        return RequestLost(failed.kind)


class RequestLost(Unreached):
    """A mailbox was not reached; `kind`: why not, as the page's worker tells it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind if kind in _FAILURES else "network"
        super().__init__(_FAILURES[self.kind])


def _kind(error: MailboxError) -> str | None:
    match error:
        case RequestLost(kind=kind):
            return kind
        case Denied():
            return "denied"
        case Full():
            return "full"
    return None


_FAILURES: Final = {
    "network": "it did not answer",
    "timeout": "it took too long to answer",
    "closed": "it ended the connection",
    "denied": "it does not take the key or password",
    "cors": "it answers, but does not let this page read it",
    "policy": "this page was loaded before the mailbox was there",
}


def read_told(text: str) -> tuple[PhoneMailbox, ...]:
    """Return the mailboxes that a paired device tells of; `ValueError` for what is not as it should be."""
    if len(text.encode()) > TOLD_BYTES_MAX:
        raise ValueError(f"expected at most {TOLD_BYTES_MAX} bytes about mailboxes")
    try:
        told = parse_json(text)
    except ValueError:
        raise ValueError("expected mailboxes, got something else") from None
    if not isinstance(told, list) or len(told) > MAILBOXES_MAX:
        raise ValueError(f"expected a list of at most {MAILBOXES_MAX} mailboxes")
    mailboxes = tuple(map(_read_one, told))
    if len({each.name for each in mailboxes}) < len(mailboxes):
        raise ValueError("expected each mailbox under a name of its own")
    return mailboxes


def _read_one(told: Any) -> PhoneMailbox:
    match told:
        case {
            "name": str(name),
            "url": str(url),
            "user": None | str() as user,
            "secret": None | str() as secret,
            "group": None | str() as group,
            "replicas": int(replicas),
            "stream_bytes": int(stream_bytes),
            "bytes_max": None | int() as bytes_max,
        } if (
            all(len(each or "") <= _TEXT_CHARACTERS_MAX for each in (name, url, user, secret, group))
            and name.isprintable()
            and bool(name)
            and 1 <= replicas <= 5
            and 1 <= stream_bytes <= 1 << 50
            and (bytes_max is None or bytes_max >= 1)
        ):
            _check_address(url, group)
            if group is not None and secret is not None:
                read_seed(secret)
            return PhoneMailbox(name, url, user, secret, group, replicas, stream_bytes, bytes_max)
    raise ValueError("expected a mailbox with its name, address and key, got something else")


def _check_address(url: str, group: str | None) -> None:
    parts = urlsplit(url)
    wanted = 0 if group is None else 1
    allowed = [_SCHEMES[wanted]] + ([_SCHEMES_HERE[wanted]] if is_this_machine(parts.hostname) else [])
    if (
        parts.scheme not in allowed
        or not parts.hostname
        or "@" in parts.netloc
        or parts.query
        or parts.fragment
    ):
        raise ValueError(f"expected an address that begins with {_SCHEMES[wanted]}://, got {url!r:.80}")
    if group is not None and not (
        0 < len(group) <= 40 and group.isascii() and group.replace("_", "").isalnum()
    ):
        raise ValueError("expected the name of a group of letters and digits")
