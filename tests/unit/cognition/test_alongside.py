"""Vectors of a slow model travel beside the ops: asked for, checked, and kept as our own would be."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from cognition import HashedEmbedder
from cognition.background import queue
from cognition.background.alongside import AGAIN_MS, VectorsAlongside
from cognition.errors import ModelUnavailable
from replica import Core, Forget, Write, introduce
from replica.alongside import VECTOR_BYTES_MAX, Wish
from sync.errors import RemoteProtocolError
from sync.exchange import Exchange
from sync.wire.messages import WISHES_MAX, Grant, Ops, Want, decode_message, encode_message
from tests.support.minds import NOW_MS, Home

MESSAGES_MAX = 1_000
WIDTH = 64


class Slow(HashedEmbedder):
    """A model that is said to be slow."""

    @property
    def name(self) -> str:
        return "slow"

    @property
    def costly(self) -> bool:
        return True


class Other(Slow):
    """Another model of the same width."""

    @property
    def name(self) -> str:
        return "another"


class Missing(Slow):
    """A model that is configured and not installed."""

    @property
    def width(self) -> int:
        raise ModelUnavailable("expected the model to be installed")


class Embedding:
    """A home that embeds with a model, and its side of a conversation."""

    def __init__(self, seed: int, embedder: HashedEmbedder) -> None:
        self.home = Home(seed)
        self.embedder = embedder
        self.space = queue.enter_space(self.home.connection, embedder.name, now_ms=NOW_MS)
        self.told: list[int] = []
        self.awaited: list[bool] = []
        self.now_ms = NOW_MS

    @property
    def core(self) -> Core:
        return self.home.core

    def embed(self) -> None:
        """Embed all that waits."""
        connection = self.home.connection
        while jobs := queue.due(connection, now_ms=NOW_MS, limit=1_000):
            queue.done(connection, self.space, jobs, self.embedder.embed([job.text for job in jobs]))

    def beside(self) -> VectorsAlongside | None:
        """What its conversations have, as the worker makes it."""
        return self.alongside() if self.embedder.costly else None

    def alongside(self) -> VectorsAlongside:
        def told(ids: Sequence[int]) -> None:
            self.told += ids

        return VectorsAlongside(
            self.home.connection,
            self.embedder,
            self.space,
            told,
            self.awaited.append,
            clock=lambda: self.now_ms,
        )

    def vectors(self) -> dict[bytes, bytes]:
        """Every vector there is, by its memory."""
        select = "SELECT m.rid, v.data FROM vector v JOIN memory m ON m.id = v.id"
        return dict(self.home.connection.execute(select))

    def waiting(self) -> int:
        """How many texts still wait to be embedded."""
        return queue.state(self.home.connection).pending


def acquainted(*embedders: HashedEmbedder) -> list[Embedding]:
    """Devices of one group that embed with these."""
    found = [Embedding(seed, embedder) for seed, embedder in enumerate(embedders)]
    for one in found:
        for other in found:
            who = other.home.identity
            one.core.learn(
                [
                    introduce(
                        one.home.identity.sign,
                        one.core.device,
                        public_key=who.public_key,
                        certificate=who.certificate,
                        name="other",
                    )
                ]
                if one is not other
                else [],
                [],
            )
    return found


def converse(
    one: Embedding, other: Embedding, *, bend: Callable[[bytes], bytes] = lambda message: message
) -> int:
    """Let two devices converse until neither has anything to say; count questions. `bend` is what `other` says."""
    ours = Exchange(one.core, other.core.device, NOW_MS, alongside=one.beside())
    theirs = Exchange(other.core, one.core.device, NOW_MS, alongside=other.beside())
    to_them, to_us, wants = ours.more(NOW_MS), theirs.more(NOW_MS), 0
    for _ in range(MESSAGES_MAX):
        if not to_them and not to_us:
            return wants
        if to_them:
            wants += isinstance(decode_message(to_them[0]), Want)
            to_us += theirs.receive(to_them.pop(0), NOW_MS)
        if to_us:
            to_them += ours.receive(bend(to_us.pop(0)), NOW_MS)
    raise AssertionError(f"two devices still had something to say after {MESSAGES_MAX} messages")


def test_a_new_device_gets_every_vector_and_embeds_nothing_itself() -> None:
    phone, laptop = acquainted(Slow(WIDTH), Slow(WIDTH))
    count = 2 * WISHES_MAX + 1
    for i in range(count):
        laptop.home.remember(f"sentence number {i} about {'tea' if i % 2 else 'bread'}", speaker="Ann")
    laptop.embed()
    assert converse(phone, laptop) == 3
    assert (phone.waiting(), len(phone.told)) == (0, count)
    assert phone.vectors() == laptop.vectors()
    assert len(phone.vectors()) == count
    assert phone.awaited == [True, True, True, False], "from the first question to the last answer"


def test_what_the_other_has_not_embedded_is_asked_for_once_and_left_to_the_queue() -> None:
    phone, laptop = acquainted(Slow(WIDTH), Slow(WIDTH))
    laptop.home.remember("embedded there")
    laptop.embed()
    laptop.home.remember("not embedded yet")
    assert converse(phone, laptop) == 1
    assert phone.waiting() == 1
    assert phone.awaited == [True, False], "what is left is nobody else's work"
    assert phone.vectors() == laptop.vectors()


def test_what_comes_later_on_a_link_is_asked_for_again_once_a_minute_while_it_brings_anything() -> None:
    phone, laptop = acquainted(Slow(WIDTH), Slow(WIDTH))
    there, here = laptop.alongside(), phone.alongside()

    def asked() -> int:
        wishes = here.next_wishes(2)
        if wishes:
            here.keep(wishes, there.granted(wishes))
        return len(wishes)

    assert asked() == 0  # all is embedded: an empty memory
    for number in range(5):
        laptop.home.remember(f"sentence number {number}")
    converse(phone, laptop, bend=without_grants)
    assert [asked() for _ in range(4)] == [2, 2, 1, 0]  # nobody has embedded any yet
    laptop.embed()
    assert asked() == 0
    phone.now_ms += AGAIN_MS
    assert ([asked() for _ in range(4)], phone.waiting()) == ([2, 2, 1, 0], 0)
    for number in range(5):
        laptop.home.remember(f"another, number {number}")
    converse(phone, laptop, bend=without_grants)
    phone.now_ms += AGAIN_MS
    assert [asked() for _ in range(2)] == [2, 0]  # in vain: the rest of this round is left out


def test_what_was_asked_for_is_not_waited_for_once_the_conversation_is_over() -> None:
    phone, laptop = acquainted(Slow(WIDTH), Slow(WIDTH))
    laptop.home.remember("tea")
    converse(phone, laptop, bend=without_grants)
    phone.awaited.clear()
    ours = Exchange(phone.core, laptop.core.device, NOW_MS, alongside=phone.beside())
    theirs = Exchange(laptop.core, phone.core.device, NOW_MS, alongside=laptop.beside())
    to_them, to_us = ours.more(NOW_MS), theirs.more(NOW_MS)
    while not any(isinstance(decode_message(each), Want) for each in to_them):
        to_us += [said for each in to_them for said in theirs.receive(each, NOW_MS)]
        to_them = [said for each in to_us for said in ours.receive(each, NOW_MS)]
        to_us = []
    assert phone.awaited == [True]
    ours.close()
    assert phone.awaited == [True, False]


def test_a_device_that_cannot_have_its_model_asks_for_nothing() -> None:
    phone, laptop = acquainted(Missing(WIDTH), Slow(WIDTH))
    laptop.home.remember("tea")
    laptop.embed()
    assert converse(phone, laptop) == 0
    assert (phone.waiting(), phone.vectors()) == (1, {})


@pytest.mark.parametrize("embedder", [HashedEmbedder(WIDTH), Other(WIDTH)], ids=["quick", "another"])
def test_another_model_neither_asks_nor_is_asked(embedder: HashedEmbedder) -> None:
    phone, laptop = acquainted(embedder, Slow(WIDTH))
    laptop.home.remember("tea")
    laptop.embed()
    assert converse(phone, laptop) == 0
    assert (phone.waiting(), phone.vectors()) == (1, {})


def test_a_vector_of_other_words_or_of_what_is_gone_is_not_kept() -> None:
    phone, laptop = acquainted(Slow(WIDTH), Slow(WIDTH))
    changed, gone = laptop.home.remember("tea"), laptop.home.remember("bread")
    laptop.embed()
    there = laptop.alongside()
    converse(phone, laptop, bend=without_grants)
    asked = phone.alongside().next_wishes(WISHES_MAX)
    assert [wish.rid for wish in asked] == [gone, changed]
    assert there.granted([Wish(changed, bytes(16))]) == [None]  # of words that it does not say
    answer = there.granted(asked)
    phone.home.commit(*phone.core.edits_of(changed, "coffee"))
    phone.home.commit(Write(Forget((gone,))))
    phone.alongside().keep(asked, answer)
    assert (phone.vectors(), phone.told, phone.waiting()) == ({}, [], 1)


def without_grants(message: bytes) -> bytes:
    """What a device says that has no vector at all."""
    said = decode_message(message)
    return encode_message(Grant((None,) * len(said.vectors))) if isinstance(said, Grant) else message


def numbers(*values: float) -> bytes:
    """A vector as it travels."""
    return np.array(values, "<f2").tobytes()


UNIT = numbers(1, *[0] * (WIDTH - 1))


NO_VECTORS = [
    UNIT[:-2],
    b"",
    numbers(float("nan"), *[0] * (WIDTH - 1)),
    numbers(float("inf"), *[0] * (WIDTH - 1)),
    numbers(2, *[0] * (WIDTH - 1)),
]
NO_VECTORS_ARE = ["narrow", "empty", "nan", "infinite", "long"]


@pytest.mark.parametrize("crooked", NO_VECTORS, ids=NO_VECTORS_ARE)
def test_what_is_no_vector_is_left_to_the_queue_and_the_others_are_kept(crooked: bytes) -> None:
    """A model may fail on one text, and the link would end for it again and again."""
    phone, laptop = acquainted(Slow(WIDTH), Slow(WIDTH))
    laptop.home.remember("tea")
    bread = laptop.home.remember("bread")
    laptop.embed()

    def bend(message: bytes) -> bytes:
        return (
            encode_message(Grant((UNIT, crooked))) if isinstance(decode_message(message), Grant) else message
        )

    converse(phone, laptop, bend=bend)
    assert phone.vectors() == {bread: UNIT}
    assert phone.waiting() == 1


@pytest.mark.parametrize(
    "crooked", [*NO_VECTORS[2:], bytes(VECTOR_BYTES_MAX + 2)], ids=[*NO_VECTORS_ARE[2:], "wide"]
)
def test_what_is_no_vector_or_too_wide_to_travel_is_not_handed_over(crooked: bytes) -> None:
    phone, laptop = acquainted(Slow(WIDTH), Slow(WIDTH))
    laptop.home.remember("tea")
    bread = laptop.home.remember("bread")
    laptop.embed()
    laptop.home.connection.execute(
        "UPDATE vector SET data = ? WHERE id != (SELECT id FROM memory WHERE rid = ?)", (crooked, bread)
    )
    assert converse(phone, laptop) == 1
    assert phone.vectors() == {bread: laptop.vectors()[bread]}


@pytest.mark.parametrize(
    ("vectors", "told"),
    [
        ((UNIT,), "expected 2 vectors or gaps, got 1"),
        ((UNIT, UNIT, UNIT), "expected 2 vectors or gaps, got 3"),
    ],
    ids=["few", "many"],
)
def test_more_or_fewer_vectors_than_were_asked_for_end_the_link_and_nothing_of_it_is_kept(
    vectors: tuple[bytes, ...], told: str
) -> None:
    phone, laptop = acquainted(Slow(WIDTH), Slow(WIDTH))
    laptop.home.remember("tea")
    laptop.home.remember("bread")
    laptop.embed()

    def bend(message: bytes) -> bytes:
        return encode_message(Grant(vectors)) if isinstance(decode_message(message), Grant) else message

    with pytest.raises(RemoteProtocolError, match=told):
        converse(phone, laptop, bend=bend)
    assert (phone.vectors(), phone.waiting()) == ({}, 2)


@pytest.mark.parametrize(
    ("embedder", "said", "told"),
    [
        (Slow(WIDTH), Grant((UNIT,)), "Grant answers no Want"),
        (HashedEmbedder(WIDTH), Grant((UNIT,)), "Grant answers no Want"),
        (HashedEmbedder(WIDTH), Want((Wish(bytes(16), bytes(16)),)), "vectors of another model"),
        (Other(WIDTH), Want((Wish(bytes(16), bytes(16)),)), "vectors of another model"),
    ],
    ids=["unasked", "unasked by one without", "asked of one without", "asked of another"],
)
def test_what_is_said_out_of_turn_is_the_peers_fault(
    embedder: HashedEmbedder, said: Grant | Want, told: str
) -> None:
    phone, laptop = acquainted(embedder, Slow(WIDTH))
    laptop.home.remember("tea")

    def bend(message: bytes) -> bytes:
        return encode_message(said) if isinstance(decode_message(message), Ops) else message

    with pytest.raises(RemoteProtocolError, match=told):
        converse(phone, laptop, bend=bend)
