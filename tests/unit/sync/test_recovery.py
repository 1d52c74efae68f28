"""The recovery code on paper: read as it was printed, and no other."""

import pytest

from replica.signing import verify
from sync.errors import InvalidRecoveryCode
from sync.recovery import SECRET_WORDS, RecoveryCode

CODE = RecoveryCode(bytes(range(SECRET_WORDS)))
PRINTED = (
    "acorn album alpine amber anchor apple apron arch aspen atlas attic autumn badge bagel bamboo banjo tiger"
)
PUBLIC_KEY = "869f9fb8071942a4fe391d57175c038550edd3d1f9d9b029c32c205ac3065f1c"
DEVICE = "1aef13e0e7f37c9853ed71c32e9cff291e9dff3e3bdd713f2aacbcccb0008396"


def test_a_code_that_was_printed_years_ago_is_the_key_that_it_was() -> None:
    code = RecoveryCode.parse(PRINTED)
    assert (code, str(code)) == (CODE, PRINTED)
    assert (code.public_key.hex(), code.id.hex()) == (PUBLIC_KEY, DEVICE)


def test_what_was_printed_is_read_as_it_was_however_it_is_typed() -> None:
    wide = "".join(chr(ord(each) + 0xFEE0) if each != " " else each for each in str(CODE))
    for text in (str(CODE), str(CODE).upper(), str(CODE).replace(" ", "\n- "), f"  {CODE}. ", wide):
        assert RecoveryCode.parse(text) == CODE
    assert len(str(CODE).split()) == SECRET_WORDS + 1


def test_the_key_follows_from_the_words_and_stays_what_it_was() -> None:
    assert verify(CODE.public_key, b"so be it", CODE.sign(b"so be it"))
    assert CODE.id.hex() == RecoveryCode.parse(str(CODE)).id.hex()
    assert CODE.id != RecoveryCode(bytes(SECRET_WORDS)).id
    assert RecoveryCode.draw(lambda count: bytes(range(count))) == CODE


def test_a_slip_is_noticed() -> None:
    words = str(CODE).split()
    noticed = 0
    for at in range(len(words)):
        for other in ("maple", "otter", "zephyr"):
            wrong = [*words[:at], other, *words[at + 1 :]]
            if wrong != words:
                try:
                    RecoveryCode.parse(" ".join(wrong))
                except InvalidRecoveryCode:
                    noticed += 1
    assert noticed >= 3 * len(words) - 3, "one in 256 slips passes the check"
    for text in ("", " ".join(words[:-1]), " ".join([*words, words[0]]), " ".join(["samemin", *words[1:]])):
        with pytest.raises(InvalidRecoveryCode, match="expected"):
            RecoveryCode.parse(text)


def test_an_error_names_no_more_of_a_word_than_helps_to_find_it() -> None:
    with pytest.raises(InvalidRecoveryCode) as raised:
        RecoveryCode.parse(" ".join(["x" * 10_000, *str(CODE).split()[1:]]))
    assert len(str(raised.value)) < 100


def test_it_is_kept_out_of_logs() -> None:
    assert not set(repr(CODE).split()) & set(str(CODE).split())
