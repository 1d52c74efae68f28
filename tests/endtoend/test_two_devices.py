"""Two devices, one memory: paired, synced and read through their doors."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import samemind
from tests.support import cli
from tests.support.daemons import until
from tests.support.devices import run
from tests.support.doors import Opened, opened, pair
from tests.support.hearing import next_line
from tests.support.netns import Host, needs_netns, two_hosts

LOCOMO = Path(__file__).parents[3] / "shared" / "data" / "locomo-dev.json"


async def agree(*devices: Opened) -> None:
    """Wait until both digests are the same everywhere."""

    async def equal() -> bool:
        digests = [await each.mind.digest() for each in devices]
        return len({(digest.digest, digest.state_digest) for digest in digests}) == 1

    await until(equal)


def test_what_is_remembered_on_one_is_recalled_on_the_other(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            one, two = await pair(laptop, phone)
            assert one == two
            assert len(one.split()) == 4
            rid = await laptop.mind.remember("Ann moved to Lisbon", speaker="Ann", tag=["move"])
            await phone.mind.remember("Ann is allergic to nuts")
            await agree(laptop, phone)
            (hit, *_) = await phone.mind.recall("where does Ann live?")
            assert (hit.rid, hit.device) == (rid.rid, laptop.device.device_id.hex())
            view = await phone.mind.get(rid)
            assert (view.tags, view.device_name) == (["move"], "laptop")
            for each, other in ((laptop, "phone"), (phone, "laptop")):
                (peer,) = (await each.mind.peers()).peers
                assert (peer.name, peer.state) == (other, "linked")
                assert (await each.mind.verify()).ok

    run(main)


def test_both_edits_of_one_text_survive_and_forgetting_wins(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop:
            async with opened(tmp_path / "phone") as phone:
                await pair(laptop, phone)
                rid = await laptop.mind.remember("Ann lives in Lisbon")
                gone = await laptop.mind.remember("Bob bakes")
                await agree(laptop, phone)
            async with opened(tmp_path / "phone", online=False) as phone:
                await laptop.mind.edit(rid, "Since spring Ann lives in Lisbon")
                await laptop.mind.forget(gone)
                await phone.mind.edit(rid, "Ann lives in Lisbon with Bob")
                await phone.mind.edit(gone, "Bob bakes bread")
                await phone.mind.set(rid, importance=0.25)
                await laptop.mind.set(rid, importance=0.75)
                await phone.mind.sync(address=laptop.address)
                await agree(laptop, phone)
                for each in (laptop, phone):
                    assert (await each.mind.get(rid)).text == "Since spring Ann lives in Lisbon with Bob"
                    with pytest.raises(samemind.NotFound):
                        await each.mind.get(gone)
                values = {(await each.mind.get(rid)).importance for each in (laptop, phone)}
                assert len(values) == 1
                story, other = [(await each.mind.history(rid)).versions for each in (laptop, phone)]
                assert story == other
                assert story == sorted(story, key=lambda version: version.at), "oldest first on both"
                # What was read out of the words is told, too.
                told = [version.kind for version in story if version.kind != "claim"]
                assert told == ["remember", "edit", "edit", "set", "set"]

    run(main)


def test_a_sync_says_what_moved_and_a_second_one_that_nothing_did(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop:
            async with opened(tmp_path / "phone") as phone:
                await pair(laptop, phone)
                await agree(laptop, phone)
            async with opened(tmp_path / "phone", online=False) as phone:
                await phone.mind.remember_many([f"note {i}" for i in range(10)])
                await laptop.mind.remember("one of mine")
                (peer,) = (await phone.mind.sync("laptop", address=laptop.address)).peers
                assert (peer.name, peer.sent, peer.received) == ("laptop", 10, 1)

                async def little_travels() -> bool:
                    (peer,) = (await phone.mind.sync()).peers
                    assert (peer.sent, peer.received, peer.round_trips) == (0, 0, 1)
                    return peer.bytes_out + peer.bytes_in < 1_000

                await until(little_travels)  # once the vectors of both have come alongside
            async with opened(tmp_path / "phone", online=False) as phone:
                (view,) = (await phone.mind.peers()).peers
                assert view.last_sync is not None
                assert (await phone.mind.status()).running is False

    run(main)


@pytest.mark.skipif(not LOCOMO.is_file(), reason="the LoCoMo data is not beside this copy of the tree")
def test_conversations_brought_in_on_one_device_are_recalled_on_the_other(tmp_path: Path) -> None:
    # One of the five, which `test_locomo.py` brings in together.
    chats = tmp_path / "chats.json"
    chats.write_text(
        json.dumps([each for each in json.loads(LOCOMO.read_text()) if each["sample_id"] == "conv-26"])
    )

    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await laptop.mind.import_(chats)
            await pair(laptop, phone)
            await agree(laptop, phone)
            query = "When did Caroline go to the LGBTQ support group?"
            by_words = await phone.mind.recall(query)
            assert ("conv-26:session_1", "D1:3") in {(hit.session, hit.turn) for hit in by_words}
            await phone.device.mind.settle()
            hits = await phone.mind.recall(query)
            assert ("conv-26:session_1", "D1:3") in {(hit.session, hit.turn) for hit in hits}
            assert (await phone.mind.verify()).ok
            assert (await laptop.mind.verify()).ok

    run(main)


def test_peers_are_renamed_addressed_and_put_out(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            await pair(laptop, phone)
            await agree(laptop, phone)
            assert (await laptop.mind.rename_peer("phone", "Ann's phone")).name == "Ann's phone"
            phone_id = phone.device.device_id.hex()
            assert (await laptop.mind.add_peer(phone_id[:8], address=phone.address)).device_id == phone_id
            with pytest.raises(samemind.Usage):
                await laptop.mind.add_peer("Ann's phone", address="nowhere")
            for itself in (laptop.device.device_id.hex(), "laptop"):
                with pytest.raises(samemind.Usage):
                    await laptop.mind.revoke_peer(itself)
            assert (await laptop.mind.revoke_peer("ann's phone")).state == "revoked"
            secret = await laptop.mind.remember("not for the phone")
            with pytest.raises(samemind.SamemindError):
                await phone.mind.sync("laptop")
            with pytest.raises(samemind.NotFound):
                await phone.mind.get(secret)

    run(main)


def test_what_cannot_be_reached_or_is_not_known_has_its_exit_code(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            assert (await laptop.mind.sync()).peers == []
            with pytest.raises(samemind.NotFound):
                await laptop.mind.sync("nobody")
            with pytest.raises(samemind.Unreachable):
                await laptop.mind.sync(address="127.0.0.1:1")
            with pytest.raises(samemind.Usage):
                await laptop.mind.pair("rubbish", address="127.0.0.1:1")
            with pytest.raises(samemind.Unreachable):
                await laptop.mind.pair("417-maple-otter", address="127.0.0.1:1")
            async with opened(tmp_path / "phone") as phone:
                with pytest.raises(samemind.Locked) as refused:
                    await laptop.mind.sync(address=phone.address)
                assert refused.value.code == "not_paired"

    run(main)


@pytest.mark.slow
def test_two_daemons_pair_by_the_command_and_news_travels_by_itself(tmp_path: Path) -> None:
    laptop, phone = tmp_path / "laptop", tmp_path / "phone"
    for home in (laptop, phone):
        cli.run(home, "init", "--name", home.name)
    with cli.daemon(laptop), cli.daemon(phone):
        offering = subprocess.Popen(
            [*cli.COMMAND, "--home", str(laptop), "--json", "pair"],
            stdout=subprocess.PIPE, text=True, env=cli.environment(),
        )  # fmt: skip
        assert offering.stdout is not None
        offer = json.loads(next_line(offering))
        assert {"code", "address", "expires_at"} <= offer.keys()
        wrong = cli.run(phone, "pair", "100-acorn-acorn", "--address", offer["address"], "--json")
        assert (wrong.code, wrong.json["error"]["code"]) == (6, "wrong_code")
        assert "refused" in json.loads(next_line(offering))
        offer = json.loads(next_line(offering))
        joined = cli.run(phone, "pair", offer["code"], "--address", offer["address"], "--json").json
        paired = json.loads(next_line(offering))
        assert offering.wait(cli.SECONDS_MAX) == 0
        offering.stdout.close()
        assert joined["words"] == paired["words"]
        assert (joined["name"], paired["name"]) == ("laptop", "phone")

        following = subprocess.Popen(
            [*cli.COMMAND, "--home", str(phone), "--json", "log", "--follow"],
            stdout=subprocess.PIPE, text=True, env=cli.environment(),
        )  # fmt: skip
        rid = cli.run(laptop, "remember", "news", "--json").json["rid"]
        assert following.stdout is not None
        assert json.loads(next_line(following))["rid"] == rid
        following.terminate()
        following.wait(cli.SECONDS_MAX)
        following.stdout.close()
        assert cli.run(phone, "get", rid, "--json").json["device_name"] == "laptop"


@needs_netns
@pytest.mark.slow
def test_daemons_on_two_machines_find_each_other_and_news_travels_without_any_address(tmp_path: Path) -> None:
    def on(host: Host, *words: str) -> subprocess.Popen[str]:
        process: subprocess.Popen[str] = host.popen(
            [sys.executable, "-m", "samemind", "--home", str(tmp_path / host.interface), "--json", *words],
            stdout=subprocess.PIPE, text=True, env=cli.environment(),
        )  # fmt: skip
        return process

    def first(process: subprocess.Popen[str]) -> dict[str, object]:
        document: dict[str, object] = json.loads(next_line(process))
        return document

    def done(host: Host, *words: str) -> dict[str, object]:
        process = on(host, *words)
        document = first(process)
        assert process.wait(cli.SECONDS_MAX) == 0, document
        return document

    with two_hosts() as (left, right):
        up = [on(left, "up"), on(right, "up")]
        for process in up:
            assert first(process)["running"] is True
        offering = on(left, "pair")
        code = first(offering)["code"]
        assert isinstance(code, str)
        done(right, "pair", code)
        first(offering)
        rid = done(left, "remember", "told on the left")["rid"]
        following = on(right, "log", "--follow")
        while first(following)["rid"] != rid:
            pass
        following.terminate()
        for process in up:
            process.terminate()
            process.wait(cli.SECONDS_MAX)
