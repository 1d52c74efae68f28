"""Call the command line in this process: all that the command does once Python is up."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Said:
    """What a call printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document."""
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)


Call = Callable[..., Said]


def remember(call: Call, text: str, *words: str) -> str:
    """Remember a text and return its id."""
    said = call("remember", text, *words, "--json")
    assert said.code == 0, said
    return str(said.json["rid"])
