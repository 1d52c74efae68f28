"""A device that was built from docs/protocol alone pairs with real ones, and stands between two that never meet."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.support.household import Member
from tests.support.second.conversation import Peer
from tests.support.second.frames import Refused
from tests.support.second.identity import Device
from tests.support.second.meeting import Met, pair, words
from tests.support.vectors import load


@pytest.fixture
def household(tmp_path: Path) -> Iterator[tuple[Member, Member]]:
    laptop, phone = Member(tmp_path / "laptop"), Member(tmp_path / "phone")
    with ExitStack() as running:
        for member in (laptop, phone):
            running.enter_context(member.running)
            member.make()
            member.start()
        yield laptop, phone


def second(name: str) -> Peer:
    random = Random(name)
    key = Ed25519PrivateKey.from_private_bytes(random.randbytes(32))
    return Peer(Device(key, name), random, int(time.time() * 1000))


def meet(peer: Peer, member: Member) -> Met:
    """Pair as two people do: one reads the code, the other types it; both see the same words."""
    with member.asked("pair") as offering:
        offer = next(offering)
        met = pair(peer.device, _at(offer["address"]), offer["code"])
        (told,) = offering
    shown = words(met.certificate, peer.device.certificate, load("identities")["word_list"])
    assert (told["name"], told["words"].split()) == (peer.device.name, shown)
    assert (met.name, met.port) == (member.home.name, _at(member.address)[1])
    peer.met(met)
    return met


def talk(peer: Peer, member: Member, met: Met) -> list[str]:
    """Hold a conversation, after which both hold the same."""
    heard = peer.talk(_at(member.address), met.certificate)
    told = member.ask("digest")
    assert told["digest"] == peer.replica.digest().hex()
    assert told["state_digest"] == peer.replica.state_digest().hex()
    return heard


def _at(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)


def test_it_pairs_takes_a_snapshot_and_ops_and_hands_them_on(household: tuple[Member, Member]) -> None:
    laptop, phone = household
    for text in ("the spare key is under the blue pot", "the cellar floods in March"):
        laptop.ask("remember", text=text)
    last = laptop.ask("remember", text="a secret to erase")
    laptop.ask("edit", rid=last["rid"], text="a secret to be erased")
    assert laptop.ask("compact")["compacted"] > 0
    laptop.ask("remember", text="the boiler is serviced in May")

    peer = second("built by hand")
    peer.remember("bees need water in August")
    with_laptop = meet(peer, laptop)
    heard = talk(peer, laptop, with_laptop)
    assert {"Base", "Ops", "Ack"} <= set(heard)
    assert talk(peer, laptop, with_laptop) == ["Hello"], "nothing is new: the conversation is two Hellos"
    (found, *_) = laptop.ask("recall", query="when do bees need water?")["results"]
    assert found["text"] == "bees need water in August"

    with_phone = meet(peer, phone)
    talk(peer, phone, with_phone)
    assert phone.ask("digest")["digest"] == laptop.ask("digest")["digest"]
    names = {each["name"] for each in phone.ask("peers list")["peers"]}
    assert names == {"laptop", peer.device.name}, "pairing with one makes all known"

    laptop.ask("forget", rids=[last["rid"]], erase=True)
    laptop.ask("remember", text="the boiler is serviced in June after all")
    assert "Trust" in talk(peer, laptop, with_laptop), "the proof goes ahead of the ops"
    talk(peer, phone, with_phone)
    assert phone.ask("digest")["digest"] == laptop.ask("digest")["digest"]


def test_a_wrong_code_is_told_and_an_unpaired_device_is_not_let_in(household: tuple[Member, Member]) -> None:
    laptop, _ = household
    peer = second("a stranger")
    with laptop.asked("pair") as offering:
        offer = next(offering)
        wrong = "100-acorn-album" if offer["code"] != "100-acorn-album" else "100-acorn-amber"
        with pytest.raises(Refused, match="wrong code"):
            pair(peer.device, _at(offer["address"]), wrong)
    with pytest.raises((Refused, OSError)):
        peer.talk(_at(laptop.address), peer.device.certificate)
