"""Say how likely it is that a memory is about what was asked, from 0 to 1; unlike the score, which only orders.

A logistic of how near the question is in meaning, how many of its runs of letters are met, whether a time that it names
is, whether only the one who is named is there and not what is asked of them, whether what it asks for is said of
somebody where it asks for one thing of one person, and how much of it no memory comes near. Fitted on lives and
everyday homes, with the questions of others and such as nothing answers as negatives (`python -m
tests.bench.confidence`). Whether the very fact is there takes a reader: in long lives near misses are told apart in
seven pairs of ten.
"""

from typing import Final, NamedTuple

import numpy as np

from cognition.ranking.pool import Column

# What a memory without a vector, or one that was not looked at, is taken to be: as near as most answers.
COSINE_UNKNOWN: Final = 0.3
# Below this a memory is left out of a prompt: of lives two answers in a hundred, and over a third of what is about
# something else.
FLOOR: Final = 0.1
# How sure it is of what is believed of the very thing that was asked for. Set by hand: the lives ask for nothing that
# they claim.
CLAIMED: Final = 0.9


class Evidence(NamedTuple):
    """What speaks for each of some memories, a column each."""

    cosine: Column
    grams: Column
    """How many of the question's runs of letters it holds (`Pool.grams`)."""
    time: Column
    """Whether it was told, or happens, at the time that was asked for."""
    named_only: Column
    """How far it names whom the question names and holds nothing of what is asked of them (`Pool.named_only`)."""
    slotless: Column
    """1 where the question asks for one thing of one person, and it tells nothing of that."""
    slot: Column
    """1 where the question asks for one thing of one person: the same for all."""
    standing: Column
    """The cosine in spreads above the middle of the store's."""
    unmet: Column
    """What share of what the question asks about no memory holds, by words like it or spelled so: the same for all."""


# One for each column of the evidence, in its order; and what is added.
WEIGHTS: Final = (2.44, 6.14, 1.92, -1.35, -6.12, 4.30, 0.36, -4.09)
ADDED: Final = -0.67


def confidence(evidence: Evidence) -> Column:
    """Return a confidence for each memory."""
    told = np.ascontiguousarray(np.array(evidence).T) @ np.array(WEIGHTS) + ADDED
    column: Column = 1 / (1 + np.exp(-told))
    return column
