"""A text is taken apart as the library does it; and the properties of the vocabulary that make this short hold."""

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cognition.embedding.pieces import WordPieces
from cognition.embedding.static import TOKENIZER, _package_folder
from cognition.embedding.tokenizing import Tokenizer, open_tokenizer
from cognition.embedding.vocabulary import TokenVocabulary
from cognition.errors import ModelUnavailable

SPACE = "\u2581"


@pytest.fixture(scope="module")
def file() -> Path:
    return _package_folder() / TOKENIZER


@pytest.fixture(scope="module")
def pieces(file: Path) -> WordPieces:
    return WordPieces(file.read_bytes(), file)


@pytest.fixture(scope="module")
def library(file: Path) -> Tokenizer:
    return open_tokenizer(file.read_bytes(), file)


# Letters that make many pieces, spaces of both kinds, what is spelled out in bytes, and what stands for itself.
SPELLED = st.lists(
    st.sampled_from([*"aaabeeehinostuu  \n.", SPACE, "한", "😀", "\0", "<s>", "</s>", "<unk>", "<0xE4>"]),
    max_size=60,
).map("".join)


@given(text=SPELLED | st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@example(text="")
@example(text=" ")
@example(text="a" * 500)
@example(text=" " * 77)
@example(text="   three spaces, and then   three")
@example(text="x<s> y</s>")
def test_any_text_falls_into_the_pieces_that_the_library_makes(
    pieces: WordPieces, library: Tokenizer, text: str
) -> None:
    assert pieces.of(text) == library.encode(text, add_special_tokens=False).ids


def test_every_piece_of_the_vocabulary_is_found_again(pieces: WordPieces, library: Tokenizer) -> None:
    spelled = [piece.replace(SPACE, " ") for piece in library.get_vocab()]
    texts = [*spelled, *(each.removeprefix(" ") for each in spelled)]  # which is a word that begins a text
    made = library.encode_batch_fast(texts, add_special_tokens=False)
    assert [pieces.of(text) for text in texts] == [each.ids for each in made]


def test_what_is_joined_follows_from_the_vocabulary_alone(file: Path) -> None:
    model = json.loads(file.read_bytes())["model"]
    number = model["vocab"]

    def order(join: tuple[str, str]) -> tuple[bool, int, int, int]:
        left, right = join
        joined = left + right
        return not joined.strip(SPACE), number[joined], number[left], number[right]

    joins = [tuple(join.split(" ")) for join in model["merges"]]
    cuts = [(piece[:at], piece[at:]) for piece in number for at in range(1, len(piece))]
    possible = [(left, right) for left, right in cuts if left in number and right in number]
    assert joins == sorted(possible, key=order)
    assert not [piece for piece in number if SPACE in piece.lstrip(SPACE)], "a piece reaches across words"


@pytest.mark.parametrize(
    "held", [b"", b"\xff", b"[]", b"{}", b'{"model": {"vocab": {"a": 1}}}', b"[" * 9_000]
)
def test_a_file_that_is_no_vocabulary_is_refused(held: bytes) -> None:
    with pytest.raises(ModelUnavailable, match="expected a tokenizer at here"):
        WordPieces(held, "here")


def test_pieces_of_any_script_are_found_by_their_number() -> None:
    pieces = ["a", "é", "б", "漢", "🌍", '"', "\\"]
    held = json.dumps({"vocab": {piece: at for at, piece in enumerate(pieces)}}, ensure_ascii=False).encode()
    vocabulary = TokenVocabulary(held)
    assert [vocabulary.get(piece) for piece in pieces] == [*range(len(pieces))]
    assert vocabulary.get("Ã©") is None  # what the bytes of é look like to who reads them one by one


def test_characters_spelled_by_their_number_are_refused() -> None:
    with pytest.raises(ValueError, match="expected characters in UTF-8"):
        TokenVocabulary(rb'{"vocab": {"\u00e9": 0}}')


def test_a_vocabulary_takes_less_than_two_thirds_of_a_megabyte(file: Path) -> None:
    """A dictionary of it takes four, in every program that remembers anything."""
    held = file.read_bytes()
    tracemalloc.start()
    try:
        vocabulary = TokenVocabulary(held)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(vocabulary) == 32_000
    assert taken < 660_000
