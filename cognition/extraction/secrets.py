"""Find keys, tokens and card numbers in a text, so that none becomes a memory unasked.

Memory is copied to every device and handed to models; a password that slipped into a talk is wanted in neither
place. Each detector knows one shape and, where the shape alone proves little, a second sign: a card number has
to pass its check digit, a word after "password:" has to look made up. Precision matters as much as in facts:
what is held back is not remembered until somebody says so.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

# Longer texts are looked at as far as this: a secret further in came with a document, not with talk.
CHARACTERS_MAX: Final = 1_000_000
# Bits a character: words of a language lie near 3, made-up ones of this length above 3.2.
_ENTROPY_MIN: Final = 3.2
_MADE_UP_CHARACTERS_MIN: Final = 20
_CARD_DIGITS: Final = range(13, 20)


class SecretSpan(NamedTuple):
    """Where something secret stands in a text, and what it looks like."""

    kind: str
    start: int
    end: int


class _Detector(NamedTuple):
    kind: str
    needles: tuple[str, ...]
    """In small letters: a text that has none of them is not searched. Most texts have none of any."""
    shape: re.Pattern[str]
    holds: Callable[[str], bool] = bool


def _is_card(found: str) -> bool:
    digits = [int(letter) for letter in found if letter.isdecimal()]
    if len(digits) not in _CARD_DIGITS or len(set(digits)) == 1:
        return False
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (doubled + sum(digits[::-2])) % 10 == 0


def _is_made_up(found: str) -> bool:
    """Say whether a word was made by a machine, or by somebody who was told to mix letters, digits and marks."""
    if re.search(r"\s", found):
        return False
    kinds = sum(bool(re.search(kind, found)) for kind in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w\s]"))
    return kinds >= 3 or (bool(re.search(r"\d", found)) and bool(re.search(r"[^\W\d_]", found)))


def _is_random(found: str) -> bool:
    if (
        len(found) < _MADE_UP_CHARACTERS_MIN
        or not re.search(r"\d", found)
        or not re.search(r"[A-Za-z]", found)
    ):
        return False
    counts = Counter(found).values()
    return -sum(n / len(found) * math.log2(n / len(found)) for n in counts) >= _ENTROPY_MIN


# What stands before a password in ten languages, as the hints that it may be there and as words.
_PASSWORD: Final = (
    "passw", "passphrase", "passcode", "pwd", "contraseña", "clave", "kennwort", "wachtwoord", "mot de passe", "mdp",
    "senha", "palavra-passe", "parola d", "hasł", "парол",
)  # fmt: skip
# Words that mean nothing else, so that behind their colon any word is one; the rest mean a motto, or a key, too.
_PASSWORD_ONLY: Final = (
    r"(?:\b(?:password|passwd|passphrase|pwd|contraseña|mot de passe|mdp|senha|palavra-passe|пароль)"
    r"|passwort|wachtwoord)"
)  # fmt: skip
_PASSWORD_WORD: Final = (
    rf"(?:{_PASSWORD_ONLY}|\b(?:passcode|clave|parola d['’]ordine|hasł(?:o|a|em)|парол(?:я|ем))|kennwort)\b"
    r"[\"']?"
)  # fmt: skip
# "for our wifi", "van de wifi": up to five words that begin with a preposition, or one name.
_PASSWORD_OF: Final = (
    r"(?:\s+(?:for|of|to|on|at|d[aeio]|del|dell[aoe]|d(?:ell)?['’]\w{1,30}|dei|des|du|d[ao]s|pour|para|per|van|voor|op"
    r"|fürs?|von|vom|zum|do|dla|od|от|для|до|від|к)(?:\s+[^\s:=;!?]{1,30}){0,4}?)?"
)
_NOW: Final = (
    r"(?:\s+(?:now|ahora|nueva|jetzt|nun|ora|adesso|nuova|maintenant|agora|nova|nu|teraz|теперь|тепер))?"
)
_IS: Final = rf"{_NOW}\s+(?:is|was|es|era|ist|lautet|war|è|est|c['’]est|é|luidt|to|jest|brzmi|это|це|[—–-]){_NOW}(?=\W)"
# The group `secret`, where there is one, is what `holds` judges.
_DETECTORS: Final = (
    _Detector("private key", ("-----begin",), re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")),
    _Detector("access key", ("akia", "asia"), re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    _Detector("access key", ("aiza",), re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    _Detector("token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), re.compile(r"\bgh[pousr]_[0-9A-Za-z]{36,}\b")),
    _Detector("token", ("github_pat_",), re.compile(r"\bgithub_pat_[0-9A-Za-z_]{40,}\b")),
    _Detector("token", ("glpat-",), re.compile(r"\bglpat-[0-9A-Za-z_-]{20,}")),
    _Detector("token", ("npm_",), re.compile(r"\bnpm_[0-9A-Za-z]{36}\b")),
    _Detector("token", ("pypi-",), re.compile(r"\bpypi-[0-9A-Za-z_-]{40,}")),
    _Detector("token", ("xox",), re.compile(r"\bxox[abeprs]-[0-9A-Za-z-]{10,}")),
    _Detector("token", ("sk_", "rk_"), re.compile(r"\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}\b")),
    _Detector("token", ("sk-",), re.compile(r"\bsk-(?:[a-z]+-)*(?P<secret>[0-9A-Za-z_-]{20,})"), _is_random),
    _Detector("token", ("eyj",), re.compile(r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}")),
    _Detector("token", ("bearer",), re.compile(r"\b[Bb]earer\s+(?P<secret>[0-9A-Za-z._~+/-]{20,}=*)"), _is_random),
    _Detector("password", ("://",), re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,64}:(?P<secret>[^\s:/@]{3,128})@[\w.-]")),
    _Detector(
        "password",
        _PASSWORD,
        re.compile(
            rf"{_PASSWORD_WORD}(?:{_PASSWORD_OF}{_IS}\s*[:=]?\s*|(?:{_PASSWORD_OF}|\s+\w{{1,30}})\s*[:=]\s*|\s+)"
            r"(?:[\"'`“]|«\s?)?(?P<secret>[^\s\"'`«»”,;]{6,})",
            re.IGNORECASE,
        ),
        lambda found: _is_made_up(found.rstrip(".!?")),
    ),
    _Detector(
        "password",
        _PASSWORD,
        re.compile(
            rf"{_PASSWORD_ONLY}[\"']?\s*[:=]\s*"
            r"(?P<secret>[^\s,;<{$*]{6,})",
            re.IGNORECASE,
        ),
    ),
    _Detector(
        "token",
        ("key", "token", "secret"),
        re.compile(
            r"\b(?:api[\s_-]?key|secret[\s_-]?key|access[\s_-]?token|auth[\s_-]?token|client[\s_-]?secret|secret|token)\b"
            r"[\"']?(?:\s+is)?\s*[:=]?\s*[\"'`]?(?P<secret>[0-9A-Za-z_\-+/=.]{20,})",
            re.IGNORECASE,
        ),
        _is_random,
    ),
)  # fmt: skip

_NEEDLES: Final = tuple(dict.fromkeys(needle for each in _DETECTORS for needle in each.needles))
# Most texts have none of these, which half of the needles have.
_MARKS: Final = ("_", "-", "pass")
_NEEDLES_BY_MARK: Final = tuple(
    (mark, tuple(each for each in _NEEDLES if mark == next((one for one in _MARKS if one in each), "")))
    for mark in ("", *_MARKS)
)
# The first digit stands by itself: so Python looks for that, and tries nothing else where there is none.
_EIGHT_DIGITS: Final = re.compile(r"\d\d{3}[ -]?\d{4}")
_CARD: Final = _Detector(
    "card",
    (),
    re.compile(
        r"(?<![\w.-])(?:[3-6]\d{3}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?![\w-])"
    ),
    _is_card,
)


def secrets(text: str) -> list[SecretSpan]:
    """Return what looks secret in a text, in its order."""
    text = text[:CHARACTERS_MAX]
    if not (detectors := _hinted(text)):
        return []
    found = sorted(_found(text, detectors), key=lambda each: (each.start, -each.end))
    apart: list[SecretSpan] = []
    for each in found:
        if not apart or each.start >= apart[-1].end:
            apart.append(each)
    return apart


def masked(text: str) -> str:
    """Return a text as it can be shown: every secret as dots, but for its first two characters."""
    parts, at = [], 0
    for each in secrets(text):
        parts += [text[at : each.start], text[each.start : each.start + 2], "…"]
        at = each.end
    return "".join([*parts, text[at:]])


def _found(text: str, detectors: Sequence[_Detector]) -> Iterator[SecretSpan]:
    for kind, _, shape, holds in detectors:
        for match in shape.finditer(text):
            group = "secret" if "secret" in shape.groupindex else 0
            if holds(match[group]):
                yield SecretSpan(kind, *match.span(group))


def _hinted(text: str) -> list[_Detector]:
    """Return the detectors that may find something. Every text that is told comes by here, so it is quick about it."""
    small = text.lower()
    hints = [
        needle for mark, needles in _NEEDLES_BY_MARK if mark in small for needle in needles if needle in small
    ]
    found = [each for each in _DETECTORS if any(needle in hints for needle in each.needles)] if hints else []
    if _EIGHT_DIGITS.search(text):
        found.append(_CARD)
    return found
