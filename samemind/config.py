"""Decide where a device keeps its things, and what its settings are.

A *home* is usually a folder: `memory.db` (the store), `identity.pem` (the device's key), `config.toml`
(settings), `lock` (who holds the store) and `control.sock` (the way in while someone does). A single store
file can be a device too: then the same things lie beside it under its name, `notes.db.identity.pem` and so
on.

Nothing here opens anything but the settings; a verb that talks to a daemon imports no more than this.
"""

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Self

from replica.values import dataclass
from samemind.durable import whole_file
from samemind.errors import Failed, Locked, SamemindError, Usage
from samemind.formats.arguments import full_path
from samemind.platform import system

HOME_VARIABLE: Final = "SAMEMIND_HOME"
STATE_VARIABLE: Final = "SAMEMIND_STATE"
STORE_FILE: Final = "memory.db"
# How the names end of what lies beside a store: its log, the log's index, what a transaction that is under way will
# restore if it fails, a graph of near vectors, and a backup that is on its way into the store's place.
LOG: Final = "-wal"
LOG_INDEX: Final = "-shm"
JOURNAL: Final = "-journal"
GRAPH: Final = ".graph"
RESTORED: Final = ".restored"
# A path that ends so is a store file, also before it exists; any other path is a folder.
STORE_SUFFIXES: Final = (".db", ".sqlite", ".sqlite3")
# Before this program was written: a clock that says so was never set. 2025-01-01.
CLOCK_MS_MIN: Final = 1_735_689_600_000
# What the numbers among the settings may be. Beyond a year a trigger is no reminder of anything.
_RANGES: Final[dict[str, tuple[float, float]]] = {
    "model_comparisons": (0, 100_000),
    "flat_characters": (100, 100_000),
    "learning_rate": (1e-6, 1.0),
    "review_strength": (0.0, 1.0),
    "consolidation_count": (3, 10_000),
    "trigger_hours": (0.01, 8_784.0),
    "history_days": (0, 36_525),
    "quota_ops": (1_000, 100_000_000),
    "quota_mb": (1, 1_000_000),
    "quota_packed_mb": (1, 1_000_000),
}
# A word as memories are cut into words: letters and digits; three of them at least where any ending may follow, since
# with fewer nearly everything begins.
_WORD: Final = re.compile(r"[^\W_]{1,64}|[^\W_]{3,64}\*")
# From a time of the day to another, past midnight too; empty where there are none.
QUIET_HOURS: Final = re.compile(r"(?:(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d)?")
# A question asks for all words of a group at once, and looks each of its own up in all groups.
WORD_GROUPS_MAX: Final = 200
WORDS_MAX: Final = 40
# As many bytes as a member's name may have (replica.membership), so that any name that is saved can be
# introduced.
NAME_BYTES_MAX: Final = 256


def beside(store: Path, suffix: str) -> Path:
    """Return the file beside a store that has the store's name with this at its end."""
    return store.with_name(store.name + suffix)


class _Beside:
    """A file or a folder of a home's own: in its folder, or beside its store under the store's name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, home: "Home", owner: type["Home"]) -> Path:
        return home.folder / f"{home.prefix}{self.name}"


@dataclass(frozen=True, slots=True)
class Home:
    """The places that belong to one device.

    `folder` holds them all; `prefix` is empty for a home of its own.
    """

    folder: Path
    store: Path
    prefix: str
    copied_from: "Home | None" = None
    """The home that this is a copy of in memory, where that takes no writes."""
    refused: SamemindError | None = None
    """Why the home that this is a copy of is not used itself."""

    identity = _Beside("identity.pem")
    """The device's key."""
    next_identity = _Beside("identity.next.pem")
    """The key that a copy is to have, while it becomes a device of its own."""
    settings = _Beside("config.toml")
    """What the owner chose."""
    certificate = _Beside("panel.pem")
    """Key and certificate with which the panel is served to other machines; the owner's own, if put there."""
    authority = _Beside("authority.pem")
    """Key and certificate of the authority that phones trust; it signs the panel's certificate."""
    authority_ran_out = _Beside("authority.ran-out.pem")
    """The one before it, which had run out by this device's clock."""
    phones = _Beside("phone.json")
    """Where phones find this device."""
    calendar = _Beside("calendar.json")
    """Where programs find the calendar that they subscribe to, with the secret in its address."""
    lock = _Beside("lock")
    """Locked by whoever has the store open."""
    log = _Beside("daemon.log")
    """What the daemon did."""
    agents = _Beside("agents.json")
    """Which remote agents were let in, and by which secrets, as hashes."""
    agents_log = _Beside("agents.log")
    """What remote agents read and wrote."""
    local_agents_log = _Beside("agents.local.log")
    """What agents on this device read and wrote."""
    mailboxes = _Beside("mailboxes.json")
    """Which mailboxes it uses, with their passwords."""
    pairings = _Beside("pairings.json")
    """Which codes are shown at mailboxes, and how many guesses each has had."""
    mailbox_key = _Beside("mailbox.key")
    """With which the group signs in at a server of its own."""
    uploads = _Beside("uploads")
    """The folder of files that pages are sending, and nothing else: it may be removed at any time."""
    backups = _Beside("backups")
    """The folder of backups that were asked for in the panel."""
    models = _Beside("models")
    """The folder of models that were added, one folder each (`samemind.home.added_models`)."""

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Self:
        """Return the home at a path: a folder, or a store file."""
        untyped: Any = path
        text = os.fspath(untyped) if isinstance(untyped, os.PathLike) else untyped
        if not isinstance(text, str) or not text or "\0" in text:
            raise Usage(f"expected the path of a data directory, got {text!r}")
        place = Path(full_path(os.path.expanduser(text)))
        if os.path.isfile(place) or (place.suffix in STORE_SUFFIXES and not os.path.isdir(place)):
            return cls(place.parent, place, f"{place.name}.")
        return cls(place, place / STORE_FILE, "")

    @classmethod
    def choose(cls, given: str | None) -> Self:
        """Return the home that was asked for.

        By argument, else by environment, else the platform's data folder.
        """
        chosen = given or os.environ.get(HOME_VARIABLE)
        if chosen:
            return cls.at(chosen)
        from platformdirs import user_data_path  # 20 ms that most calls need not spend

        return cls.at(user_data_path("samemind", appauthor=False))

    @property
    def control(self) -> Path:
        """The socket of whoever has the store open and answers for it, or the file that says where that is."""
        return system.control_place(self.folder, self.prefix)

    @property
    def original(self) -> "Home":
        """The home that its owner knows: this one, unless it is a copy."""
        return self.copied_from or self

    @property
    def outside(self) -> Path:
        """The folder, in no home, for what a copied or restored home has to be told."""
        if self.copied_from is not None:  # a copy in memory is no device of its own
            return self.folder / "outside"
        if chosen := os.environ.get(STATE_VARIABLE):
            return Path(chosen)
        from platformdirs import user_state_path  # 20 ms that most calls need not spend

        # Not "samemind": on some systems that is the very folder of the default home.
        return Path(user_state_path("samemind-outside", appauthor=False))

    def shown(self) -> str:
        """Return what the owner would call it: the folder, or the store file."""
        return str(self.store if self.prefix else self.folder)

    def check_foreign(self, path: Path) -> None:
        """Refuse to write what is taken out over one of this device's own files, by whatever name it is called."""
        place = Path(os.path.realpath(path))
        if place.parent == Path(os.path.realpath(self.folder)) and (
            # "notes.db.jsonl" beside "notes.db" is the owner's.
            place.name in [self.store.name + end for end in ("", LOG, LOG_INDEX, JOURNAL)]
            or place.name
            in [f"{self.prefix}{own.name}" for own in vars(Home).values() if isinstance(own, _Beside)]
            or place.name == self.control.name
        ):
            raise Usage(f"expected another path, got a file that this device needs: {path}", code="invalid")

    def create(self) -> None:
        """Make the folder, for its owner only; one that exists is left as it is."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise Usage(
                f"expected a folder as data directory, found a file: {self.folder}", code="invalid"
            ) from None
        except FileNotFoundError:  # as in /proc, where nothing can be made
            raise Usage(
                f"expected a path where a folder can be created, got {self.folder}",
                code="invalid",
                hint=f"choose another one with --home DIR or {HOME_VARIABLE}",
            ) from None
        owner = system.owner_of(self.folder.stat())
        if owner is not None:  # who owns a folder may put other files in the place of ours
            raise Locked(
                f"expected a data directory of your own, but {self.folder} belongs to user {owner}",
                code="foreign_home",
                hint=f"choose another one with --home DIR or {HOME_VARIABLE}, or chown it",
            )

    @property
    def graph(self) -> Path:
        """The graph of near vectors, where there is one; a second file, `.about`, says what the first should hold."""
        return beside(self.store, GRAPH)


@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner chose for this device. What each may be: `_RANGES` and `_choices`."""

    name: str | None = None
    """What a new device goes by in its group; None: the name of the machine."""
    listen: str | None = None
    """HOST:PORT, where the daemon listens for peers."""
    mdns: bool = True
    """Whether it announces itself on the network, and looks for peers there."""
    on_demand: bool = False
    """Whether whoever needs the store starts the daemon where none runs (`samemind.starting`)."""
    model_url: str | None = None
    """Where a language model reads talk; without this and `model`, patterns alone find facts."""
    model: str | None = None
    """What it is called there."""
    model_key_variable: str | None = None
    """The environment variable that holds its key, if it wants one: settings are copied and shown."""
    model_comparisons: int = 0
    """Of how many memories a day it says whether older ones contradict or repeat them."""
    embedder: str = "multilingual"
    """The model that finds memories by meaning (`cognition.choosing`)."""
    index: str = "auto"
    """What finds near vectors among very many (`cognition.near_graph`)."""
    reranker: str = "off"
    """The model that reads the best of what was found once more (`cognition.choosing`)."""
    hub_url: str = "https://huggingface.co"
    """Where `models add` fetches models: a hub of Hugging Face's kind, or a mirror."""
    learning_rate: float = 0.01
    """How fast feedback teaches."""
    review_strength: float = 0.1
    """Below which strength a memory that matters comes up for review (`cognition.triggers`)."""
    consolidation_count: int = 20
    """How many loose memories of one topic make it ready to be consolidated."""
    escalation_severity: str = "high"
    """The lowest severity at which a contradiction comes up by itself."""
    trigger_hours: float = 48.0
    """How long a trigger lives."""
    notify: str = "reminders"
    """Of what the daemon tells on the desktop (`samemind.daemon.notifying`)."""
    quiet_hours: str = ""
    """When it does not, as 22:00-07:00."""
    contradictions: str = "ask"
    """With "newer", what is told here later takes the place of what it contradicts; else the owner is asked."""
    decay: str = "yantrik"
    """The curve by which memories fade in a recall (`cognition.decay`)."""
    flat_characters: int = 1_500
    """How long the block for a prompt may be where the question is a simple one."""
    history_days: int = 90
    """For how long the log tells what happened, where every device has it already (`samemind.housekeeping`)."""
    quota_ops: int = 500_000
    """How many ops one other device may write here in an hour (`replica.quotas`)."""
    quota_mb: int = 1_024
    """Likewise, how many MB."""
    quota_packed_mb: int = 256
    """Likewise, how many MB over the link, compressed."""
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What else stands for a word (`cognition.ranking.vocabulary`)."""

    @classmethod
    def load(cls, home: Home) -> Self:
        """Read the settings of a home; none is the same as an empty file."""
        try:
            told = home.settings.read_bytes()
        except FileNotFoundError:
            return cls()
        return cls.parse(told, where=str(home.settings))

    @classmethod
    def parse(cls, told: bytes, *, where: str) -> Self:
        """Read settings; `where` names them in what is said of a slip."""
        import tomllib  # who has no settings need not load what reads them

        try:
            found = tomllib.loads(told.decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise Failed(
                f"expected settings in TOML, but {where} cannot be read: {error}",
                code="bad_settings",
                hint="fix the file, or move it away to use the defaults",
            ) from None
        known = dataclasses.asdict(cls())
        for key, value in found.items():
            wrong = slip(key, value) if key in known else _unknown(key, known)
            if wrong:
                raise Failed(
                    f"{where}: {wrong}",
                    code="bad_settings",
                    hint="fix the file, or move it away to use the defaults",
                )
        return cls(**found)

    def save(self, home: Home) -> None:
        """Write the settings, all of them or nothing."""
        settings = dataclasses.asdict(self)
        words = settings.pop("words")
        lines = [f"{key} = {_toml(value)}\n" for key, value in settings.items() if value is not None]
        if words:  # a table stands at the end
            lines += ["[words]\n", *(f"{_toml(name)} = {_toml(some)}\n" for name, some in words.items())]
        with whole_file(home.settings) as scratch:
            scratch.write_text("".join(lines), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a setting may be. `kind`: switch, choice, number (`whole`, from `least` to `most`), or text."""

    kind: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    whole: bool = False


def bound_of(key: str) -> Bound:
    """Return what a setting may be."""
    default = getattr(Settings(), key)
    if choices := _choices(key):
        return Bound("choice", choices)
    if isinstance(default, bool):
        return Bound("switch")
    if key in _RANGES:
        least, most = _RANGES[key]
        return Bound("number", (), least, most, isinstance(default, int))
    return Bound("text")


def slip(key: str, value: Any) -> str:
    """Return what is wrong with the value of a setting that there is; nothing where it may be that."""
    default = getattr(Settings(), key)
    if _fits(default, value) and _in_range(key, value):
        return ""
    if key == "words" and isinstance(value, dict):
        value = _no_groups(value) or f"{len(value)} groups"
    return f"expected {key} to be {_meant(key, default)}, got {value!r:.60}"


def with_setting(told: str, key: str, value: Any) -> str:
    """Return a settings file in which one setting is another, or gone where that is None; what else stands in it stays.

    `Usage` where that cannot be done line by line, as with a text over several lines.
    """
    import tomllib

    lines = told.split("\n")
    tables = (at for at, line in enumerate(lines) if line.lstrip().startswith("["))
    end = next(tables, len(lines))
    while end and not lines[end - 1].strip():  # blank lines stay before the table, and at the end of the file
        end -= 1
    kept = [line for line in lines[:end] if not re.match(rf"\s*{re.escape(key)}\s*=", line)]
    place = next((at for at, line in enumerate(lines[:end]) if line not in kept), len(kept))
    if value is not None:
        kept.insert(min(place, len(kept)), f"{key} = {_toml(value)}")
    made = "\n".join([*kept, *lines[end:]])
    made += "" if made.endswith("\n") or not made else "\n"
    wanted = {name: each for name, each in tomllib.loads(told).items() if name != key}
    wanted |= {} if value is None else {key: value}
    try:
        done = tomllib.loads(made) == wanted
    except tomllib.TOMLDecodeError:
        done = False
    if not done:
        raise Usage(
            f"expected {key} on a line of its own in the settings, found it written otherwise", code="invalid"
        )
    return made


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)  # JSON's strings, booleans, numbers and lists are TOML's too


def _fits(default: object, value: object) -> bool:
    """Say whether a value is of a setting's type: text where nothing is the default, and a whole number is a number."""
    if default is None:
        return isinstance(value, str)
    if isinstance(default, float) and type(value) is int:
        return True
    return type(value) is type(default)


def _in_range(key: str, value: Any) -> bool:
    from cognition.choosing import model_of_transformers

    if key == "quiet_hours":
        return QUIET_HOURS.fullmatch(value) is not None
    if key == "words":
        return len(value) <= WORD_GROUPS_MAX and not _no_groups(value)
    choices = _choices(key)
    if choices:
        return value in choices or (key == "embedder" and model_of_transformers(value) != "")
    low, high = _RANGES.get(key, (value, value))
    return bool(low <= value <= high)


def _choices(key: str) -> tuple[str, ...]:
    """Return the words that a setting may be; none where it is something else."""
    from cognition.choosing import EMBEDDERS, INDEXES, RERANKERS  # here: who asks a daemon reads no settings
    from cognition.decay import PROFILES

    match key:
        case "escalation_severity":
            return ("high", "medium", "low")
        case "notify":
            return ("reminders", "all", "off")
        case "contradictions":
            return ("ask", "newer")
        case "decay":
            return tuple(PROFILES)
        case "embedder":
            return tuple(EMBEDDERS)
        case "reranker":
            return tuple(RERANKERS)
        case "index":
            return INDEXES
        case _:
            return ()


def _no_groups(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is no group of words, so that whoever has many finds the slip."""
    return {
        name: some
        for name, some in words.items()
        if not _WORD.fullmatch(name)
        or name.endswith("*")
        or not isinstance(some, list)
        or not 0 < len(some) <= WORDS_MAX
        or not all(isinstance(word, str) and _WORD.fullmatch(word) for word in some)
    }


def _meant(key: str, default: object) -> str:
    """Return what a setting may be, in words."""
    from cognition.choosing import TRANSFORMERS

    if choices := _choices(key):
        *others, last = choices
        if key == "embedder":
            others, last = [*choices], f"{TRANSFORMERS}MODEL"
        return f"{', '.join(others)} or {last}"
    if key == "words":
        return (
            f"up to {WORD_GROUPS_MAX} groups, each a word = [up to {WORDS_MAX} words], such as "
            'finances = ["money", "finanz*"]'
        )
    if key == "quiet_hours":
        return "nothing, or two times of the day such as 22:00-07:00"
    if key in _RANGES:
        low, high = _RANGES[key]
        return f"a {'whole ' if isinstance(default, int) else ''}number from {_plain(low)} to {_plain(high)}"
    return "true or false" if isinstance(default, bool) else "text"


def _plain(number: float) -> str:
    """Return a bound as people write it, without an exponent."""
    return f"{number:f}".rstrip("0").rstrip(".")


def _unknown(key: str, known: Iterable[str]) -> str:
    """Say that there is no such setting, and which one may be meant."""
    from difflib import get_close_matches  # a slip alone needs it

    near = get_close_matches(key, known, 1)
    return f"expected only {', '.join(known)}, got {key}" + (f"; did you mean {near[0]}?" if near else "")


def check_name(name: str) -> str:
    """Return a device's name as it is kept; `Usage` when nobody could read or store it."""
    untyped: Any = name
    kept = " ".join(untyped.split()) if isinstance(untyped, str) else ""
    if not kept or not kept.isprintable() or len(kept.encode(errors="replace")) > NAME_BYTES_MAX:
        raise Usage(
            f"expected a printable name of 1 to {NAME_BYTES_MAX} bytes, got {name!r:.60}", code="invalid"
        )
    return kept
