"""A server of files that answers as nobody honest would: it costs its own files time, and a device nothing else."""

import time

import pytest

from sync.mailbox.storage import meaning

# Each of these took a device minutes to hours, in which it answered nobody.
LONG = 1 << 20
SECONDS_MAX = 1.0


@pytest.mark.parametrize("letter", ["a", "\n", " ", "Source:\n", "://", "Source:\n\n a://"])
@pytest.mark.parametrize("where", ["what it said", "the source"])
def test_an_error_is_understood_at_once_however_long_it_is(letter: str, where: str) -> None:
    """What a server sent that is no listing stands in the error, as long as it was."""
    sent = letter * (LONG // len(letter))
    said, source = (sent, "") if where == "what it said" else ("deserialize xml", f"\nSource:\n   {sent}\n")
    began = time.monotonic()
    meant = meaning(
        "Unexpected", f"Unexpected (permanent) at list => {said}\n\nContext:\n   path: /\n{source}"
    )
    assert time.monotonic() - began < SECONDS_MAX
    assert len(str(meant)) < 1_000
