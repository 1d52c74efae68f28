"""Refuse what looks secret where nothing can be held back: an entry of the profile, a block, an edge, a merge.

These are no memories to be, and what they write is on its way to every device at once. Whoever means it can still
remember it, and decide there.
"""

from collections.abc import Iterable

from cognition.ingest.holding import secret_kinds
from samemind.errors import Usage


def refuse_secret(text: str, *, known: Iterable[str] = ()) -> None:
    """Raise unless a text is free of secrets, but for those that `known` texts, written before, hold already."""
    kinds = secret_kinds(text, {}, known=list(known))
    if kinds:
        raise Usage(
            f"this looks like a secret ({', '.join(kinds)}), and it would go to every device at once",
            code="secret",
            hint="`samemind remember` holds what looks secret until you release it",
        )
