"""Other words for a memory, as whoever stores it gives them."""

from collections.abc import Sequence
from typing import Final

from samemind.errors import Usage

# As many as are kept (cognition.wordings.tables.WORDINGS_MAX), which is loaded only where there are any.
WORDINGS_MAX: Final = 3


def wordings_of(given: Sequence[str], text: str) -> list[str]:
    """Return the other words for a text that are kept; `Usage` where they are too many or too long, or look secret."""
    from cognition.ingest.holding import secret_kinds
    from cognition.wordings.tables import CHARACTERS_MAX, checked

    if len(given) > WORDINGS_MAX:
        raise Usage(f"expected at most {WORDINGS_MAX} wordings, got {len(given)}", code="invalid")
    for each in given:
        if len(each) > CHARACTERS_MAX:
            raise Usage(
                f"expected a wording of at most {CHARACTERS_MAX} characters, got {len(each)}", code="invalid"
            )
        if secret_kinds(each, {}, known=[text]):
            raise Usage("a wording looks secret", code="invalid", hint="nothing was stored; leave it out")
    return checked(given, text)
