"""Tell who the owner of a memory is by the names under which things are told, and who is no person at all.

What is told under no name is the owner's, and so is what was told by "me", or by the "user" of a chat. The entry `name`
of the profile is one more name of theirs, and so is its first word; where the entry `aliases` is set, its names stand
in place of these ("-": none does). They are registers that all devices share, so all read alike who is one person; an
entry that is cleared takes them apart again, since no claim is written anew for it.

Assistants answer in the first person too, and nothing that they say of themselves is so of anybody.
"""

from typing import Final, NamedTuple

from cognition.contradictions.values import folded, slot_id
from cognition.words import OWNER

# More names are a list of people.
ALIASES_MAX: Final = 20
_SELVES: Final = """
    i me myself user human ich mich yo je moi io eu ja ik mij я owner self
"""
_ALWAYS: Final = frozenset({*_SELVES.split(), OWNER, "the user", "the human", "the owner"})
_ASSISTANTS: Final = """
    assistant ai bot chatbot chatgpt gpt claude gemini copilot model system
"""
_ASSISTANTS_NAMES: Final = frozenset(_ASSISTANTS.split())


class Selves(NamedTuple):
    """By what names the owner is called, beside those that everybody is: folded."""

    names: frozenset[str] = frozenset()

    def is_own(self, speaker: str | None) -> bool:
        """Say whether what is told under this name is the owner's own word."""
        if speaker is None:
            return True
        name = folded(speaker)
        return name in _ALWAYS or name in self.names

    def named(self, entity: str) -> str:
        """Return by which name an entity is compared: the owner's, and their sister's, by one."""
        whose, of, what = folded(entity).partition("'s ")
        return f"{OWNER}{of}{what}" if whose in _ALWAYS or whose in self.names else entity

    def slot(self, workspace: str | None, entity: str, relation: str) -> bytes:
        """Return the id of a slot, alike on every device."""
        return slot_id(workspace, self.named(entity), relation)


def is_assistant(speaker: str | None) -> bool:
    """Say whether this is the name of a program that answers people."""
    return speaker is not None and folded(speaker) in _ASSISTANTS_NAMES


def names_in(name: str, aliases: str | None) -> frozenset[str]:
    """Return by what names the profile says that the owner is called."""
    if aliases is not None:
        return frozenset(
            one for each in aliases.split(",")[:ALIASES_MAX] if (one := folded(each)) not in ("", "-")
        )
    told = folded(name)
    return frozenset({told, told.partition(" ")[0]} - {""})
