"""What memory means to an agent; reads the replica, writes only ops."""

from typing import TYPE_CHECKING

from replica.lazily import exports

if TYPE_CHECKING:
    from cognition.background.queue import QueueRow, QueueState
    from cognition.context.block import TOKENS_DEFAULT, Context
    from cognition.embedding.embedder import Embedder
    from cognition.embedding.hashed import HashedEmbedder
    from cognition.embedding.static import StaticEmbedder
    from cognition.errors import CognitionError, IndexStale, InvalidQuery, ModelUnavailable
    from cognition.extraction import FACTS_MAX, Extraction
    from cognition.filters import Filters
    from cognition.ingest.plan import TakenIn, read_text, take_in
    from cognition.memories import RECALLED, Shown, read_memories
    from cognition.mind import Cognition, open_mind
    from cognition.past import PastMind
    from cognition.recall.explain import ExplainedStage
    from cognition.recall.stages import K_DEFAULT, CandidateReason, RankedMemory
    from cognition.tables import CognitionTables

__all__ = [
    "FACTS_MAX",
    "K_DEFAULT",
    "RECALLED",
    "TOKENS_DEFAULT",
    "CandidateReason",
    "Cognition",
    "CognitionError",
    "CognitionTables",
    "Context",
    "Embedder",
    "ExplainedStage",
    "Extraction",
    "Filters",
    "HashedEmbedder",
    "IndexStale",
    "InvalidQuery",
    "ModelUnavailable",
    "PastMind",
    "QueueRow",
    "QueueState",
    "RankedMemory",
    "Shown",
    "StaticEmbedder",
    "TakenIn",
    "open_mind",
    "read_memories",
    "read_text",
    "take_in",
]

if not TYPE_CHECKING:
    __getattr__ = exports(
        __name__,
        {
            "background.queue": ("QueueRow", "QueueState"),
            "context.block": ("TOKENS_DEFAULT", "Context"),
            "embedding.embedder": ("Embedder",),
            "embedding.hashed": ("HashedEmbedder",),
            "embedding.static": ("StaticEmbedder",),
            "errors": ("CognitionError", "IndexStale", "InvalidQuery", "ModelUnavailable"),
            "extraction": ("FACTS_MAX", "Extraction"),
            "filters": ("Filters",),
            "ingest.plan": ("TakenIn", "read_text", "take_in"),
            "memories": ("RECALLED", "Shown", "read_memories"),
            "mind": ("Cognition", "open_mind"),
            "past": ("PastMind",),
            "recall.explain": ("ExplainedStage",),
            "recall.stages": ("K_DEFAULT", "CandidateReason", "RankedMemory"),
            "tables": ("CognitionTables",),
        },
    )
