"""Say how likely it is that a memory is about what was asked, from 0 to 1; unlike the score, which only orders.

A logistic of how near the question is in meaning, how far that stands above the others, how well each of its words is
met, and whether a time that it names is met. Fitted on lives, with the questions of other lives and such as nothing
answers as negatives (`python -m tests.bench.confidence`): it tells what a life is about from what it is not. Whether
the very fact is there takes a reader: near misses are told apart hardly better than by chance.
"""

from typing import Final

import numpy as np

from cognition.ranking.pool import Column

# Of the cosine, its standing, the words and the time; and what is added.
COSINE: Final = 18.30
STANDING: Final = -0.78
WORDS: Final = 4.73
TIME: Final = 1.20
ADDED: Final = -3.35
# What a memory without a vector, or one that was not looked at, is taken to be: as near as most answers.
COSINE_UNKNOWN: Final = 0.3
# Below this a memory is left out of a prompt: one answer in a hundred, and a fifth of what is about something else.
FLOOR: Final = 0.1


def confidence(cosines: Column, standings: Column, words: Column, times: Column) -> Column:
    """Return a confidence for each memory."""
    told = COSINE * cosines + STANDING * standings + WORDS * words + TIME * times + ADDED
    column: Column = 1 / (1 + np.exp(-told))
    return column
