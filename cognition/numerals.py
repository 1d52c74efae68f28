"""Write the numbers of a text in decimal digits before it is read: "2½" is 2.5, and "½" is no "1⁄2" of a tablet 1.

Unicode folds "½" to three characters that no reader takes for one number, and "10²" to "102". So readers of values ask
here first. What is kept and shown stays as it was told.
"""

import re
import unicodedata
from typing import Final

_FRACTIONS: Final = "".join(
    chr(code) for code in (*range(0xBC, 0xBF), *range(0x2150, 0x215F), 0x2189)
)  # ¼ to ¾, ⅐ to ⅞, ↉
# "2½", "2 ½", "2 1⁄2"; more digits than these before a half are a name.
_FRACTION: Final = re.compile(
    rf"(?<![\d.,:/])(?:(?P<whole>\d{{1,6}})[ \u00a0\u2009\u202f]?)?"
    rf"(?:(?P<sign>[{_FRACTIONS}])|(?<!\d)(?P<above>\d{{1,3}})\u2044(?P<below>\d{{1,3}}))(?!\d)"
)
_SIGNS: Final = re.compile(rf"[{_FRACTIONS}\u2044]")
# A number with what stands on it: marks count as letters.
_MARKED: Final = re.compile(r"\d[\d.,]*([^\W\d_]+)")
# As many digits as anybody measures a third with.
_FRACTION_DIGITS: Final = 4
_GROUP: Final = 3


def in_decimals(text: str) -> str:
    """Return a text with its fractions in decimals, and without numbers that have an exponent or a mark on them.

    "10²" is neither 10 nor 102: nothing is read of it. A letter keeps what it has, as in "m²".
    """
    if text.isascii():
        return text
    if _SIGNS.search(text) is not None:
        text = _SIGNS.sub(" ", _FRACTION.sub(_decimal, text))
    return _MARKED.sub(_unmarked, text)


def _decimal(match: "re.Match[str]") -> str:
    whole = int(match["whole"] or 0)
    if match["sign"]:
        part = unicodedata.numeric(match["sign"])
    elif int(match["below"]):
        part = int(match["above"]) / int(match["below"])
    else:
        return " "
    told = f"{whole + round(part, _FRACTION_DIGITS):.10g}"
    # "2.125" might be two thousand.
    return f"{told}0" if len(told.partition(".")[2]) == _GROUP else told


def _unmarked(match: "re.Match[str]") -> str:
    return " " if unicodedata.category(match[1][0]) == "No" else match[0]
