"""Have the agent's host ask the person themself which side of a contradiction is true, where it can show a form."""

from collections.abc import Mapping
from typing import Any, Final

from cognition.context.fences import harmless
from cognition.contradictions.relations import subject_of

Document = Mapping[str, Any]

# The name of the one form, where answers come with the call made again.
FORM: Final = "decision"
_BOTH: Final = "both"
_LATER: Final = "later"
# So much of a value tells the sides apart on a form.
VALUE_CHARACTERS_MAX: Final = 120
# What decides; a call with none of them asks the person.
DECIDES: Final = frozenset({"keep_a", "keep_b", "keep_both", "keep", "merge"})


def question(contradiction: Document) -> str:
    """Return what the person is asked."""
    subject = subject_of(contradiction["entity"], contradiction["relation"], in_words=True)
    return harmless(f"{subject}which is true?")


def form(contradiction: Document) -> dict[str, Any]:
    """Return the form: one side, both, or not now; and since when, where it changed."""
    sides = _sides(contradiction)
    return {
        "type": "object",
        "properties": {
            "true": {
                "type": "string",
                "title": "What is true",
                "enum": [*(side["rid"] for side in sides), _BOTH, _LATER],
                "enumNames": [*map(_words, sides), "All of it", "Ask me later"],
            },
            "since": {
                "type": "string",
                "title": "Since when, if it changed",
                "description": "a day, or words such as 'last March'; empty if the other was never true",
            },
        },
        "required": ["true"],
    }


def decision(contradiction: Document, content: Document) -> dict[str, Any] | None:
    """Return what `contradictions resolve` is asked for an answer to the form; None where it stays open.

    `content` is what the host sent, and nothing vouches for it: what is no side of this contradiction decides nothing.
    """
    chosen, since = content.get("true"), content.get("since")
    rids = [side["rid"] for side in _sides(contradiction)]
    if chosen == _BOTH:
        return {"keep_both": True}
    if chosen not in rids:
        return None
    if len(rids) > 2:
        decided: dict[str, Any] = {"keep": chosen}
    else:
        decided = {"keep_a": True} if chosen == rids[0] else {"keep_b": True}
    return {**decided, "since": since.strip()} if isinstance(since, str) and since.strip() else decided


def _sides(contradiction: Document) -> list[Document]:
    return [contradiction["a"], contradiction["b"], *contradiction["others"]]


def _words(side: Document) -> str:
    value = str(side["value"])
    cut = value if len(value) <= VALUE_CHARACTERS_MAX else f"{value[: VALUE_CHARACTERS_MAX - 1]}…"
    told = ", ".join(filter(None, (side["speaker"], (side["told_at"] or "")[:10])))
    return harmless(f"{cut} ({told})" if told else cut)
