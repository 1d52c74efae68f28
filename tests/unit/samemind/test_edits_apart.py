"""A memory that two devices edited at one place while apart says so everywhere, until somebody settles it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import samemind
from samemind.commands.answers import context
from samemind.commands.memories import history, recall
from samemind.commands.memories import list as listing
from samemind.commands.memories._parts import memory_lines
from samemind.formats.plain import to_json
from samemind.mcp.prompts import RECAP, prompt_text
from samemind.mcp.resources import PROFILE, read_page
from samemind.mcp.structured import brief
from samemind.mcp.telling import fenced, tell
from tests.endtoend.test_clones import agree
from tests.support.devices import run
from tests.support.doors import opened, pair


async def what_hosts_read(mind: samemind.Mind) -> list[str]:
    """The recaps and the profile that a host of an agent reads by itself."""

    async def ask(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
        assert verb == "context"
        found: Mapping[str, Any] = to_json(await mind.context(**options))
        return found

    recaps = [await prompt_text(RECAP, about, ask, datetime.now(UTC)) for about in ({"about": "the key"}, {})]
    return [*recaps, await read_page(PROFILE, "", ask, whole=False)]


def test_both_texts_are_shown_on_both_devices_until_an_edit_says_which_it_is(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "laptop") as laptop:
            async with opened(tmp_path / "phone") as phone:
                rid = (await laptop.mind.remember("The key is kept by Ann")).rid
                await pair(laptop, phone)
                await agree(laptop, phone)
            async with opened(tmp_path / "phone", online=False) as phone:
                await phone.mind.edit(rid, "The key is kept by Dora")
                await laptop.mind.edit(rid, "The key is kept by Carla")
                await phone.mind.sync("laptop", address=laptop.address)
                await agree(laptop, phone)
                wrote = {"phone": "The key is kept by Dora", "laptop": "The key is kept by Carla"}
                for each in (laptop.mind, phone.mind):
                    view = await each.get(rid)
                    found = await each.recall("who keeps the key")
                    told = await each.history(rid)
                    for shown in (view, found[0], told, (await each.list())[0]):
                        assert {it.device_name: it.text for it in shown.variants} == wrote
                    for lines in (
                        memory_lines(to_json(view)),
                        recall.render(to_json(found)),
                        history.render(to_json(told)),
                    ):
                        assert any(f"samemind edit {rid} TEXT" in line for line in lines)
                        assert any(line.strip() == "phone: The key is kept by Dora" for line in lines)
                    (line,) = listing.render(to_json(await each.list()))
                    assert "edited on several devices at once" in line
                    (hit,) = brief("recall", to_json(found))["results"]
                    assert sorted(hit["variants"]) == sorted(wrote.values())
                    assert "they wrote: The key is kept by" in tell("recall", to_json(found))
                    block = await each.context("who keeps the key")
                    (told_of,) = block.merged
                    assert told_of.rid == rid
                    assert {it.device_name: it.text for it in told_of.variants} == wrote
                    text, line = context.render(to_json(block))
                    assert text == block.text
                    assert f"samemind edit {rid} TEXT" in line
                    assert "Dora" not in line, "it may be piped into a prompt, behind the fence"
                    assert brief("context", to_json(block))["merged"] == [
                        {"rid": rid, "variants": [it.text for it in told_of.variants]}
                    ]
                    written = fenced(f"- {' | '.join(hit['variants'])} [{rid}]")
                    assert f"`correct`. They wrote:\n{written}" in tell("context", to_json(block))
                    for text in await what_hosts_read(each):
                        assert f"`correct`. They wrote:\n{written}" in text
                    then = await each.context("who keeps the key", as_of=datetime.now(UTC))
                    assert (then.rids, then.merged) == ([rid], [])
                    assert (await each.diff("1h")).changed == []
                merged = (await laptop.mind.get(rid)).text
                assert merged not in wrote.values()
                settled = await laptop.mind.edit(rid, merged)
                assert (settled.text, settled.variants) == (merged, [])
                assert (await laptop.mind.context("who keeps the key")).merged == []
                await phone.mind.sync("laptop", address=laptop.address)
                assert (await phone.mind.get(rid)).variants == []
                assert (await phone.mind.verify()).ok

    run(main)
