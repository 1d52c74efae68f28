"""What a memory says, in the form in which it is compared, as whoever stores it gives it."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from replica.json_text import parse_json
from samemind.errors import Usage

if TYPE_CHECKING:
    from cognition.extraction.values import Statement

# What one memory may claim by word of who tells it; what says more is a table.
CLAIMS_MAX: Final = 16
# A claim as it is written, and what may stand behind it.
CLAIM: Final = "'Ann works_at: Stripe'; behind it '; since March 2025', '; of gross', '; mode goal'"
STATE: Final = "state"
_SHAPE: Final = re.compile(
    r"(?P<entity>\S.*?)\s+(?P<attribute>[^\s:;]+(?::[^\s:;]+)*)\s*:\s+(?P<value>.+)", re.DOTALL
)
_BEHIND: Final = re.compile(r"\s*;\s*(?P<name>since|of|mode)\s+(?P<told>[^;]+?)\s*$", re.IGNORECASE)
# Since when something holds is often known by its month or year only.
_MONTH: Final = re.compile(r"(\d{4})(?:-(\d\d))?")
_KEYS: Final = frozenset(["entity", "attribute", "value", "unit", "of", "mode", "since"])
_NEEDED: Final = ("entity", "attribute", "value")
# How agents call what the readers know under one name.
_CALLED: Final = {
    "employer": "works_at", "employed_by": "works_at", "works_for": "works_at", "job_at": "works_at",
    "lives_at": "lives_in", "home": "lives_in", "residence": "lives_in", "city": "lives_in", "town": "lives_in",
    "born_on": "birthday", "birth_date": "birthday", "date_of_birth": "birthday", "husband": "spouse",
    "wife": "spouse", "married_to": "spouse", "allergic_to": "allergy",
}  # fmt: skip
# Who speaks of themselves.
_SELF: Final = frozenset(
    ["i", "me", "myself", "user", "the_user", "ich", "yo", "je", "io", "eu", "ik", "ja", "я"]
)


def claims_of(
    given: Sequence[str], *, speaker: str | None, text: str, now_ms: int
) -> "tuple[Statement, ...]":
    """Return what is claimed; `Usage` where one is not written as a claim is, is too long, or looks secret."""
    from cognition.ingest.holding import secret_kinds

    if len(given) > CLAIMS_MAX:
        raise Usage(f"expected at most {CLAIMS_MAX} claims, got {len(given)}", code="invalid")
    for each in given:
        if secret_kinds(each, {}, known=[text]):
            raise Usage("a claim looks secret", code="invalid", hint="nothing was stored; leave it out")
    return tuple(dict.fromkeys(_statement(_parts(each), speaker, now_ms) for each in given))


def _parts(given: str) -> dict[str, str]:
    """Return the parts of a claim, written as a line or as a JSON object."""
    if given.lstrip().startswith("{"):
        return _of_object(given)
    line, behind = given.strip(), dict[str, str]()
    while (match := _BEHIND.search(line)) is not None:
        if (name := match["name"].lower()) in behind:
            raise Usage(f"expected one {name!r} in a claim, got two: {given!r:.80}", code="invalid")
        behind[name] = match["told"]
        line = line[: match.start()]
    match = _SHAPE.fullmatch(line)
    if match is None:
        raise Usage(f"expected a claim like {CLAIM}; got {given!r:.80}", code="invalid")
    return {**match.groupdict(), **behind}


def _of_object(given: str) -> dict[str, str]:
    try:
        told: Any = parse_json(given)
    except ValueError as error:
        raise Usage(f"expected a claim as a JSON object: {error}", code="invalid") from None
    missing = [name for name in _NEEDED if told.get(name) in (None, "")]
    other = sorted(told.keys() - _KEYS)
    if missing or other:
        wrong = f"no {missing[0]}" if missing else f"{other[0]!r:.40}"
        raise Usage(
            f"expected a claim with {', '.join(_NEEDED)}, and perhaps unit, of, mode, since; got {wrong}",
            code="invalid",
        )
    parts = {name: value for name, value in told.items() if value is not None}
    for name, value in parts.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise Usage(f"expected text or a number as {name} of a claim, got {value!r:.40}", code="invalid")
    told = {
        name: f"{value:.15g}" if isinstance(value, float) else str(value) for name, value in parts.items()
    }
    unit = told.pop("unit", "")
    return {**told, "value": f"{told['value']} {unit}".strip()}


def _statement(parts: Mapping[str, str], speaker: str | None, now_ms: int) -> "Statement":
    from cognition.contradictions.reading import place_relation
    from cognition.contradictions.relations import MODES
    from cognition.contradictions.values import folded
    from cognition.extraction.values import Statement
    from cognition.words import OWNER
    from samemind.formats.times import read_when

    entity, value = (" ".join(parts[name].split()) for name in ("entity", "value"))
    mode = parts.get("mode", STATE).strip().lower()
    if mode != STATE and mode not in MODES:
        raise Usage(
            f"expected {', '.join((STATE, *MODES))} as mode of a claim, got {mode!r:.40}", code="invalid"
        )
    relation, _, rest = re.sub(r"[\s-]+", "_", folded(parts["attribute"])).partition(":")
    relation = place_relation(_CALLED.get(relation, relation), value)
    about = [
        *filter(None, [rest.replace("_", " ")]),
        *sorted(folded(each) for each in parts.get("of", "").split(",")),
    ]
    relation = ":".join(filter(None, [*([mode] * (mode != STATE)), relation, " ".join(filter(None, about))]))
    if folded(entity).replace(" ", "_") in _SELF:
        entity = speaker or OWNER
    _check(entity=entity, attribute=relation, value=value)
    since = parts.get("since")
    if since is not None and (month := _MONTH.fullmatch(since.strip())) is not None:
        since = f"{month[1]}-{month[2] or '01'}-01"
    valid_from = None if since is None else read_when(since, name="since", now_ms=now_ms)
    return Statement(entity, relation, value, valid_from=valid_from)


def _check(**told: str) -> None:
    from cognition.contradictions.telling import NAME_CHARACTERS_MAX
    from replica import InvalidOp
    from replica.codec import check_text

    for name, value in told.items():
        if not 0 < len(value) <= NAME_CHARACTERS_MAX:
            raise Usage(
                f"expected a claim's {name} of at most {NAME_CHARACTERS_MAX} characters, got {len(value)}",
                code="invalid",
            )
        try:
            check_text(value)
        except InvalidOp as error:
            raise Usage(f"{name} of a claim: {error}", code="invalid") from None
