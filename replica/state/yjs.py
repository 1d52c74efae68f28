"""Read a Yjs update before the library does, and refuse whatever it might never come to an end with.

An update of the first format is a list of structs by client, and a set of deletions. What a text of ours comes to is a
small part of what may be said so: strings and what was deleted of them, in one root, each client's from its clock 0 on
without a hole. That part is taken, with a bound for every number; the rest is refused, by its bytes alone, so every
device refuses the same. pycrdt spins for ever, with no way to stop it, on four updates of eighteen bytes each whose
clocks leave holes and overlap.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple

from replica.errors import InvalidOp
from replica.limits import TEXT_BYTES_MAX

# Client ids are 53-bit, since Yjs was born in JavaScript.
CLIENT_ID_MAX: Final = 2**53 - 1
# A clock counts UTF-16 units, of which no text has more than it has bytes; each client writes one text, or a part.
CLOCK_MAX: Final = TEXT_BYTES_MAX
# Runs of words that one edit changes. Each stands behind another word: where many stand behind one, the library
# compares each with all the others, and thirty thousand took it a minute.
EDIT_STRUCTS_MAX: Final = 2_000
# How far into texts the places of one edit lie, added up. The library counts letters up to each from the start of a
# block, and a block may be a whole text: 1.2 ns a letter were measured, so this is a tenth of a second. A text of a
# megabyte has room for some 160 places, one of a hundred kilobytes for 1,600: with more, another text is written.
EDIT_REACH_MAX: Final = 80 * TEXT_BYTES_MAX
# Runs that one edit takes out. For each, the library copies what is behind it: 0.03 ms in the longest text, so this is
# a tenth of a second too. Version 0.1.0 named in each edit what had ever been taken out; edits name what they take out.
EDIT_DELETIONS_MAX: Final = 3_000
# Everything that was ever done to one text.
DOCUMENT_STRUCTS_MAX: Final = 1_000_000
# Of how many pieces a document is put together anew whenever edits came: 7 us each, so a seventh of a second.
WHOLE_STRUCTS_MAX: Final = 20_000
_ROOT: Final = b"text"
_BYTES: Final = [bytes([number]) for number in range(128)]
_GC, _DELETED, _STRING = 0, 1, 4
_HAS_LEFT, _HAS_RIGHT, _HAS_SUB = 0x80, 0x40, 0x20


def check_edit(update: bytes) -> None:
    """Refuse what no edit of a text comes to: one new client, or none where words only go."""
    _UpdateReader(
        update, clients_max=1, structs_max=EDIT_STRUCTS_MAX, deletions_max=EDIT_DELETIONS_MAX, is_fresh=True
    ).read()


def check_document(state: bytes) -> None:
    """Refuse what no text with all its edits comes to.

    The library cuts a pair of surrogates in two where somebody deletes the half of it, and writes nothing for one half.
    """
    _document(state)


def is_part_of(update: bytes, clocks: Mapping[int, int]) -> bool:
    """Say whether a document has all that an update says; of each client `clocks` tells how many units it has.

    What stands behind words that are not there yet waits for them, and so does taking such words out.
    """
    said = _document(update)
    return all(end <= clocks.get(client, 0) for client, end in said.ends.items()) and all(
        sum(runs[-1]) <= clocks.get(client, 0) for client, runs in said.deleted.items() if runs
    )


def says(state: bytes, update: bytes) -> bool:
    """Say whether a document with what waits in it has all that an update says."""
    had, said = _document(state), _document(update)
    return all(end <= had.ends.get(client, 0) for client, end in said.ends.items()) and not any(
        _subtract(runs, had.deleted.get(client, [])) for client, runs in said.deleted.items()
    )


def joined(state: bytes, waiting: Iterable[bytes]) -> bytes:
    """Return a document as one update with others that wait for words which it does not have.

    Of a client that several of them tell of, whoever tells most of it is taken. The library's own joining ends in a
    panic on what a hostile writer makes of one client.
    """
    told: dict[int, tuple[int, bytes]] = {}
    deleted: dict[int, list[tuple[int, int]]] = {}
    for update in (state, *waiting):
        said = _document(update)
        for client, structs in said.structs.items():
            if client not in told or said.ends[client] > told[client][0]:
                told[client] = said.ends[client], structs
        for client, runs in said.deleted.items():
            deleted[client] = _united(deleted.get(client, []), runs)
    return b"".join(
        [
            _varint(len(told)),
            *(told[client][1] for client in sorted(told, reverse=True)),
            _deletions_of(dict(sorted(deleted.items()))),
        ]
    )


def _united(*several: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return runs (start, length) in order, with those that touch as one."""
    found: list[tuple[int, int]] = []
    for start, size in sorted(chain(*several)):
        if found and start <= sum(found[-1]):
            start, end = found[-1][0], max(sum(found[-1]), start + size)
            found[-1] = start, end - start
        else:
            found.append((start, size))
    return found


class EditsTogether(NamedTuple):
    """A document with edits as one update, and how many units of each client must be there before nothing waits."""

    update: bytes
    needs: Mapping[int, int]


def put_together(updates: Iterable[bytes]) -> EditsTogether:
    """Return documents and edits as one update that is a function of what they say, in whatever order they came.

    Every run of words that its writer wrote as one is one piece: the library cuts a run where somebody writes into it,
    and leaves it in pieces or not by where these came to stand. Words that are taken out are left out.

    A character of two UTF-16 units is taken out where a deletion takes out one of them, or a place lies between them:
    no program of ours writes such an edit, and the library would count otherwise from there on. The places of an edit
    are kept for ever, and its deletions. So this goes on alike from a document that was put together before, where
    words may be gone that others still have.

    Of a client that several of them tell of, whoever tells most of it is taken, and the first of those.

    Raises:
        InvalidOp: there are more than `WHOLE_STRUCTS_MAX` pieces, or something that the reader does not take.
    """
    told: dict[int, list[_Piece]] = {}
    ends: dict[int, int] = {}
    taken_out: dict[int, list[_Run]] = {}
    wide: set[int] = set()
    count = 0
    for update in updates:
        said = _document(update, structs_max=WHOLE_STRUCTS_MAX, keeps_pieces=True)
        for client, pieces in said.pieces.items():
            if said.ends[client] > ends.get(client, -1):
                count += len(pieces) - len(told.get(client, ()))
                told[client], ends[client] = pieces, said.ends[client]
        if count > WHOLE_STRUCTS_MAX:
            raise _wrong(f"at most {WHOLE_STRUCTS_MAX} structs")
        for client, runs in said.deleted.items():
            taken_out.setdefault(client, []).extend(runs)
        wide |= said.wide
    deleted = {client: _united(runs) for client, runs in sorted(taken_out.items()) if runs}
    for client, runs in _cut_in_two(told, deleted, wide).items():
        deleted[client] = _united(deleted.get(client, []), runs)
    written = [_varint(len(told))]
    for client in sorted(told, reverse=True):
        whole = _in_whole_runs(client, _without_words(client, told[client], deleted.get(client, [])))
        written += [_varint(len(whole)), _varint(client), _varint(0), *(piece.written() for piece in whole)]
    written.append(_deletions_of(dict(sorted(deleted.items()))))
    needs = ends | {client: max(sum(runs[-1]), ends.get(client, 0)) for client, runs in deleted.items()}
    return EditsTogether(b"".join(written), needs)


def _cut_in_two(
    told: Mapping[int, list["_Piece"]], deleted: Mapping[int, list["_Run"]], wide: Iterable[int]
) -> dict[int, list["_Run"]]:
    """Return of each client the characters of two units that a place, or the end of a deletion, lies within."""
    cuts: dict[int, set[int]] = {client: set() for client in wide}
    if not cuts:
        return {}
    for pieces in told.values():
        for piece in pieces:
            if piece.left is not None and piece.left[0] in cuts:
                cuts[piece.left[0]].add(piece.left[1] + 1)
            if piece.right is not None and piece.right[0] in cuts:
                cuts[piece.right[0]].add(piece.right[1])
    found: dict[int, list[_Run]] = {}
    for client, places in cuts.items():
        for start, size in deleted.get(client, []):
            places.update((start, start + size))
        row, at = sorted(places), 0
        for piece in told[client]:
            at = bisect_right(row, piece.clock, at)
            end = bisect_left(row, piece.clock + piece.units, at)
            if at < end and piece.content == _STRING:
                units = piece.words.decode().encode("utf-16-le")
                for cut in row[at:end]:
                    if units[2 * (cut - piece.clock) + 1] & 0xFC == 0xDC:  # the latter half of two
                        found.setdefault(client, []).append((cut - 1, 2))
    return found


def _without_words(client: int, pieces: Iterable["_Piece"], deleted: list["_Run"]) -> Iterator["_Piece"]:
    """Give the pieces of a client, with what is deleted of them as such."""
    at = 0
    for piece in pieces:
        end = piece.clock + piece.units
        while at < len(deleted) and sum(deleted[at]) <= piece.clock:
            at += 1
        if piece.content != _STRING or at == len(deleted) or deleted[at][0] >= end:
            yield piece
            continue
        units, done, look = piece.words.decode().encode("utf-16-le"), piece.clock, at
        while done < end:
            start, size = deleted[look] if look < len(deleted) else (end, 0)
            if done < start:
                stop = min(start, end)
                words = (
                    units[2 * (done - piece.clock) : 2 * (stop - piece.clock)].decode("utf-16-le").encode()
                )
                yield piece.part(client, done, stop - done, words)
            else:
                stop = min(start + size, end)
                yield piece.part(client, done, stop - done)
                look += 1
            done = stop


def _in_whole_runs(client: int, pieces: Iterable["_Piece"]) -> list["_Piece"]:
    """Return the pieces of a client, with those as one that it wrote as one."""
    runs: list[list[_Piece]] = []
    for piece in pieces:
        if runs and piece.continues(client, runs[-1][-1]):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return [
        run[0]
        if len(run) == 1
        else run[0]._replace(
            units=sum(piece.units for piece in run), words=b"".join(piece.words for piece in run)
        )
        for run in runs
    ]


def clocks_of(vector: bytes) -> dict[int, int]:
    """Return how many units of each client a document has, of its state vector as the library encodes it."""
    numbers, number, shift = [], 0, 0
    for byte in vector:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    return dict(zip(numbers[1::2], numbers[2::2], strict=True))


def without_deletions(update: bytes, state: bytes) -> bytes:
    """Return an edit of a text without the deletions that the text has had before: the library says them again."""
    said, had = _document(update), _document(state)
    fresh = {
        client: left
        for client, runs in said.deleted.items()
        if (left := _subtract(runs, had.deleted.get(client, [])))
    }
    return update[: said.ends_at] + _deletions_of(fresh)


def in_parts(update: bytes) -> list[bytes]:
    """Return an edit as several where it takes out more than one may; the last one holds its words.

    A text that was edited by thousands of edits consists of as many runs, each somebody else's to the library.
    """
    said = _document(update)
    runs = [(client, run) for client, runs in said.deleted.items() for run in runs]
    starts = range(0, len(runs), EDIT_DELETIONS_MAX)
    parts: list[bytes] = []
    for start in starts or [0]:
        deleted: dict[int, list[tuple[int, int]]] = {}
        for client, run in runs[start : start + EDIT_DELETIONS_MAX]:
            deleted.setdefault(client, []).append(run)
        is_last = start + EDIT_DELETIONS_MAX >= len(runs)
        parts.append((update[: said.ends_at] if is_last else _varint(0)) + _deletions_of(deleted))
    return parts


def _deletions_of(deleted: Mapping[int, list[tuple[int, int]]]) -> bytes:
    return b"".join(
        [
            _varint(sum(map(bool, deleted.values()))),
            *(
                _varint(client)
                + _varint(len(runs))
                + b"".join(_varint(at) + _varint(size) for at, size in runs)
                for client, runs in deleted.items()
                if runs
            ),
        ]
    )


def _document(
    data: bytes, *, structs_max: int = DOCUMENT_STRUCTS_MAX, keeps_pieces: bool = False
) -> "_UpdateReader":
    most = DOCUMENT_STRUCTS_MAX
    reader = _UpdateReader(
        data,
        clients_max=most,
        structs_max=structs_max,
        deletions_max=most,
        is_fresh=False,
        keeps_pieces=keeps_pieces,
    )
    reader.read()
    return reader


def _subtract(runs: list[tuple[int, int]], had: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what of runs (start, length), in order, lies in none of the others, which are in order too."""
    left: list[tuple[int, int]] = []
    at = 0
    for start, size in runs:
        end = start + size
        while at < len(had) and sum(had[at]) <= start:
            at += 1
        look = at
        while start < end:
            if look == len(had) or had[look][0] >= end:
                left.append((start, end - start))
                break
            if had[look][0] > start:
                left.append((start, had[look][0] - start))
            start = sum(had[look])
            look += 1
    return left


def _varint(number: int) -> bytes:
    if number < 128:
        return _BYTES[number]
    said = bytearray()
    while number > 127:
        said.append(number & 127 | 128)
        number >>= 7
    said.append(number)
    return bytes(said)


_Place = tuple[int, int]
_Run = tuple[int, int]


class _Piece(NamedTuple):
    """A struct: what it holds, the places (client, clock) it was written between, where it begins, and its words."""

    content: int
    left: _Place | None
    right: _Place | None
    clock: int
    units: int
    words: bytes

    def continues(self, client: int, before: "_Piece") -> bool:
        """Say whether one and the same client wrote this behind another piece, in one go."""
        return (
            self.content == before.content
            and self.left == (client, self.clock - 1)
            and self.right == before.right
        )

    def part(self, client: int, clock: int, units: int, words: bytes | None = None) -> "_Piece":
        """Return a part of this piece of a client, with its words, or without as what was deleted."""
        left = self.left if clock == self.clock else (client, clock - 1)
        if words is None:
            return _Piece(_DELETED, left, self.right, clock, units, b"")
        return _Piece(_STRING, left, self.right, clock, units, words)

    def written(self) -> bytes:
        """Return the struct as an update holds it."""
        info, places = self.content, b""
        for flag, place in ((_HAS_LEFT, self.left), (_HAS_RIGHT, self.right)):
            if place is not None:
                info |= flag
                places += _varint(place[0]) + _varint(place[1])
        if not places:
            places = _varint(1) + _varint(len(_ROOT)) + _ROOT
        said = _varint(len(self.words)) + self.words if self.content == _STRING else _varint(self.units)
        return bytes([info]) + places + said


class _UpdateReader:
    """Goes through one update from its first byte to its last."""

    def __init__(
        self,
        data: bytes,
        *,
        clients_max: int,
        structs_max: int,
        deletions_max: int,
        is_fresh: bool,
        keeps_pieces: bool = False,
    ) -> None:
        self._data = data
        self._at = 0
        self._clients_max = clients_max
        self._structs_left = structs_max
        self._deletions_left = deletions_max
        self._is_fresh = is_fresh
        self._keeps_pieces = keeps_pieces
        self._behind: set[tuple[int, int] | None] = set()
        self._reach_left = EDIT_REACH_MAX
        self.structs: dict[int, bytes] = {}
        """What is said of each client, as it stands in the update."""
        self.pieces: dict[int, list[_Piece]] = {}
        """The same, read, where somebody wants it: of a million structs it takes more than 100 MB."""
        self.wide: set[int] = set()
        """Who wrote characters of two units."""
        self.ends: dict[int, int] = {}
        """How many units of each client there are."""
        self.deleted: dict[int, list[tuple[int, int]]] = {}
        """Which runs (start, length) of each client are taken out."""
        self.ends_at = 0
        """Where the deletions begin."""

    def read(self) -> None:
        """Read it all."""
        seen: set[int] = set()
        for _ in range(self._number(self._clients_max, "clients")):
            begins = self._at
            structs = self._number(self._structs_left, "structs")
            self._structs_left -= structs
            client = self._number(CLIENT_ID_MAX, "a client id")
            if client in seen or not structs:
                raise _wrong("each client once, with what it wrote")
            seen.add(client)
            self._number(0, "a client's first clock")
            clock = 0
            pieces = self.pieces.setdefault(client, []) if self._keeps_pieces else None
            for _ in range(structs):
                piece = self._struct(client, clock)
                if pieces is not None:
                    pieces.append(piece)
                clock += piece.units
                if clock > CLOCK_MAX:
                    raise _wrong(f"at most {CLOCK_MAX} units of one client")
            self.ends[client] = clock
            self.structs[client] = self._data[begins : self._at]
        self.ends_at = self._at
        self._deletions()
        if self._at != len(self._data):
            raise _wrong("nothing behind the deletions")

    def _deletions(self) -> None:
        for _ in range(self._number(self._deletions_left, "clients of deletions")):
            client = self._number(CLIENT_ID_MAX, "a client id")
            if client in self.deleted:
                raise _wrong("the deletions of each client once")
            runs = self.deleted[client] = []
            deletions = self._number(self._deletions_left, "deletions")
            self._deletions_left -= deletions
            end = 0
            for _ in range(deletions):
                # In order: the library goes through what is left of a text again for each that lies before the last.
                clock = self._number(CLOCK_MAX, "a clock in order", low=end)
                end = clock + self._number(CLOCK_MAX - clock, "a length", low=1)
                runs.append((clock, end - clock))

    def _struct(self, client: int, clock: int) -> _Piece:
        """Read one struct."""
        info = self._byte()
        content = info & 0x1F
        if content == _GC and info == _GC:
            # As deleted: the library would let go of whatever stands behind it, and of its places.
            left = (client, clock - 1) if clock else None
            return _Piece(_DELETED, left, None, clock, self._number(CLOCK_MAX, "a length", low=1), b"")
        if info & _HAS_SUB:
            raise _wrong("parts of a text, not of a map")
        left = right = None
        for flag in (_HAS_LEFT, _HAS_RIGHT):
            if info & flag:
                neighbour, at = self._number(CLIENT_ID_MAX, "a client id"), self._number(CLOCK_MAX, "a clock")
                if self._is_fresh and neighbour == client and at >= clock:
                    raise _wrong("neighbours that were there before")
                self._reach_left -= at
                if self._is_fresh and self._reach_left < 0:
                    raise _wrong(f"places that lie {EDIT_REACH_MAX} letters into texts at most, added up")
                if flag == _HAS_LEFT:
                    left = neighbour, at
                else:
                    right = neighbour, at
        if self._is_fresh and left in self._behind:
            raise _wrong("each part behind another one")
        self._behind.add(left)
        if not info & (_HAS_LEFT | _HAS_RIGHT) and (self._number(1, "a root", low=1), self._bytes()) != (
            1,
            _ROOT,
        ):
            raise _wrong("parts of the text")
        if content == _DELETED:
            return _Piece(_DELETED, left, right, clock, self._number(CLOCK_MAX, "a length", low=1), b"")
        if content != _STRING:
            raise _wrong("strings, and what was deleted of them")
        words = self._bytes()
        try:
            characters = words.decode()
        except UnicodeDecodeError:
            raise _wrong("a string that is valid UTF-8") from None
        units = len(characters.encode("utf-16-le")) // 2
        if units != len(characters):
            self.wide.add(client)
        if self._is_fresh and not units:
            raise _wrong("strings that say something")
        return _Piece(_STRING, left, right, clock, units, words)

    def _byte(self) -> int:
        if self._at >= len(self._data):
            raise _wrong("more bytes")
        self._at += 1
        return self._data[self._at - 1]

    def _number(self, high: int, what: str, *, low: int = 0) -> int:
        # Byte by byte in here: most of what reading a document takes.
        data, at = self._data, self._at
        number = shift = 0
        while True:
            if at >= len(data):
                raise _wrong("more bytes")
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > 56:
                raise _wrong(f"{what} of at most eight bytes")
        self._at = at
        if not low <= number <= high:
            raise _wrong(f"{what} from {low} to {high}")
        return number

    def _bytes(self) -> bytes:
        size = self._number(len(self._data) - self._at, "a length")
        self._at += size
        if self._at > len(self._data):
            raise _wrong("more bytes")
        return self._data[self._at - size : self._at]


def _wrong(expected: str) -> InvalidOp:
    return InvalidOp(f"expected a Yjs update of a text: {expected}")
