"""Read what somebody does and does no more, has never done, is fond of, and whether they have work and a partner.

Each is a slot of its own by what it is about (`habit:meat`, `ever:visited paris`), with few values, so that two of them
speak of the same thing. A habit that was given up, a first time and a wedding are changes by themselves: nobody asks
whether somebody who had never been to Paris was wrong when they said so.
"""

# ruff: noqa: E501 - a pattern is easier to read on one line than in pieces

import re
from collections.abc import Iterator
from typing import Final

from cognition.contradictions.values import folded
from cognition.contradictions.wording import asks, thing_of
from cognition.expressions import late
from cognition.extraction.clauses import Clause
from cognition.extraction.names import NAME, is_name
from cognition.extraction.values import Statement

DOES: Final = "yes"
DOES_NOT: Final = "no"
# What somebody does is told in few words; more are a story, and many patterns read it.
_PREDICATE_CHARACTERS_MAX: Final = 200

# What is done without saying to what; the key of such a habit is the verb.
_ALONE: Final = {
    "smoke": "smoking", "vape": "vaping", "gamble": "gambling", "run": "running", "jog": "jogging", "swim": "swimming",
    "surf": "surfing", "ski": "skiing", "meditate": "meditating", "knit": "knitting", "paint": "painting",
    "dance": "dancing", "box": "boxing", "cycle": "cycling", "hike": "hiking", "journal": "journaling",
    "volunteer": "volunteering", "blog": "blogging", "drive": "driving",
}  # fmt: skip
# What is done to something; the key is what it is done to: who gives up coffee drinks none.
_WITH: Final = {"eat": "eating", "drink": "drinking", "play": "playing", "practice": "practicing", "practise": "practising", "use": "using", "watch": "watching", "do": "doing"}  # fmt: skip
_BASE: Final = "|".join([*_ALONE, *_WITH])
_GERUNDS: Final = {gerund: verb for verb, gerund in (_ALONE | _WITH).items()}
_THIRD: Final = {f"{verb}es" if verb == "do" or verb.endswith("ch") else f"{verb}s": verb for verb in (*_ALONE, *_WITH)}  # fmt: skip
# "Do" and "watch" take anything; these are habits.
_DONE: Final = frozenset(
    [
        "yoga",
        "pilates",
        "crossfit",
        "karate",
        "judo",
        "ballet",
        "gymnastics",
        "weights",
        "tv",
        "television",
        "anime",
        "sports",
        "football",
        "basketball",
    ]
)
# What is given up by its name alone; hope and school are given up otherwise.
_GIVEN_UP: Final = (
    r"coffee|caffeine|alcohol|meat|red meat|sugar|soda|dairy|gluten|bread|chocolate|candy|wine|beer|cigarettes|tobacco|nicotine|fast food|junk food"
    r"|social media|facebook|instagram|twitter|tiktok|gaming|video games|yoga|guitar|piano|violin|tennis|football|soccer|basketball|golf"
)
_OFTEN: Final = (
    r"(?: (?:(?:every|each|most) [\w ]++|daily|weekly|regularly|often|a lot|all the time|for fun|again|(?:once|twice|\w+ times) (?:a|per) \w+"
    r"|on (?:\w+days?|weekends)|in the (?:morning|evening|afternoon)s?|these days|nowadays|now|too|as well))*$"
)
_MORE: Final = r"(?P<tail>(?: (?:any ?more|any longer|at all|altogether|entirely|completely|for good|now|these days|nowadays|either))*)$"
_OBJECT: Final = r"(?: (?P<object>(?!(?:every|each|most|daily|weekly|regularly|often|a lot(?! of)|all the|once|twice|on|in|these|for)\b)[A-Za-z][\w' -]*?))?"
_HABIT: Final = late(rf"(?P<verb>{_BASE}|{'|'.join(_THIRD)}){_OBJECT}{_OFTEN}")
_DENIED: Final = late(
    rf"(?P<how>don['’]t|doesn['’]t|do not|does not|no longer) (?:(?:really|actually|even|ever) )?(?P<verb>{_BASE}|{'|'.join(_THIRD)}){_OBJECT}{_MORE}"
)
_QUIT: Final = late(
    rf"(?:have |has )?(?:quit|stopped|gave up|given up|sworn off|swore off|cut out|am done with|is done with) (?:(?P<gerund>{'|'.join(_GERUNDS)}){_OBJECT}|(?P<named>{_GIVEN_UP})){_MORE}",
    re.IGNORECASE,
)
_USED_TO: Final = late(rf"used to (?P<verb>{_BASE}){_OBJECT}{_OFTEN}")
_NOT_LATELY: Final = late(
    r"(?:haven['’]t|hasn['’]t) (?P<did>had|eaten|drunk|smoked|played|touched)(?: (?:any|a|an|the|my))?(?: (?P<object>[A-Za-z][\w' -]*?))? (?:in|for) (?:months|years|weeks|(?:\w+ )?(?:\w+ )?(?:months|years))$"
)
_GYM: Final = late(
    rf"(?:(?P<no>don['’]t|doesn['’]t|no longer) )?(?:go|goes|hit|hits) (?:to )?the gym(?:{_MORE}|{_OFTEN})"
)
_NO_GYM: Final = late(r"(?:have |has )?(?:quit|stopped) (?:going to )?the gym$")
_AGAIN: Final = late(r"\b(?:again|now|nowadays|these days|started|back to)\b")
_AMOUNT: Final = late(r"^(?:any|some|much|lots of|a lot of|no|the|my|a|an) ", re.IGNORECASE)

_EVER: Final = {
    "been to": "visited", "visited": "visited", "went to": "visited", "travelled to": "visited", "traveled to": "visited", "flew to": "visited",
    "tried": "tried", "seen": "seen", "saw": "seen", "watched": "seen", "read": "read", "ridden": "ridden", "rode": "ridden",
}  # fmt: skip
_DID: Final = "|".join(_EVER)
_NEVER: Final = late(rf"(?:(?:have|has) )?never (?:once |actually )?(?P<did>{_DID}) (?P<object>[\w' -]+?)(?: before| in my life| yet| either)*$")  # fmt: skip
_ONCE: Final = late(rf"(?:(?:have|has) )?(?P<did>{_DID}) (?P<object>[\w' -]+?)(?: (?:with|for|in|on|and|to|at|by|once|twice|too|again|together) .*| once| twice| too| again| together| yet| before)?$")  # fmt: skip

_SOMETHING: Final = late(r"(?:some|any|no)(?:one|body|where)?\b|new\b|different\b", re.IGNORECASE)

_FAN: Final = late(
    r"(?:am|is|are) (?P<no>not )?(?:such |really |much of )?(?:an? )?(?:(?:big|huge|massive|great|total|real) )?(?:fan of|into) (?P<value>[^,.;!?()]+)"
)
_FAN_AFTER: Final = late(
    r"(?:am|is) (?P<no>not )?(?:really )?an? (?:(?:big|huge|massive|great|total|real) )*(?!(?:big|huge|massive|great|total|real) )(?P<value>[\w'-]+(?: [\w'-]+)?) (?:fan|lover)$"
)

_NO_WORK: Final = late(
    r"(?:(?:have|has) )?(?:lost (?:my|his|her|their) job|(?:got|was|were|been) (?:just )?(?:laid off|fired(?! up\b)|let go)|(?:am|is) (?:unemployed|between jobs|out of (?:work|a job)|jobless)"
    r"|(?:quit|left|resigned from) (?:my|his|her|their) (?:\w+ )?job|(?:am|is) retired|retired(?= |$)(?! from ))(?! (?:(?:to|for|and|early|late|on time|at (?:\d|noon|midnight|half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))\b))"
)
_NEW_WORK: Final = late(
    r"\b(?:started|starting|got|landed|found|accepted|took|enjoy\w*|lov(?:e|es|ed|ing)|with|at|in) (?:my|a|the|this) new (?:job|position|role)\b"
    r"(?! (?:interview|offer|application|hunt|search|opportunit|fair|market))"
)
_NO_SUBJECT: Final = late(r"(?:\w+, )?(?:just |finally )?(?:got|started|landed|found) ", re.IGNORECASE)
# "Today" may be taken for the time of it: the whole sentence tells that it was for a day.
_SENT_HOME: Final = late(r"\blet go (?:early|home|of)\b")
# Somebody is named as a partner who is one today: "my husband cooks", "my wife and I", "I love my wife".
_PARTNER: Final = late(
    rf"(?:^|[,;] |\b(?:and|but|so) |(?P<loves>\b(?:love|adore|live with|am married to) ))[Mm]y (?P<who>wife|husband|girlfriend|boyfriend|fianc[ée]e?)\b"
    rf"(?: {NAME})?(?(loves)(?=$|[.,!])|(?= and I\b| (?!always\b|sometimes\b|perhaps\b|as\b)[a-z]+s\b))"
)
# Partners of other days are told of like this.
_PARTED: Final = late(
    r"\b(?:was|were|had|used to|passed|died|dead|gone|late|left|leaves me|broke|broken|split|separated|divorc\w*|widow\w*|ex|former|college|school|back then|ago"
    r"|when (?:I|we)|(?:19|20)\d\d|funeral|grave|miss(?:ed)?|memory|remember|lost|no longer|any ?more|fake|future|imaginary)\b",
    re.IGNORECASE,
)
_STATUS_BY_PARTNER: Final = {"wife": "married", "husband": "married", "girlfriend": "dating", "boyfriend": "dating"}  # fmt: skip


def habits_of(entity: str, clause: Clause, *, for_a_while: bool) -> Iterator[Statement]:
    """Return what a clause says of what somebody does, or does not, ever did, or is fond of.

    `for_a_while` says that the sentence tells of a passing time: no habit, and no taste.
    """
    said = clause.predicate
    if len(said) > _PREDICATE_CHARACTERS_MAX:
        return
    if not for_a_while:
        yield from _habit(entity, clause)
    never = _NEVER.match(said)
    if match := never or _ONCE.match(said):
        done, thing = _EVER[match["did"]], _seen(match["did"], match["object"])
        if thing is not None:
            yield Statement(entity, f"ever:{done} {folded(thing)}", "never" if never else "has")
    if for_a_while:
        return
    for pattern in (_FAN, _FAN_AFTER):
        if (match := pattern.match(said)) and (thing := thing_of(match["value"])):
            yield Statement(entity, f"attitude:{folded(thing)}", "dislikes" if match["no"] else "likes")
            break


def _habit(entity: str, clause: Clause) -> Iterator[Statement]:
    said = clause.predicate
    if match := _QUIT.match(said):
        thing = match["named"] or _done(_GERUNDS[match["gerund"].lower()], match["object"])
        if thing:
            yield Statement(entity, f"habit:{folded(thing)}", DOES_NOT, changes=True)
    elif _NO_GYM.match(said):
        yield Statement(entity, "habit:gym", DOES_NOT, changes=True)
    elif match := _GYM.match(said):
        ended = match["no"] is not None and (match["no"] == "no longer" or "more" in (match["tail"] or ""))
        value = DOES if match["no"] is None else DOES_NOT
        yield Statement(entity, "habit:gym", value, changes=ended)
    elif match := _NOT_LATELY.match(said):
        verb = "smoke" if match["did"] == "smoked" else "eat"
        if thing := _done(verb, match["object"]):
            yield Statement(entity, f"habit:{folded(thing)}", DOES_NOT)
    elif (match := _USED_TO.match(said)) and "still" not in clause.said:
        if thing := _done(match["verb"], match["object"]):
            yield Statement(entity, f"habit:{folded(thing)}", DOES_NOT, changes=True)
    elif match := _DENIED.match(said):
        if thing := _done(_THIRD.get(match["verb"], match["verb"]), match["object"]):
            ended = match["how"] == "no longer" or "more" in match["tail"] or "longer" in match["tail"]
            yield Statement(entity, f"habit:{folded(thing)}", DOES_NOT, changes=ended)
    elif (match := _HABIT.match(said)) and (
        thing := _done(_THIRD.get(match["verb"], match["verb"]), match["object"])
    ):
        yield Statement(
            entity, f"habit:{folded(thing)}", DOES, changes=_AGAIN.search(clause.said) is not None
        )


def _done(verb: str, what: str | None) -> str | None:
    """Return what a habit is about; None where the words do not make it one."""
    if verb in _ALONE:
        return _ALONE[verb] if what is None else None
    thing = thing_of(_AMOUNT.sub("", what)) if what else None
    if thing is None or (verb in ("do", "watch") and folded(thing) not in _DONE):
        return None
    return thing


def _seen(did: str, what: str) -> str | None:
    if _EVER[did] == "visited":
        named = re.fullmatch(rf"(?:the )?({NAME})", what)
        return named[1] if named and is_name(named[1].split()[0]) else None
    thing = thing_of(what)
    if (
        thing is None
        or _SOMETHING.match(thing)
        or (_EVER[did] in ("seen", "read") and not thing[0].isupper())
    ):
        return None
    return thing


def work_and_partner(subject: str, sentence: str, clauses: list[Clause]) -> Iterator[Statement]:
    """Return whether the speaker has a partner, and anybody work, as far as a sentence says so by the way."""
    if asks(sentence):
        return
    partners = list(_PARTNER.finditer(sentence)) if "my " in sentence or "My " in sentence else ()
    for match in () if partners and _PARTED.search(sentence) else partners:
        status = _STATUS_BY_PARTNER.get(match["who"], "engaged")
        yield Statement(subject, "relationship_status", status)
    for clause in () if _SENT_HOME.search(sentence) else clauses:
        if clause.subject is not None and "'s " not in clause.subject and _NO_WORK.match(clause.predicate):
            yield Statement(clause.subject, "employment", "unemployed", changes=True)
    if " new " in sentence and _NEW_WORK.search(sentence):
        own = any(clause.spoken.lower() in ("i", "we") for clause in clauses)
        if not own and not _NO_SUBJECT.match(sentence):
            return
        yield Statement(subject, "employment", "employed", changes=True)
