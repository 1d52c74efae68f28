"""Whatever members have written, everything can be taken out and brought in again."""

import json
from pathlib import Path
from random import Random

import samemind
from replica import Core, Write, new_memory_id
from replica.fields import Value
from replica.ops import Remember, Set
from samemind.library.blocking import BlockingMind
from tests.support.devices import devices, run
from tests.support.replicas import NOW_MS


def test_bytes_anywhere_in_what_a_member_wrote_keep_nobody_from_taking_it_out(tmp_path: Path) -> None:
    """In a field of its own, among the entries of a memory, in a setting; once each of them broke every export."""

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):

            def write(core: Core) -> None:
                rid = new_memory_id(NOW_MS, Random(5))
                fields: dict[str, Value] = {
                    "strange": b"\0\xff",
                    "nest": {"a": b"\2", "b": "c"},
                }
                core.commit(
                    [
                        Write(Remember("a word", fields), rid, by_any=True),
                        Write(Set("later.field", b"\3"), rid, by_any=True),
                        Write(Set("meta.k", b"\1"), rid, by_any=True),
                        Write(Set("of.a.setting", b"\4")),
                    ],
                    NOW_MS,
                )

            await laptop.replica.run(lambda core, _: write(core))

    run(main)
    with samemind.open_blocking(tmp_path / "laptop.db") as mind:
        taken_out(mind, tmp_path)


def taken_out(mind: BlockingMind, folder: Path) -> None:
    """As lines and as notes."""
    lines = folder / "out.jsonl"
    assert mind.export(lines).count == 1
    said = [json.loads(line) for line in lines.read_text().splitlines()]
    assert {line["kind"] for line in said} == {"memory", "setting"}
    assert mind.export(folder / "notes", format="markdown").count == 1
    with samemind.open_blocking(folder / "again.db") as again:
        brought = again.import_(lines)
        assert brought.imported == 2  # the memory and the setting
        assert not brought.failed
