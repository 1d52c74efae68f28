"""Edits of a text that a member made by hand come to one text, in whatever order and however they are put together.

Places lie anywhere, also within characters of two units, deletions take halves of them, words are said to be deleted
from the start, some wait for words that come later or never. No two edits have the same client id: what of those is
taken depends on the order (`docs/explanation/convergence.md`).

`python -m tests.property.replica.test_edits_by_hand SEED` replays one world.
"""

import sys
from collections.abc import Sequence
from random import Random

import pytest
from pycrdt import Text

from replica.errors import InvalidOp
from replica.state.text import EditedText, check_state, check_update
from replica.state.yjs import _document
from tests.security.test_crooked_edits import varint
from tests.support.second.texts import document

WORLDS = 30
SEEDS = range(12)
RID = bytes(range(16))
LETTERS = "abé漢🙂👍"
DEVICES = 3


def words(random: Random) -> str:
    return "".join(random.choices(LETTERS, k=random.randint(1, 5)))


def place(random: Random, units: dict[int, int]) -> bytes:
    """A place among the words of a client; now and then behind them, where nothing ever comes."""
    client = random.choice([*units])
    return varint(client) + varint(random.randrange(units[client] + (random.random() < 0.03)))


def struct(random: Random, units: dict[int, int]) -> tuple[bytes, int]:
    """Some words, or what was deleted of such, between two places; and how many units they take."""
    info, places = 0, b""
    for flag in (0x80, 0x40):
        if random.random() < 0.8:
            info, places = info | flag, places + place(random, units)
    places = places or b"\1\4text"
    size = random.randint(1, 3)
    match random.randrange(12):
        case 0:
            return b"\0" + varint(size), size
        case 1:
            return bytes([info | 1]) + places + varint(size), size
        case _:
            said = words(random)
            text = said.encode()
            return bytes([info | 4]) + places + varint(len(text)) + text, len(said.encode("utf-16-le")) // 2


def by_hand(random: Random, client: int, units: dict[int, int]) -> tuple[bytes, int]:
    """An edit of a new client, and how many units it says."""
    structs, at = [], 0
    for _ in range(random.randint(0, 4)):
        said, size = struct(random, {**units, client: at} if at else units)
        structs.append(said)
        at += size
    deletions = []
    for other in random.sample([*units], min(len(units), random.randint(0, 2))):
        runs, end = [], 0
        for _ in range(random.randint(1, 3)):
            start, size = end + random.randrange(4), random.randint(1, 3)
            runs.append(varint(start) + varint(size))
            end = start + size
        deletions.append(varint(other) + varint(len(runs)) + b"".join(runs))
    told = b"\1" + varint(len(structs)) + varint(client) + b"\0" + b"".join(structs) if structs else b"\0"
    return told + varint(len(deletions)) + b"".join(deletions), at


def edits_of(random: Random, base: EditedText) -> list[bytes]:
    """Edits by hand, and some that were made in a text with some of them."""
    units, author, made = dict(_document(base.state()).ends), EditedText(base.state()), list[bytes]()
    for _ in range(random.randint(1, 6)):
        if random.random() < 0.2:
            text = author.show()
            at = random.randint(0, len(text))
            made.append(author.edit(text[:at] + words(random) + text[at + random.randrange(3) :], random))
        else:
            client = random.randrange(1, 2 ** random.choice((6, 53)))
            if client in units:
                continue
            edit, size = by_hand(random, client, units)
            try:
                check_update(edit)
            except InvalidOp:
                continue
            made.append(edit)
            if size:
                units[client] = size
        if random.random() < 0.5:
            author.apply(made[-1])
    return made


def delivered(random: Random, base: EditedText, edits: Sequence[bytes]) -> list[EditedText]:
    """What each of some devices has of a text that all edits came to, in orders and portions of its own."""
    devices = [EditedText(base.state()) for _ in range(DEVICES)]
    left = [random.sample(edits, len(edits)) for _ in devices]
    for _ in range(4 * len(edits)):
        at = random.randrange(DEVICES)
        if random.random() < 0.15:
            devices[at].apply(random.choice(devices).state())
        elif left[at]:
            devices[at].apply(left[at].pop())
        if random.random() < 0.4:
            check_state(devices[at].state())
        if random.random() < 0.3:
            devices[at] = EditedText(devices[at].state())
    for device, missing in zip(devices, left, strict=True):
        for edit in missing:
            device.apply(edit)
    return devices


def check_world(seed: int) -> None:
    random = Random(seed)
    base = EditedText.from_base(RID, words(random) + words(random))
    edits = edits_of(random, base)
    devices = delivered(random, base, edits)

    def alike() -> set[tuple[str, bytes, bytes, str]]:
        """Return what shows, is stored, is made anew, and shows when it was stored and read."""
        return {(d.show(), d.state(), d.written_anew(), EditedText(d.state()).show()) for d in devices}

    replay = f"python -m tests.property.replica.test_edits_by_hand {seed}"
    assert len(alike()) == 1, replay
    assert devices[0].written_anew() == devices[0].state(), replay
    assert all(devices[0].holds(edit) for edit in edits), replay
    text = devices[0].show()
    later = devices[0].edit(f"{text[:2]}later{text[3:]}", random)
    check_update(later)
    for device in devices:
        device.apply(later)
    assert len(alike()) == 1, replay


@pytest.mark.parametrize("seed", SEEDS)
def test_edits_by_hand_come_to_one_text(seed: int) -> None:
    for world in range(WORLDS):
        check_world(seed * WORLDS + world)


@pytest.mark.parametrize("seed", SEEDS)
def test_edits_of_ours_come_to_the_bytes_that_the_library_makes_of_them_one_by_one(seed: int) -> None:
    random = Random(seed)
    for _ in range(WORLDS):
        text = words(random) + " " + words(random)
        device, made = EditedText.from_base(RID, text), list[bytes]()
        authors = [EditedText.from_base(RID, text) for _ in range(2)]
        for _ in range(random.randint(1, 8)):
            author = random.choice(authors)
            if random.random() < 0.3:
                author.apply(device.state())
            shown = author.show()
            at = random.randint(0, len(shown))
            made.append(author.edit(shown[:at] + words(random) + shown[at + random.randrange(3) :], random))
            author.apply(made[-1])
            device.apply(made[-1])
        one_by_one = document(RID, text, made)
        assert device.state() == one_by_one.get_update(), f"seed {seed}"
        assert device.show() == str(one_by_one.get("text", type=Text)), f"seed {seed}"


if __name__ == "__main__":
    check_world(int(sys.argv[1]))
