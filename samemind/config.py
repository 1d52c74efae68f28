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
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Self

from replica.values import dataclass
from samemind.arguments import full_path
from samemind.durable import whole_file
from samemind.errors import Failed, Locked, SamemindError, Usage
from samemind.platform import system

HOME_VARIABLE: Final = "SAMEMIND_HOME"
STATE_VARIABLE: Final = "SAMEMIND_STATE"
STORE_FILE: Final = "memory.db"
# How the name of a graph of near vectors ends, beside the store that it is of.
GRAPH: Final = ".graph"
# A path that ends so is a store file, also before it exists; any other path is a folder.
STORE_SUFFIXES: Final = (".db", ".sqlite", ".sqlite3")
# What the numbers among the settings may be. Beyond a year a trigger is no reminder of anything.
_RANGES: Final[dict[str, tuple[float, float]]] = {
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

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Self:
        """Return the home at a path: a folder, or a store file."""
        untyped: Any = path
        text = os.fspath(untyped) if isinstance(untyped, os.PathLike) else untyped
        if not isinstance(text, str) or not text or "\0" in text:
            raise Usage(f"expected the path of a data directory, got {text!r}")
        place = Path(full_path(os.path.expanduser(text)))
        if place.is_file() or (place.suffix in STORE_SUFFIXES and not place.is_dir()):
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
    def identity(self) -> Path:
        """The device's key."""
        return self._beside("identity.pem")

    @property
    def settings(self) -> Path:
        """What the owner chose."""
        return self._beside("config.toml")

    @property
    def certificate(self) -> Path:
        """Key and certificate with which the panel is served to other machines; the owner's own, if put there."""
        return self._beside("panel.pem")

    @property
    def authority(self) -> Path:
        """Key and certificate of the authority that phones trust; it signs the panel's certificate."""
        return self._beside("authority.pem")

    @property
    def phones(self) -> Path:
        """Where phones find this device."""
        return self._beside("phone.json")

    @property
    def lock(self) -> Path:
        """Locked by whoever has the store open."""
        return self._beside("lock")

    @property
    def log(self) -> Path:
        """What the daemon did."""
        return self._beside("daemon.log")

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
        own = (
            self.identity,
            self.settings,
            self.certificate,
            self.authority,
            self.phones,
            self.lock,
            self.log,
            self.control,
            self.agents,
            self.agents_log,
            self.mailboxes,
            self.mailbox_key,
            self.pairings,
        )
        if place.parent == Path(os.path.realpath(self.folder)) and (
            # With what SQLite keeps beside it; "notes.db.jsonl" beside "notes.db" is the owner's.
            place.name in [self.store.name + end for end in ("", "-wal", "-shm", "-journal")]
            or place.name in [each.name for each in own]
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
    def agents(self) -> Path:
        """Which remote agents were let in, and by which secrets, as hashes."""
        return self._beside("agents.json")

    @property
    def uploads(self) -> Path:
        """The folder of files that pages are sending, and nothing else: it may be removed at any time."""
        return self._beside("uploads")

    @property
    def backups(self) -> Path:
        """The folder of backups that were asked for in the panel."""
        return self._beside("backups")

    @property
    def models(self) -> Path:
        """The folder of models that were added, one folder each (`samemind.added_models`)."""
        return self._beside("models")

    @property
    def agents_log(self) -> Path:
        """What remote agents read and wrote."""
        return self._beside("agents.log")

    @property
    def mailboxes(self) -> Path:
        """Which mailboxes it uses, with their passwords."""
        return self._beside("mailboxes.json")

    @property
    def pairings(self) -> Path:
        """Which codes are shown at mailboxes, and how many guesses each has had."""
        return self._beside("pairings.json")

    @property
    def graph(self) -> Path:
        """The graph of near vectors, where there is one; a second file, `.about`, says what the first should hold."""
        return self.store.with_name(f"{self.store.name}{GRAPH}")

    @property
    def mailbox_key(self) -> Path:
        """With which the group signs in at a server of its own."""
        return self._beside("mailbox.key")

    def _beside(self, name: str) -> Path:
        return self.folder / f"{self.prefix}{name}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner chose for this device. `listen` is HOST:PORT; `on_demand` has whoever needs the store start the
    daemon where none runs (`samemind.starting`).

    `model_url` and `model` name a language model that reads talk; without both, patterns alone find facts. Its key, if
    it wants one, is in the environment variable that `model_key_variable` names: settings are copied and shown.

    `notify` says of what the daemon tells on the desktop (`samemind.notifying`), and `quiet_hours` when it does not.

    `embedder` and `reranker` name the models that find memories (`cognition.choosing`); `hub_url` is where `models add`
    fetches some: a hub of Hugging Face's kind, or a mirror. `index` is what finds near vectors among very many
    (`cognition.near_graph`).

    The five after those say when memory brings something up by itself (`cognition.triggers`), and how fast feedback
    teaches. With `contradictions` "newer", what is told here later takes the place of what it contradicts; else its
    owner is asked. `decay` is the curve by which memories fade in a recall, and `flat_characters` how long the block
    for a prompt may be where the question is a simple one. `history_days`: for how long the log tells what happened,
    where every device has it already (`samemind.housekeeping`). `quota_ops`, `quota_mb` and `quota_packed_mb` are
    what one other device may write here in an hour (`replica.quotas`). `words`: what else stands for a word
    (`cognition.ranking.vocabulary`).
    """

    name: str | None = None
    listen: str | None = None
    mdns: bool = True
    on_demand: bool = False
    model_url: str | None = None
    model: str | None = None
    model_key_variable: str | None = None
    embedder: str = "multilingual"
    index: str = "auto"
    reranker: str = "off"
    hub_url: str = "https://huggingface.co"
    learning_rate: float = 0.01
    review_strength: float = 0.1
    consolidation_count: int = 20
    escalation_severity: str = "high"
    trigger_hours: float = 48.0
    notify: str = "reminders"
    quiet_hours: str = ""
    contradictions: str = "ask"
    decay: str = "yantrik"
    flat_characters: int = 1_500
    history_days: int = 90
    quota_ops: int = 500_000
    quota_mb: int = 1_024
    quota_packed_mb: int = 256
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

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
            wrong = f"expected only {', '.join(known)}, got {key}" if key not in known else slip(key, value)
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
        return f"a {'whole ' if isinstance(default, int) else ''}number from {low:g} to {high:g}"
    return "true or false" if isinstance(default, bool) else "text"


def check_name(name: str) -> str:
    """Return a device's name as it is kept; `Usage` when nobody could read or store it."""
    untyped: Any = name
    kept = " ".join(untyped.split()) if isinstance(untyped, str) else ""
    if not kept or not kept.isprintable() or len(kept.encode(errors="replace")) > NAME_BYTES_MAX:
        raise Usage(
            f"expected a printable name of 1 to {NAME_BYTES_MAX} bytes, got {name!r:.60}", code="invalid"
        )
    return kept
