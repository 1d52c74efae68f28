"""Tell what each of the five stages of a recall did, for whoever asked for an explanation."""

from collections.abc import Mapping
from typing import NamedTuple

from cognition.ranking.classes import classify
from cognition.recall.stages import Ranked, RankedMemory


class TraceStage(NamedTuple):
    """One stage, by the name that memlocal gives it, and what there is to say of it."""

    name: str
    told: Mapping[str, object]


def trace(ranked: Ranked, hits: list[RankedMemory]) -> list[TraceStage]:
    """Return the stages in their order: classify, generate, fuse, rerank, assemble (ML-56)."""
    query = ranked.pool.query
    kind = classify(query.text)
    channels = {channel: len(found) for channel, found in sorted(ranked.lists.items()) if found}
    classified: dict[str, object] = {
        "class": kind.name,
        "context": kind.context,
        "variants": dict(query.variants),
    }
    if query.event is not None:
        side, words = query.event
        classified["event"] = {"side": side.value, "words": words, "found": ranked.anchor is not None}
    return [
        TraceStage("classify", classified),
        TraceStage("generate", {"channels": channels}),
        TraceStage("fuse", {"candidates": len(ranked.pool)}),
        TraceStage(
            "rerank", {"scored": len(ranked.pool), **(ranked.reread._asdict() if ranked.reread else {})}
        ),
        TraceStage("assemble", {"shown": len(hits)}),
    ]
