"""What is returned of memories that were forgotten."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten: the memories named, those that said the same, and (`facts`) the facts taken from them.

    `tellings` counts the memories without their facts.

    After an erasure: the devices that have confirmed that nothing is left there, and those that have not yet.
    """

    rids: list[str]
    confirmed_by: list[str]
    outstanding: list[str]
    facts: list[str] = field(default_factory=list)
    tellings: int = 0
