"""Edits that a member made by hand: refused by their bytes alone where the library might never end with them.

Four updates of 18 bytes once froze a device until it was killed; thirty thousand letters behind one word took a minute.
"""

import time
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replica.state.yjs
from replica.core import Core
from replica.errors import InvalidOp
from replica.limits import TEXT_BYTES_MAX
from replica.oplog import FoldStatus
from replica.ops import Edit, Forget, Set
from replica.state.text import EditedText, base_name, check_state, check_update
from replica.state.yjs import (
    CLOCK_MAX,
    EDIT_DELETIONS_MAX,
    EDIT_REACH_MAX,
    EDIT_STRUCTS_MAX,
    WHOLE_STRUCTS_MAX,
    _subtract,
    check_document,
    check_edit,
)
from replica.verify import verify_replica
from tests.support.replicas import (
    NOW_MS,
    Hand,
    acquaint,
    agree,
    edit,
    group,
    memories,
    remember,
    rows_of,
    say,
    settle,
    sync,
    take,
    texts,
)

# A tenth of a second was measured; of processor time, but a machine that does much else is slower at that, too.
DEAREST_S_MAX = 0.5
RID = bytes(range(16))
SPINNING = (
    "0101b9600101010474657874808080800800",
    "0101b9600101010474657874ffffffff0f00",
    "0101b960010080808080802000",
    "0101b960010101047465787480808080802000",
)


def varint(number: int) -> bytes:
    said = b""
    while True:
        low, number = number & 127, number >> 7
        if not number:
            return said + bytes([low])
        said += bytes([low | 128])


def update(*structs: bytes, client: int = 5, clock: int = 0, deletions: bytes = b"\0") -> bytes:
    """What one client says."""
    return b"\1" + varint(len(structs)) + varint(client) + varint(clock) + b"".join(structs) + deletions


def letter(client: int, clock: int, word: bytes = b"a") -> bytes:
    """A word behind another."""
    return b"\x84" + varint(client) + varint(clock) + varint(len(word)) + word


FIRST = b"\4\1\4text\1a"
ONE_DELETION = b"\1\5\1"


@pytest.mark.parametrize("hexed", SPINNING)
def test_what_made_the_library_spin_is_refused(hexed: str) -> None:
    with pytest.raises(InvalidOp):
        check_update(bytes.fromhex(hexed))


@pytest.mark.parametrize(
    "crooked",
    [
        update(FIRST, clock=1),
        update(FIRST, client=2**53),
        update(b"\1\1\4text" + varint(CLOCK_MAX + 1)),
        update(b"\0" + varint(CLOCK_MAX), b"\0\1"),
        update(b"\0\0"),
        update(b"\x0a\1"),
        update(b"\4\1\4text\0"),
        update(b"\4\1\5other\1a"),
        update(b"\x24\1\4text\1x\1a"),
        update(b"\7\1\4text\0"),
        update(letter(5, 0)),
        update(FIRST, letter(5, 1)),
        update(letter(7, CLOCK_MAX + 1)),
        update(letter(7, 1), letter(7, 1)),
        update(FIRST, FIRST),
        update(FIRST, deletions=ONE_DELETION + varint(CLOCK_MAX) + b"\1"),
        update(FIRST, deletions=ONE_DELETION + b"\0\0"),
        update(FIRST, deletions=ONE_DELETION + b"\0" + varint(CLOCK_MAX + 1)),
        update(FIRST) + b"\0",
        update(FIRST)[:-1],
        update(),
        b"\2" + update(FIRST)[1:-1] + update(FIRST, client=6)[1:],
        update(b"\4\1\4text\1\xff"),
        b"\x80" * 12,
        b"",
    ],
    ids=lambda each: each.hex()[:40] or "nothing",
)
def test_what_no_edit_of_ours_comes_to_is_refused(crooked: bytes) -> None:
    with pytest.raises(InvalidOp):
        check_edit(crooked)


def test_the_largest_that_may_be_said_is_taken() -> None:
    for lawful in (
        update(FIRST),
        update(FIRST, letter(5, 0)),
        update(b"\0" + varint(CLOCK_MAX)),
        update(letter(7, CLOCK_MAX)),
        update(FIRST, deletions=ONE_DELETION + b"\0" + varint(CLOCK_MAX)),
        b"\0" + ONE_DELETION + varint(CLOCK_MAX - 1) + b"\1",
    ):
        check_edit(lawful)


words = st.text(alphabet="ab ä😀\n", min_size=1, max_size=30)


@settings(max_examples=200)
@given(words, st.lists(words, max_size=6), st.integers(0, 2**32))
def test_every_edit_of_ours_and_every_document_they_make_may_be_read(
    first: str, edits: list[str], seed: int
) -> None:
    """The reader takes whatever the library itself says, so nobody refuses an honest edit."""
    random = Random(seed)
    one, other = EditedText.from_base(RID, first), EditedText.from_base(RID, first)
    said = []
    for n, text in enumerate(edits):
        document = (one, other)[n % 2]
        said.append(document.edit(text, random))
        check_update(said[-1])
        document.apply(said[-1])
        check_state(document.state())
    for each in said:
        one.apply(each)
        other.apply(each)
    assert one.show() == other.show()
    check_document(one.state())


def test_an_edit_of_more_runs_of_words_than_others_take_replaces_the_text() -> None:
    runs = EDIT_STRUCTS_MAX + 5
    before = " ".join(f"w{n} x{n}" for n in range(runs))
    after = " ".join(f"w{n} y{n}" for n in range(runs))
    document = EditedText.from_base(RID, before)
    said = document.edit(after, Random(1))
    check_update(said)
    document.apply(said)
    assert document.show() == after


def deleting(count: int, *, apart: int = 4, backwards: bool = False) -> bytes:
    """An edit that takes single letters out of the longest text."""
    order = range(count - 1, -1, -1) if backwards else range(count)
    said = b"".join(varint(at * apart) + b"\1" for at in order)
    return b"\0" + b"\1" + varint(client_of(LONGEST)) + varint(count) + said


def inserting(count: int) -> bytes:
    """An edit that puts as many letters in, the last one first, as far apart as the longest text allows."""
    apart, behind = TEXT_BYTES_MAX // (count + 1), b"\x84" + varint(client_of(LONGEST))
    said = b"".join(behind + varint((count - at) * apart) + b"\1y" for at in range(count))
    return b"\1" + varint(count) + varint(7) + b"\0" + said + b"\0"


LONGEST = "a" * TEXT_BYTES_MAX


def client_of(text: str, rid: bytes = RID) -> int:
    """Who wrote the first text, in the document that every device derives from it."""
    state = EditedText.from_base(rid, text).state()
    client = shift = 0
    for byte in state[2:]:  # behind the numbers of clients, and of what it wrote
        client |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return client


@pytest.mark.parametrize(
    "hostile", [deleting(200_000), deleting(EDIT_DELETIONS_MAX + 1), deleting(5_000, backwards=True)]
)
def test_deletions_that_take_the_library_minutes_are_refused(hostile: bytes) -> None:
    """Two hundred thousand in one edit held everything up for more than a minute and a half."""
    began = time.process_time()
    with pytest.raises(InvalidOp):
        check_update(hostile)
    assert time.process_time() - began < 2


# Of places that are spread evenly, each lies half a text away.
PLACES_MAX = 2 * EDIT_REACH_MAX // TEXT_BYTES_MAX - 2


@pytest.mark.parametrize("places", [PLACES_MAX + 5, EDIT_STRUCTS_MAX])
def test_places_that_take_the_library_long_to_find_are_refused(places: int) -> None:
    with pytest.raises(InvalidOp):
        check_update(inserting(places))


@pytest.mark.parametrize("dear", [deleting(EDIT_DELETIONS_MAX, apart=300), inserting(PLACES_MAX)])
def test_the_dearest_edit_that_is_taken_is_done_in_a_moment(dear: bytes) -> None:
    """There is no process to cut an edit off: so what is taken is little work by its bytes alone."""
    document = EditedText.from_base(RID, LONGEST)
    began = time.process_time()
    check_update(dear)
    document.apply(dear)
    assert document.show() != LONGEST
    assert time.process_time() - began < DEAREST_S_MAX


def test_an_edit_names_what_it_takes_out_and_nothing_that_was_taken_out_before() -> None:
    """Or whoever edits one text often enough could not edit it any more; and others show the same."""
    words = [f"word{n}" for n in range(400)]
    one = EditedText.from_base(RID, " ".join(words))
    other = EditedText.from_base(RID, " ".join(words))
    random, said = Random(4), []
    for n in range(0, 400, 2):
        words[n] = f"other{n}"
        said.append(one.edit(" ".join(words), random))
        one.apply(said[-1])
    assert max(map(len, said)) < 100
    for each in said:
        other.apply(each)
    assert other.show() == one.show() == " ".join(words)
    assert other.state() == one.state()


runs = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), max_size=6)


def spread(gaps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs (start, length) in order, from the gap before each and its length."""
    found, at = [], 0
    for gap, size in gaps:
        found.append((at + gap, size))
        at += gap + size
    return found


@given(runs, runs)
def test_runs_less_others_are_what_is_in_the_one_and_not_in_the_other(
    one: list[tuple[int, int]], other: list[tuple[int, int]]
) -> None:
    def places(of: list[tuple[int, int]]) -> set[int]:
        return {at for start, size in of for at in range(start, start + size)}

    left = _subtract(spread(one), spread(other))
    assert places(left) == places(spread(one)) - places(spread(other))
    assert left == sorted(left)


def test_the_longest_text_may_be_replaced_by_another_in_a_moment() -> None:
    """A megabyte without a space was split letter by letter for the better part of a minute."""
    began = time.process_time()
    document = EditedText.from_base(RID, "a" * TEXT_BYTES_MAX)
    said = document.edit("b" * TEXT_BYTES_MAX, Random(1))
    check_update(said)
    document.apply(said)
    check_state(document.state())
    assert time.process_time() - began < 5


def test_a_device_that_is_sent_such_edits_goes_on_and_so_does_the_text() -> None:
    """They are kept and passed on, without effect, alike everywhere; their author is named."""
    ann, ben, eve = group("ann", "ben", "eve")
    (rid,) = remember(ann, "hello world text")
    hand = Hand("eve")
    base = base_name(rid, "hello world text")
    head = ann.feeds.heads()[0]
    crooked = [hand.write(Edit(base, bytes.fromhex(each)), rid, seen=[head]) for each in SPINNING]
    began = time.monotonic()
    assert ann.take(hand.frame(*crooked), NOW_MS, peer=eve.device).ops == len(SPINNING)
    assert time.monotonic() - began < 5
    assert [row.status for row in rows_of(ann)][1:] == [FoldStatus.UNFOLDABLE] * len(SPINNING)
    assert {each.device for each in ann.evidence} == {eve.device}
    settle([ann, ben])
    edit(ann, rid, "hello whole world text")
    edit(ben, rid, "hello world text, too")
    settle([ann, ben])
    assert agree(ann, ben)
    assert texts(ann) == {"hello whole world text, too"}
    assert memories(ben)[rid].text == "hello whole world text, too"


@pytest.mark.parametrize("seed", range(30))
def test_whatever_the_reader_takes_the_library_comes_to_an_end_with(seed: int) -> None:
    """Lawful edits by a hostile hand: clients said twice, neighbours that nobody wrote, everything deleted."""
    random, clients = Random(seed), [5, 6, 7, 2**53 - 1]
    document = EditedText.from_base(RID, "hello world text")
    taken = 0
    for _ in range(40):
        client, clock, structs = random.choice(clients), 0, []
        for _ in range(random.randint(1, 5)):
            word = random.choice([b"a", b"ab", "😀".encode(), b"x" * 60])
            kind = random.randrange(4)
            near = varint(random.choice(clients)) + varint(random.choice([0, 1, 2, 9, CLOCK_MAX]))
            size = varint(random.choice([1, 2, 1000]))
            structs.append(
                (FIRST, b"\x84" + near + varint(len(word)) + word, b"\x81" + near + size, b"\0" + size)[kind]
            )
        said = update(
            *structs, client=client, clock=clock, deletions=ONE_DELETION + b"\0" + varint(CLOCK_MAX)
        )
        try:
            check_edit(said)
        except InvalidOp:
            continue
        taken += 1
        document.apply(said)
    assert taken > 5
    check_document(document.state())
    assert isinstance(document.show(), str)


def between(left: int, right: int, client: int, word: str) -> bytes:
    """A word between two places of somebody else's text that need never have stood side by side."""
    here, there = varint(client) + varint(left), varint(client) + varint(right)
    return b"\xc4" + here + there + varint(len(word.encode())) + word.encode()


ODD_WORDS = ("x", "yy", "zéz", "🙂a")


def by_hand(
    text: str, random: Random, rid: bytes = RID, *, words: tuple[str, ...] = ODD_WORDS
) -> list[bytes]:
    """Some edits of a text that the library takes and no program of ours makes, each in what is there by then."""
    clients, updates = [client_of(text, rid)], list[bytes]()
    for _ in range(random.randint(1, 4)):
        client = random.randrange(1, 2**53)
        structs = [
            between(random.randrange(len(text)), random.randrange(len(text)), random.choice(clients), word)
            for word in random.sample(words, random.randint(1, 3))
        ]
        said = b"\0"
        if random.random() < 0.5:
            said = b"\1" + varint(random.choice(clients)) + b"\1" + varint(random.randrange(20)) + b"\3"
        made = update(*structs, client=client, deletions=said)
        try:
            check_update(made)
        except InvalidOp:
            continue
        updates.append(made)
        clients.append(client)
    return updates


NOTE = "🙂 the quick 🙂🙂 fox jumps"


@pytest.mark.parametrize("seed", range(40))
def test_a_text_that_was_edited_by_hand_may_still_be_edited(seed: int) -> None:
    """The library panicked, which would have ended the program, or the edit was none that others take."""
    random = Random(seed)
    for _ in range(10):
        document = EditedText.from_base(RID, NOTE)
        for made in by_hand(NOTE, random):
            document.apply(made)
        edited = document.edit("an entirely new reading", random)
        check_update(edited)
        document.apply(edited)
        document.show()


@pytest.mark.parametrize("seed", range(40))
def test_what_shows_of_a_text_that_was_edited_by_hand_is_what_is_stored(seed: int) -> None:
    """The library may read what it wrote as another text: the sums over all that shows were wrong from then on."""
    random = Random(seed)
    ann, ben = group("ann", "ben")
    for core, name in ((ann, "ann"), (ben, "ben")):
        acquaint(core, name, "eve")
    (rid,) = remember(ann, NOTE)
    sync(ann, ben)
    hand, base, seen = Hand("eve"), base_name(rid, NOTE), ann.feeds.heads()
    for made in by_hand(NOTE, random, rid):
        frame = hand.frame(hand.write(Edit(base, made), rid, seen=seen))
        seen = []
        for core in (ann, ben):
            take(core, frame)
        say(
            random.choice((ann, ben)), Set("topic", f"{random.random()}"), rid
        )  # the text is read and kept again
        again = Core(ann.store, device=ann.device, sign=ann.sign, random=Random(1))
        assert memories(again)[rid] == memories(ann)[rid]
    sync(ann, ben)
    assert agree(ann, ben), "they took the same in the same order"
    for core in (ann, ben):
        assert not [each for each in verify_replica(core).problems if "do not add up" in each]
    say(ann, Forget((rid,)))
    sync(ann, ben)
    assert agree(ann, ben)
    assert verify_replica(ann).ok, "nothing of it is left"
    assert verify_replica(ben).ok


PLAIN_NOTE = "the quick brown fox jumps over"
PLAIN_WORDS = ("x", "yy", "zéz", "wv")


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(
    ("note", "words"), [(PLAIN_NOTE, PLAIN_WORDS), (NOTE.replace("fox", "brown"), ODD_WORDS)]
)
def test_edits_by_hand_come_to_one_text_in_whatever_order_they_came(
    note: str, words: tuple[str, ...], seed: int
) -> None:
    """The library puts words between places that never stood side by side by what stands there when they come.

    And where an edit cuts a character in two, it counts otherwise from there on.
    """
    random = Random(seed)
    made = by_hand(note, random, words=words)
    begun = EditedText.from_base(RID, note)
    for each in made[: random.randint(0, len(made))]:
        begun.apply(each)
    made.append(begun.edit(begun.show().replace("brown", "red and brown"), random))
    found: set[tuple[str, bytes]] = set()
    for order in permutations(made):
        document = EditedText.from_base(RID, note)
        for each in order:
            document.apply(each)
            if random.random() < 0.5:
                document = EditedText(document.state())
        found.add((document.show(), document.state()))
    assert len(found) == 1, f"seed {seed}: {sorted(found)}"


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("note", "words"), [(PLAIN_NOTE, PLAIN_WORDS), (NOTE, ODD_WORDS)])
def test_devices_that_take_edits_by_hand_in_another_order_show_one_text(
    note: str, words: tuple[str, ...], seed: int
) -> None:
    """One text differed between devices for good, and so did the sums over all that shows."""
    random = Random(seed)
    cores = ann, ben = group("ann", "ben")
    for core, name in zip(cores, ("ann", "ben"), strict=True):
        for member in ("eve", "mal"):
            acquaint(core, name, member)
    (rid,) = remember(ann, note)
    sync(ann, ben)
    base, head = base_name(rid, note), ann.feeds.heads()
    eve, mal = Hand("eve"), Hand("mal")
    for made in by_hand(note, random, rid, words=words):
        take(ann, eve.frame(eve.write(Edit(base, made), rid, seen=head)))
    for made in by_hand(note, random, rid, words=words):
        take(ben, mal.frame(mal.write(Edit(base, made), rid, seen=head)))
    sync(ann, ben)
    assert agree(ann, ben)
    edit(ann, rid, "an entirely new reading")
    sync(ann, ben)
    assert agree(ann, ben)
    assert texts(ben) == {"an entirely new reading"}
    for core in cores:
        assert verify_replica(core).ok


def test_of_two_edits_under_one_client_id_the_longer_one_counts() -> None:
    """In either order. Of two that are as long, whichever came first does: it is not promised that they agree."""
    writer = client_of(PLAIN_NOTE)
    one, other = update(letter(writer, 2, b" one")), update(letter(writer, 8, b" and another"))
    found = set()
    for order in permutations((one, other)):
        document = EditedText.from_base(RID, PLAIN_NOTE)
        for each in order:
            document.apply(each)
            document = EditedText(document.state())
        found.add(document.show())
    assert found == {"the quick and another brown fox jumps over"}


def test_a_text_of_very_many_pieces_is_read_in_a_moment() -> None:
    """Going through all of them each time would take seconds: it stays as the library put it together."""
    document = EditedText.from_base(RID, "a" * EDIT_STRUCTS_MAX)
    behind = [letter(client_of("a" * EDIT_STRUCTS_MAX), at) for at in range(EDIT_STRUCTS_MAX)]
    edits = 6 * WHOLE_STRUCTS_MAX // EDIT_STRUCTS_MAX
    for number in range(edits):
        document.apply(update(*behind, client=100 + number))
    document = EditedText(document.state())
    document.apply(update(letter(100, 0), client=7))
    began = time.process_time()
    assert len(document.show()) == EDIT_STRUCTS_MAX * (edits + 1) + 1
    assert time.process_time() - began < DEAREST_S_MAX


def test_a_text_that_thousands_of_edits_made_may_be_replaced_by_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each edit's words are a run of their own. No single edit may take so many out, and nobody took this one."""
    monkeypatch.setattr(replica.state.yjs, "EDIT_DELETIONS_MAX", 20)
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "a list")
    for number in range(45):
        edit(ann, rid, f"{memories(ann)[rid].text} {number}")
    sync(ann, ben)
    writes = ann.edits_of(rid, "nothing more of that")
    assert len(writes) == 3
    ann.commit(writes, NOW_MS)
    sync(ann, ben)
    for core in (ann, ben):
        assert memories(core)[rid].text == "nothing more of that"
        assert verify_replica(core).ok
    assert agree(ann, ben)
    edit(ben, rid, "nothing more of that, says ben")
    sync(ann, ben)
    assert texts(ann) == texts(ben) == {"nothing more of that, says ben"}
