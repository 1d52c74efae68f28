from collections.abc import Callable
from itertools import groupby
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replica.errors import InvalidOp
from replica.state.text import EditedText, _words, base_name, check_state, check_update

RID = bytes(range(16))
WORDS = st.lists(
    st.sampled_from(
        ["one", "two", " ", "\n", "é", "e\u0301", "👩‍👩‍👧", "עברית", "العربية", "日本", ".", "🇵🇹", "x"]
    ),
    max_size=30,
).map("".join)


def document(text: str) -> EditedText:
    return EditedText.from_base(RID, text)


def both(text: str, one: str, other: str) -> str:
    """What two devices show after each made its edit apart and took the other's."""
    first, second = (document(text).edit(to, Random(to)) for to in (one, other))
    here, there = document(text), document(text)
    for which, updates in ((here, (first, second)), (there, (second, first))):
        for update in updates:
            which.apply(update)
    assert here.show() == there.show()
    assert here.state() == there.state()
    return here.show()


def test_words_put_in_on_two_devices_are_both_kept() -> None:
    merged = both("tea with Ann", "green tea with Ann", "tea with Ann and Ben")
    assert merged == "green tea with Ann and Ben"


def test_words_put_in_at_one_place_are_both_kept_whole() -> None:
    merged = both("tea today", "tea with milk today", "tea with lemon today")
    assert "milk" in merged
    assert "lemon" in merged


def test_words_changed_in_one_place_stand_side_by_side() -> None:
    merged = both("kept by Anna since May", "kept by Dora since May", "kept by Carla and Ben since May")
    assert merged in ("kept by Dora Carla and Ben since May", "kept by Carla and Ben Dora since May")


@given(
    edits=st.tuples(*[st.tuples(st.integers(1, 5), st.integers(0, 2), st.integers(0, 2))] * 2),
)
def test_no_two_words_become_one_behind_the_first(edits: tuple[tuple[int, int, int], ...]) -> None:
    """Each device takes out some words at a place, and puts some there."""
    base = ["one", "two", "three", "four", "five", "six"]
    told = [
        [*base[:at], *(f"{who}{n}" for n in range(put)), *base[at + out :]]
        for who, (at, out, put) in zip("ab", edits, strict=True)
    ]
    merged = both(*(" ".join(words) for words in (base, *told)))
    assert set(merged.split(" ")) <= {"", *base, *told[0], *told[1]}


def test_changes_of_words_side_by_side_are_one_change() -> None:
    """The form in which edits travel has no part that begins at another part of its own."""
    update = document("one two three four").edit("one 2 3 four", Random(1))
    check_update(update)
    assert b"one" not in update, "it is not the whole text anew"


def test_one_edits_inside_what_the_other_deletes() -> None:
    assert "Lisbon" in both("Ann lives in Porto now", "Ann lives in Porto, near Lisbon, now", "Ann")


@given(old=WORDS, new=WORDS)
def test_an_edit_turns_any_text_into_any_other(old: str, new: str) -> None:
    """Also where characters have several bytes, several code points, or run from right to left."""
    before = document(old)
    before.apply(before.edit(new, Random(1)))
    assert before.show() == new


@given(base=WORDS, one=WORDS, other=WORDS)
def test_two_edits_made_apart_read_alike_in_either_order(base: str, one: str, other: str) -> None:
    both(base, one, other)


def test_a_whichread_back_from_its_bytes_goes_on_as_before() -> None:
    """Cells hold documents as bytes: an edit folded after a restart must do what it did without one."""
    text = document("it began so")
    first = text.edit("it began otherwise", Random(1))
    text.apply(first)
    again = EditedText(text.state())
    second = text.edit("it ended otherwise", Random(2))
    text.apply(second)
    again.apply(second)
    assert again.show() == text.show() == "it ended otherwise"
    assert again.state() == text.state()


def test_every_edit_is_made_under_a_fresh_client_id() -> None:
    """A client id used on two devices makes them differ silently and for ever."""
    random = Random(4)
    text = document("one")
    assert text.edit("one two", random) != text.edit("one two", random)
    twice = document("one")
    for _ in range(2):
        twice.apply(text.edit("one two", random))
    assert twice.show() == "one two two", "each insertion is its own"


def test_the_base_whichis_a_function_of_memory_and_text() -> None:
    assert document("one").state() == document("one").state()
    assert base_name(RID, "one") != base_name(RID, "two")
    assert base_name(RID, "one") != base_name(bytes(16), "one")
    assert len(base_name(RID, "one")) == 8


@pytest.mark.parametrize("update", [b"", b"\x01", b"no update at all", bytes(40), b"\xff" * 40])
def test_bytes_that_are_no_update_are_refused(update: bytes) -> None:
    with pytest.raises(InvalidOp, match="expected a Yjs update"):
        check_update(update)


def test_a_chapter_is_edited_without_comparing_all_words_with_all() -> None:
    """Compared word by word all at once, it took more than a minute; the writer's thread waits for it."""
    random = Random(1)
    chapter = " ".join("".join(random.choices("abcdefgh", k=random.randrange(2, 8))) for _ in range(8_000))
    revised = chapter.replace("a", "A")
    text = document(chapter)
    text.apply(text.edit(revised, random))
    assert text.show() == revised


def test_words_are_runs_of_letters_and_digits_of_any_script_and_every_other_character_is_one() -> None:
    everything = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x11_0000))))
    assert _words(everything) == [
        part for words, run in groupby(everything, str.isalnum) for part in (["".join(run)] if words else run)
    ]
    assert _words("snake_case, 2nd עברית!\n") == [
        "snake",
        "_",
        "case",
        ",",
        " ",
        "2nd",
        " ",
        "עברית",
        "!",
        "\n",
    ]


@pytest.mark.parametrize("seed", range(60))
def test_edits_in_any_order_come_to_one_text_however_often_it_is_stored_between(seed: int) -> None:
    random = Random(seed)
    base = document("one two three four five six")
    authors = [EditedText(base.state()) for _ in range(3)]
    edits: list[bytes] = []
    for number in range(random.randrange(2, 9)):
        author = random.choice(authors)
        words = author.show().split()
        if random.random() < 0.4 and words:
            del words[random.randrange(len(words))]
        else:
            words.insert(random.randrange(len(words) + 1), f"w{number}")
        edits.append(author.edit(" ".join(words), random))
        author.apply(edits[-1])
        if random.random() < 0.5:
            random.choice(authors).apply(random.choice(edits))
    # One may never come, though others continue it: then they wait, and are kept.
    arriving = random.sample(edits, len(edits) - (random.random() < 0.3))
    shown = set()
    for _ in range(4):
        random.shuffle(arriving)
        text = EditedText(base.state())
        for at, update in enumerate(arriving, 1):
            text.apply(update)
            if random.random() < 0.6:
                check_state(text.state())
                text = EditedText(text.state())
            assert all(text.holds(known) for known in arriving[:at])
        for late in edits:
            text.apply(late)
        shown.add(text.show())
    assert len(shown) == 1


def test_an_edit_that_waits_is_stored_with_the_text_and_not_shown() -> None:
    base, author = document("tea with Ann"), document("tea with Ann")
    first = author.edit("green tea with Ann", Random(1))
    author.apply(first)
    second = author.edit("green and black tea with Ann", Random(2))
    text = EditedText(base.state())
    text.apply(second)
    assert text.show() == "tea with Ann"
    assert text.state() != base.state()
    stored = EditedText(text.state())
    assert stored.holds(second)
    assert not stored.holds(first)
    stored.apply(first)
    assert stored.show() == "green and black tea with Ann"


WITH_AN_EMOJI = "a🙂b"


def writer_of(text: EditedText) -> bytes:
    """Return who wrote a text that nobody edited, as an update names it."""
    state = text.state()
    ends = next(at for at in range(2, len(state)) if state[at] < 0x80)
    return state[2 : ends + 1]


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize(
    ("made", "shows"),
    [
        (lambda writer: b"\0\1" + writer + b"\1\1\1", "ab"),
        (lambda writer: b"\0\1" + writer + b"\1\2\2", "a"),
        (lambda writer: b"\1\1\5\0\x84" + writer + b"\1\1x\0", "axb"),
        (lambda writer: b"\1\1\5\0\x44" + writer + b"\2\1x\0", "xab"),
    ],
    ids=[
        "its former half",
        "its latter half and the next",
        "behind its former half",
        "before its latter half",
    ],
)
def test_an_edit_within_a_character_of_two_units_takes_it_out(
    made: Callable[[bytes], bytes], shows: str, stored: bool
) -> None:
    """No program of ours writes one. The library would count otherwise from there on."""
    text = document(WITH_AN_EMOJI)
    update = made(writer_of(text))
    check_update(update)
    text.apply(update)
    if stored:
        text = EditedText(text.state())
    assert text.show() == shows
    again = document(WITH_AN_EMOJI)
    again.apply(again.edit(f"{WITH_AN_EMOJI} and more", Random(1)))
    again.apply(update)
    assert again.show() == f"{shows} and more"
