"""Labels and notes at the doors: what is labelled on two devices at once, within which bounds, and carried how."""

import json
import re
from pathlib import Path

import pytest

import samemind
from tests.endtoend.test_clones import agree
from tests.support.devices import run
from tests.support.doors import opened, pair


def test_two_devices_that_label_a_memory_apart_both_keep_what_they_said(tmp_path: Path) -> None:
    """And a label that one takes off stays off, unless the other put it on meanwhile."""

    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop:
            async with opened(tmp_path / "phone") as phone:
                rid = (await laptop.mind.remember("Milk is in the fridge", tag=["old", "kitchen"])).rid
                await pair(laptop, phone)
                await agree(laptop, phone)
            async with opened(tmp_path / "phone", online=False) as phone:
                await phone.mind.tag(rid, "from-phone", "kitchen")
                await phone.mind.set(rid, **{"meta.phone": "1"})
                await laptop.mind.tag(rid, "from-laptop")
                await laptop.mind.tag(rid, "old", "kitchen", remove=True)
                await laptop.mind.set(rid, **{"meta.laptop": "2"})
                await phone.mind.sync("laptop", address=laptop.address)
                await agree(laptop, phone)
                for each in (laptop, phone):
                    view = await each.mind.get(rid)
                    assert view.tags == ["from-laptop", "from-phone", "kitchen"]
                    assert view.meta == {"phone": "1", "laptop": "2"}
                    listed = await each.mind.list(tag=["from-phone", "from-laptop"], meta={"phone": "1"})
                    assert [one.rid for one in listed.memories] == [rid]
                    assert (await each.mind.verify()).ok
                changes = [version.change for version in (await laptop.mind.history(rid)).versions]
                assert {"tags+": ["from-phone", "kitchen"]} in changes
                assert {"tags-": ["kitchen", "old"]} in changes
                assert {"meta.phone": "1"} in changes
                device = laptop.device.device_id.hex()
                found = await phone.mind.retract(device=device, dry_run=True)
                assert found.rids == [rid], "it told the memory"
                only = (await laptop.mind.remember("Bread is in the box")).rid
                await phone.mind.sync("laptop", address=laptop.address)
                await phone.mind.tag(only, "crumbs")
                await phone.mind.sync("laptop", address=laptop.address)
                mine = await laptop.mind.retract(device=phone.device.device_id.hex(), dry_run=True)
                assert set(mine.changed) == {rid, only}, "it labelled them"

    run(main)


def test_labels_and_notes_are_set_whole_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            mind = laptop.mind
            rid = (await mind.remember("Milk", tag=["a", "b"], meta={"k": "1", "j": "2"})).rid
            view = await mind.set(rid, tags=["b", "c"], meta={"k": "1", "i": "3"})
            assert (view.tags, view.meta) == (["b", "c"], {"i": "3", "k": "1"})
            kinds = [version.change for version in (await mind.history(rid)).versions]
            assert {"meta.k": "1"} not in kinds, "what stays is not written again"
            assert {"tags-": ["a"]} in kinds
            assert {"tags+": ["b", "c"]} in kinds
            view = await mind.set(rid, **{"meta.i": ""})
            assert view.meta == {"k": "1"}
            labelled = await mind.tag(rid, "c")
            assert labelled.tags == ["b", "c"]
            told = [version for version in (await mind.history(rid)).versions if version.kind == "tag"]
            assert len(told) == 2, (
                "a label that shows is put on again: whoever takes it off did not know of it"
            )

    run(main)


def test_one_device_puts_on_64_labels_and_writes_256_entries(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            mind = laptop.mind
            rid = (await mind.remember("Milk", tag=[f"{n:02}" for n in range(64)])).rid
            with pytest.raises(samemind.SamemindError, match="expected at most 64 of a memory, got 65"):
                await mind.tag(rid, "one more")
            await mind.tag(rid, "00", remove=True)
            assert len((await mind.tag(rid, "one more")).tags) == 64
            await mind.set(rid, meta={f"{n:03}": n for n in range(256)})
            with pytest.raises(samemind.SamemindError, match="expected at most 256 of a memory, got 257"):
                await mind.set(rid, **{"meta.more": "x"})
            assert len((await mind.get(rid)).meta) == 256

    run(main)


def test_more_than_one_device_may_label_goes_out_and_comes_in_whole(tmp_path: Path) -> None:
    """Devices that were apart filled a memory; export and import lose nothing of it, nor what 0.1.0 kept for others."""
    labels, meta = [f"{n:03}" for n in range(150)], {f"k{n:03}": n for n in range(300)}
    line = {
        "kind": "memory",
        "rid": "01a2008e-fcbf-7fa0-80ee-8a77e4c2342d",
        "text": "much",
        "tags": labels,
        "meta": meta,
    }
    other = {
        "kind": "memory",
        "text": "kept",
        "id": "7",
        "meta": {"a": 1},
        "unknown": {"meta.b": "two", "mood": "glad"},
    }
    (tmp_path / "in.jsonl").write_text(f"{json.dumps(line)}\n{json.dumps(other)}\n")

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            assert (await laptop.mind.import_(tmp_path / "in.jsonl")).imported == 2
            view = await laptop.mind.get(str(line["rid"]))
            assert (view.tags, view.meta) == (labels, meta)
            (kept,) = (await laptop.mind.list(meta={"b": "two"})).memories
            assert kept.meta == {"a": 1, "b": "two"}
            await laptop.mind.export(output=str(tmp_path / "out.jsonl"))
            assert (await laptop.mind.import_(tmp_path / "in.jsonl")).skipped == 2
            digest = (await laptop.mind.digest()).digest
        async with opened(tmp_path / "other", online=False) as other:
            assert (await other.mind.import_(tmp_path / "out.jsonl")).failed == []
            assert (await other.mind.digest()).digest == digest

    run(main)


@pytest.mark.parametrize(
    ("given", "said"),
    [(5, "expected a list of labels, got 5"), ([""], "expected labels, got an empty one in ['']")],
)
def test_what_is_no_label_is_refused_in_words_that_say_what_one_is(
    tmp_path: Path, given: object, said: str
) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(samemind.SamemindError, match=re.escape(f"line 1: tags: {said}")):
            mind.remember_many([{"text": "Ann sails", "tag": given}])
