"""No text, whoever wrote it in whatever letters, makes a reader of texts raise."""

import unicodedata
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from cognition.contradictions.amounts import same_amount
from cognition.contradictions.reading import read_statements
from cognition.contradictions.values import compatible
from cognition.extraction.secrets import masked
from cognition.grammar.attributes import attributes, differ
from cognition.grammar.pairing import disagreements
from cognition.grammar.typed import read_claims, told_by
from cognition.ingest.plan import dated, read_text
from cognition.judging.nominees import Near, explained, nominees
from cognition.numerals import in_decimals
from cognition.reminding.reading import read_moment, read_reminder
from cognition.times import windows
from cognition.wordings.tables import checked

NOW = datetime(2026, 11, 27, 5, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1_000)


@cache
def numerals() -> list[str]:
    """Whatever Unicode calls a number, and what folds to something with a digit in it.

    Asked for by the first text that is drawn: each worker imports this file, and looking at all signs takes a second.
    """
    return [
        sign
        for sign in map(chr, range(0x20, 0x110000))
        if unicodedata.category(sign) != "Cs"
        and not sign.isascii()
        and (
            unicodedata.numeric(sign, None) is not None
            or any(letter.isdigit() for letter in unicodedata.normalize("NFKD", sign))
        )
    ]


WORDS = """
    Take tablet at 8 years old cups kg mg € $ remind me to call tomorrow every on the of March März in hours half an
    hour uhr h : . , / - x 1.2.3 1:2:3 1/2 2026-12-01 Ann lives in Berlin works at I am my is turned have kids two
    birthday born phone number floor price costs rent month per a open from 14 until 16 st º % k ago last first weeks pm
    год через завтра в часов кг la las à demain dans od do ' ( ) ? – code PIN since
"""
PIECES = st.one_of(
    st.sampled_from(WORDS.split()),
    st.deferred(lambda: st.sampled_from(numerals())),
    st.sampled_from("½¼¾⅓⁄²①❻Ⅻ五"),
    st.integers(0, 10**40).map(str),
    st.just("9" * 400),
    st.characters(),  # lone surrogates too
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["", " ", " ", "\n"])), max_size=16).map(
    lambda pieces: "".join(piece + behind for piece, behind in pieces)
)


@given(TEXTS, TEXTS)
@example("Take ½ tablet at 8", "2½ years old")
@example("1½ cups", "½code")
@example("Meeting on ❻ March", "① at ፰")
@example("hour " + "9" * 400 + ".5 hours", "8 hours")
@example("1.2.3 kg 1:2:3 1⁄0", "$ ፰")
@example("\ud800½", "\udfff 5")
def test_no_reader_of_texts_raises(told: str, before: str) -> None:
    for text in (told, before):
        in_decimals(text)
        windows(text, NOW_MS)
        read_reminder(text, NOW)
        read_moment(text, NOW)
        told_by(read_claims(text), before)
        read_statements(text, told_at_ms=NOW_MS, speaker=before)
        read_text(text, {"speaker": "Sam"}, now_ms=NOW_MS)
        dated(text, {}, now_ms=NOW_MS)
        masked(text)
        checked((before, text[:200]), text)
    for one, another in ((told, before), (told, told)):
        for a in attributes(one):
            for b in attributes(another):
                differ(a, b)
        disagreements(read_claims(one), read_claims(another), 0.6)
        disagreements(read_claims(another), read_claims(one), 0.6)
        near = [Near(1, another, 0.7), Near(2, another, None)]
        assert all(map(explained, nominees(one, near)))
    for value, other in pairwise([told, before, *told.split(), *before.split()]):
        same_amount(value, other)
        compatible(value, other)


@given(
    st.deferred(lambda: st.sampled_from(numerals())),
    st.sampled_from(["{}", "{} kg", "$ {}", "5{}", "5 {} h", "in {} hours", "{}:30"]),
)
def test_every_numeral_alone_is_an_amount_or_none(sign: str, written: str) -> None:
    text = written.format(sign)
    for each in attributes(text):
        assert not isinstance(each.value, float) or each.value >= 0
    same_amount(text, "5 kg")
    windows(text, NOW_MS)
    read_moment(text, NOW)
