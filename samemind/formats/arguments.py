"""What callers of the library may pass where the command line has words, and how it becomes those words.

Where a memory's id is expected, a UUID or anything that has a `rid` will do; where a time is, a datetime, a date or ISO
text; in JSON, these, UUIDs and the numbers of numpy. Callers need not be typed: what has
another type is passed on as it is where `read_options` refuses it by the name of its option, and is refused here where
nothing could be made of it.
"""

import json
import os
from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Protocol, Union

from samemind.errors import Usage

if TYPE_CHECKING:
    from uuid import UUID

PORT_MAX: Final = 65535


class HasRid(Protocol):
    """A result that names a memory."""

    @property
    def rid(self) -> str:
        """The memory's id."""
        ...


class HasId(Protocol):
    """A result that names something other than a memory."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


Rid = Union[str, "UUID", HasRid]  # `|` takes no name that is loaded late
Id = Union[str, "UUID", HasId, HasRid]
When = str | date
Meta = Mapping[str, Any]
Spaces = str | Iterable[str] | None


def rid_of(named: Rid) -> str:
    """Return the id of a memory, or of a result that names one."""
    untyped: Any = getattr(named, "rid", named)
    rid: str = untyped if isinstance(untyped, str) else _json_of(untyped)
    return rid


def id_of(named: Id) -> str:
    """Return the id of a trigger, or of a result that names one; of a text that is held, that of its memory."""
    untyped: Any = getattr(named, "id", named)
    return rid_of(untyped)


def when_of(moment: Any) -> str | None:
    """Return a time as text."""
    return moment.isoformat() if isinstance(moment, date) else moment


def text_of(name: str, text: str) -> str:
    """Return a text as it is; `Usage` names the argument that is none."""
    if not isinstance(text, str):
        raise Usage(f"expected text for {name}, got {text!r:.60}", code="invalid")
    return text


def texts_of(texts: str | Iterable[str] | None) -> list[str]:
    """Return texts as a list. One alone is one of them: a type checker lets it pass, and it is no list of letters."""
    if texts is None:
        return []
    untyped: Any = texts
    if isinstance(untyped, str | bytes):
        return [untyped]  # type: ignore[list-item]  # bytes are refused, and not as numbers
    return list(untyped) if isinstance(untyped, Iterable) else untyped


def lines_of(items: Iterable[str | Mapping[str, Any]]) -> list[str]:
    """Return what is to be remembered as JSON lines. One text or object alone is one item: its text is not lost."""
    several: Any = [items] if isinstance(items, str | Mapping) else items
    if not isinstance(several, Iterable) or isinstance(several, bytes):
        raise Usage(
            f"expected items to be texts, or mappings with a text, got {items!r:.60}", code="bad_line"
        )
    return [_as_json(item, f"item {number}") for number, item in enumerate(several, start=1)]


def _as_json(value: Any, what: str) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=_json_of)
        text.encode()
    except UnicodeEncodeError:
        raise Usage(
            f"expected {what} to be text, got half of a letter in {value!r:.60}", code="invalid"
        ) from None
    except (TypeError, ValueError, RecursionError):
        raise Usage(f"expected {what} to be JSON, got {value!r:.60}", code="invalid") from None
    return text


def _json_of(value: Any) -> Any:
    """Return what stands in JSON for a value that JSON does not have; for a number of numpy, that number."""
    if isinstance(value, date):
        return value.isoformat()
    from uuid import UUID  # here: hardly ever wanted, and help loads this module

    if isinstance(value, UUID):
        return str(value)
    return value.item() if hasattr(value, "item") else value


def check_share(workspace: str | None, share: Iterable[str]) -> None:
    """Refuse an agent that is given more to read and nothing to be held to."""
    if workspace is None and any(True for _ in share):
        raise Usage(
            "expected --workspace beside --share: an agent without one reads everything", code="invalid"
        )


def read_place(text: str, option: str) -> tuple[str, int]:
    """Return where to listen: an empty host is everywhere, port 0 any that is free. `option` asked for it."""
    host, separator, port = text.rpartition(":")
    if not separator or not (port.isascii() and port.isdigit()) or int(port) > PORT_MAX:
        raise Usage(f"expected HOST:PORT for {option}, got {text!r:.60}", code="invalid")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    return host, int(port)


def full_path(path: str | os.PathLike[str]) -> str:
    """Return a path from the root: the program that reads or writes it may stand in another folder."""
    if not isinstance(path, str | os.PathLike):
        raise Usage(f"expected the path of a file, got {path!r:.60}", code="invalid")
    if not os.fspath(path):  # what an unset variable leaves; it would stand for the working directory
        raise Usage("expected the path of a file, got nothing", code="invalid")
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise Usage(
            f"expected an absolute path, since the current folder is gone: {path!s}",
            code="invalid",
        ) from None


def new_path(path: str | os.PathLike[str]) -> str:
    """Return the full path of what is to be written, which is not the folder that the caller stands in.

    A folder is written beside its place and moved there: whoever stood in the old one would stand in none.
    """
    full = full_path(path)
    try:
        stands_there = os.path.samefile(full, os.curdir)
    except (OSError, ValueError):  # it is new, no path at all, or the folder that the caller stood in is gone
        stands_there = False
    if stands_there:
        raise Usage(
            f"expected the name of a new file or folder, got the current folder: {full}",
            code="invalid",
            hint=f"name something in it, such as {os.path.join(full, 'memories')}",
        )
    return full


def messages_of(conversation: Iterable[object]) -> list[str]:
    """Return messages as JSON lines; `Usage` names the one that is none."""
    lines = []
    if not isinstance(conversation, Iterable):
        raise Usage(f"expected conversation to be messages, got {conversation!r:.60}", code="bad_line")
    for number, message in enumerate(conversation, start=1):
        # Callers need not be typed: a list of texts is what one passes by mistake.
        told = _dumped(message)
        if not isinstance(told, Mapping) or not told.keys() & {"role", "type"}:
            raise Usage(
                f"message {number}: expected a mapping with role and content, got {message!r:.60}",
                code="bad_line",
            )
        try:
            lines.append(json.dumps(told, ensure_ascii=False, default=_dumped))
        except (TypeError, ValueError, RecursionError):
            raise Usage(f"message {number}: expected JSON, got {message!r:.60}", code="bad_line") from None
    return lines


def _dumped(value: Any) -> Any:
    """Return what the libraries of model providers have for a message, or a part of one, as plain values."""
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value


def pairs_of(meta: Meta | None) -> list[str]:
    """Return metadata as `K=V` words for text, and `K:=JSON` words for anything else."""
    if meta is None:
        return []
    if not isinstance(meta, Mapping):
        raise Usage(f"expected meta to be a mapping, got {meta!r:.60}", code="invalid")
    return [
        f"{key}={value}"
        if isinstance(value, str) and not str(key).endswith(":")
        else f"{key}:={_as_json(value, f'meta[{key!r:.60}]')}"
        for key, value in meta.items()
    ]


def assignments_of(values: Mapping[str, Any]) -> list[str]:
    """Return fields and their values as `FIELD=VALUE` words; `None` clears one."""
    return [f"{name}={_assigned(name, value)}" for name, value in values.items()]


def _assigned(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, date | str):
        return when_of(value) or ""
    return _as_json(value, name)
