"""A group whose devices run different versions of this program."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import samemind
from replica import FIELDS, MEMORY_TYPES, Remember, Write, new_memory_id
from replica.ids import show_memory_id
from tests.endtoend.test_clones import agree
from tests.support.devices import run
from tests.support.doors import opened, pair


def test_a_type_that_only_a_later_version_lists_is_kept_shown_and_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The laptop has been upgraded and folded its log away, so the phone meets the word in a snapshot."""

    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop, opened(tmp_path / "phone") as phone:
            device: Any = laptop.device
            rid = new_memory_id(device.now_ms(), device.random)
            with monkeypatch.context() as later:
                words = (*MEMORY_TYPES, "olfactory")
                later.setitem(FIELDS, "type", replace(FIELDS["type"], words=words))
                write = Write(Remember("the cellar smells of apples", {"type": "olfactory"}), rid)
                await device.replica.run(lambda core, _: core.commit([write], device.now_ms()))
            assert (await laptop.mind.compact()).compacted == 1
            await pair(laptop, phone)
            await agree(laptop, phone)
            await phone.device.mind.settle()
            (hit, *_) = await phone.mind.recall("what does the cellar smell of?")
            assert (hit.text, hit.type) == ("the cellar smells of apples", "olfactory")
            shown = show_memory_id(rid)
            with pytest.raises(samemind.SamemindError, match="expected one of episodic"):
                await phone.mind.set(shown, type="olfactory")
            await phone.mind.set(shown, topic="cellar")
            await agree(laptop, phone)
            for each in (laptop, phone):
                assert (await each.mind.get(shown)).topic == "cellar"
                assert (await each.mind.verify()).ok

    run(main)
