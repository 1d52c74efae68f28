"""Parts that must not lean on each other, and models that are loaded late and once."""

import subprocess
import sys
from pathlib import Path

import grimp
import pytest
import trio

from cognition import StaticEmbedder
from cognition.embedding import static
from cognition.errors import ModelUnavailable
from tests.support import cli
from tests.support.minds import open_memory, remember
from tests.support.published import published


@published("ME-01")
def test_capturing_preserving_and_retrieving_do_not_know_each_other() -> None:
    """Three problems, three parts: reading texts, keeping memories, finding them."""
    graph = grimp.build_graph("cognition", "replica", cache_dir=None)
    capture = (
        "cognition.extraction",
        "cognition.ingest.plan",
        "cognition.ingest.linking",
        "cognition.ingest.sensory",
    )
    retrieve = (
        "cognition.recall.stages",
        "cognition.search.passes",
        "cognition.context.block",
        "cognition.embedding.index",
    )
    for one in capture:
        for other in retrieve:
            assert not graph.chain_exists(one, other, as_packages=True), (one, other)
            assert not graph.chain_exists(other, "cognition.ingest.plan", as_packages=True)
    assert not graph.chain_exists("replica", "cognition", as_packages=True)


@published("ME-07")
def test_an_embedder_loads_once_and_only_when_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Path] = []
    read = static._read_table

    def counted(path: Path) -> static.Table:
        loads.append(path)
        return read(path)

    monkeypatch.setattr(static, "_read_table", counted)
    embedder = StaticEmbedder()
    assert (embedder.width, loads) == (256, [])
    embedder.embed(["tea"])
    embedder.embed(["cake"])
    assert len(loads) == 1


@published("ME-07")
def test_importing_loads_no_model() -> None:
    script = "import samemind.device, sys; print(*{'tokenizers', 'wordllama', 'pycrdt'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=cli.SECONDS_MAX
    )
    assert not done.stdout.split(), "these take 25 MB, and a device at rest needs none of them"


@published("PM-26")
def test_without_its_model_memory_is_found_by_words(tmp_path: Path) -> None:
    async def main() -> None:
        embedder = StaticEmbedder(tmp_path / "nothing here")
        with pytest.raises(ModelUnavailable, match="expected a tokenizer at"):
            embedder.embed(["tea"])
        async with open_memory(tmp_path / "store", embedder=embedder) as (replica, mind):
            await remember(replica, "Ann moved to Lisbon", "Bob bakes bread")
            hits = await mind.recall("where is Lisbon?")
            assert [hit.memory.text for hit in hits] == ["Ann moved to Lisbon"]
            assert {found.channel for found in hits[0].found} == {"words"}
            assert isinstance(mind.trouble, ModelUnavailable)

    trio.run(main)
