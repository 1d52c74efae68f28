"""What goes over the control socket: JSON, a document a line.

A request is `{"verb": …, "options": {…}}`. The answer is any number of `{"say": {…}}` lines from verbs that
go on, or that wait for the store to take in a snapshot, and then one `{"result": {…}}` or
`{"error": {code, message, hint}, "exit": N}`. One connection carries one request after the other; requests that run
side by side use a connection each. Closing it gives up what was asked.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from replica.json_text import parse_json
from samemind.errors import Failed, SamemindError, Usage, from_document

# A request carries at most what somebody piped into `remember --batch -`; larger things are read from a file.
LINE_BYTES_MAX: Final = 64 << 20
CHUNK_BYTES: Final = 64 << 10
# Some 0.2 ms of work. A page of memories has a hundred; nearly all answers have fewer.
RECORDS_AT_ONCE: Final = 200
# What marks progress as that of the snapshot which the store takes in, and the verb waits for.
TAKING_IN: Final = "taking_in"
# Who is alive answers this at once, whatever else it does; the answer is an error.
NOTHING_ASKED: Final = b"{}\n"


def encode(document: Mapping[str, Any]) -> bytes:
    """Return a document as one line."""
    return _json(document) + b"\n"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")


def is_large(result: object) -> bool:
    """Say whether a result, an object or its document, holds so many records that it is told apart from the loop."""
    names = getattr(type(result), "__dataclass_fields__", ())
    values = result.values() if isinstance(result, Mapping) else (getattr(result, name) for name in names)
    return any(isinstance(value, list) and len(value) > RECORDS_AT_ONCE for value in values)


def encode_large(result: Mapping[str, Any]) -> bytes:
    """Return the line that tells of a large result, for a thread of its own.

    One call of the encoder lets no other thread have its turn, so its lists are encoded a few records at a time.
    """
    fields = [_json(name) + b": " + b"".join(_pieces(value)) for name, value in result.items()]
    return b'{"result": {' + b", ".join(fields) + b"}}\n"


def _pieces(value: Any) -> Iterator[bytes]:
    if not isinstance(value, list) or len(value) <= RECORDS_AT_ONCE:
        yield _json(value)
        return
    yield b"["
    for start in range(0, len(value), RECORDS_AT_ONCE):
        yield (b", " if start else b"") + _json(value[start : start + RECORDS_AT_ONCE])[1:-1]
    yield b"]"


def decode(line: bytes) -> dict[str, Any]:
    """Return the document that a line holds."""
    try:
        document = parse_json(line.decode("utf-8", "surrogatepass"))
    except ValueError as error:
        raise Usage(f"expected a line of JSON, got something else: {error}") from None
    if not isinstance(document, dict):
        raise Usage(f"expected a JSON object, got {type(document).__name__}")
    return document


def request(verb: str, options: Mapping[str, Any]) -> bytes:
    """Return the line that asks for a verb."""
    line = encode({"verb": verb, "options": options})
    if len(line) > LINE_BYTES_MAX:
        raise Usage(
            f"expected at most {LINE_BYTES_MAX} bytes in one request, got {len(line)}",
            code="too_large",
            hint="put it into a file and pass the file's name",
        )
    return line


def failure(error: SamemindError) -> dict[str, Any]:
    """Return the document that tells of an error."""
    return {"error": error.document(), "exit": error.exit_code}


def answer(document: Mapping[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return (what is said, None) or (None, the result); raises the error that the other side met."""
    if "error" in document:
        raise from_document(document["error"], int(document.get("exit", 1)))
    said, result = document.get("say"), document.get("result")
    if isinstance(said, dict) or isinstance(result, dict):
        return said, result
    raise Failed(f"expected an answer, got {sorted(document)}", code="internal")
