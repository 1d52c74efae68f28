"""The library door, on a store that this process opens."""

import asyncio
import inspect
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
import trio

import samemind
from samemind.catalog import NAMES, verb_named
from samemind.cli.printing import Printer
from samemind.config import Home
from samemind.declaring import ByHand, declared
from samemind.library.blocking import BlockingMind
from samemind.library.home_store import HomeStore
from samemind.library.mind import Mind
from samemind.local import Local
from tests.support import cli
from tests.support.loops import run_awaited
from tests.support.published import published


@published("ML-17")
def test_a_program_remembers_and_recalls_with_no_daemon_about(tmp_path: Path) -> None:
    async def main() -> None:
        async with samemind.open(tmp_path / "notes.db") as mind:
            rid = await mind.remember("Ann moved to Lisbon", speaker="Ann")
            hits = await mind.recall("where does Ann live?", k=5)
            assert [hit.text for hit in hits] == ["Ann moved to Lisbon"]
            assert hits[0].rid == str(rid)
            assert not (await mind.status()).running

    trio.run(main)


def test_the_same_without_trio(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "notes.db") as mind:
        remembered = mind.remember("Ann moved to Lisbon")
        assert [hit.rid for hit in mind.recall("Lisbon")] == [remembered.rid]
    with pytest.raises(samemind.Unreachable, match="closed"):
        mind.digest()


def test_it_is_open_until_it_is_closed(tmp_path: Path) -> None:
    mind = samemind.open_blocking(tmp_path / "home")
    mind.remember("Ann moved to Lisbon")
    mind.close()
    mind.close()
    with pytest.raises(samemind.Unreachable, match="closed"):
        mind.recall("Ann")
    with samemind.open_blocking(tmp_path / "home") as again, again as itself:
        assert itself.recall("Ann")[0].text == "Ann moved to Lisbon"


def test_one_that_is_forgotten_is_named_and_lets_go_of_the_store(tmp_path: Path) -> None:
    forgotten = samemind.open_blocking(tmp_path / "home")
    thread = forgotten._thread
    with pytest.warns(ResourceWarning, match=r"was not closed: <samemind.BlockingMind .*home'\)>"):
        del forgotten
    thread.join(20)
    assert not thread.is_alive()


def test_a_blocking_call_under_trio_says_what_to_use(tmp_path: Path) -> None:
    async def main() -> None:
        with samemind.open_blocking(tmp_path / "home") as mind:
            for call in (lambda: mind.recall("Ann"), lambda: mind.remember("Ann"), mind.list):
                with pytest.raises(samemind.Usage, match="runs no trio") as refused:
                    call()
                assert "to_thread" in refused.value.hint

    trio.run(main)


CALLS_WHILE_CLOSING: tuple[Callable[[BlockingMind], object], ...] = (
    lambda mind: mind.recall("Ann"),
    lambda mind: mind.remember("Ben is at the station"),
    lambda mind: mind.list(),
    lambda mind: mind.context("Ann"),
    lambda mind: mind.verify(),
)


def test_what_other_threads_ask_as_it_is_closed_says_so_and_nothing_of_trio(tmp_path: Path) -> None:
    """Cancelled is no Exception, and who handles errors of ours handles no nursery's."""
    ended: list[BaseException] = []

    def ask(call: Callable[[BlockingMind], object], mind: BlockingMind) -> None:
        try:
            while True:
                call(mind)
        except BaseException as error:
            ended.append(error)

    for _ in range(3):
        with samemind.open_blocking(tmp_path / "home") as mind:
            mind.remember("Ann moved to Lisbon")
            threads = [threading.Thread(target=ask, args=(call, mind)) for call in CALLS_WHILE_CLOSING]
            for thread in threads:
                thread.start()
            mind.recall("Ann")
        for thread in threads:
            thread.join(20)
    assert [(type(each), getattr(each, "code", each)) for each in ended] == [
        (samemind.Unreachable, "closed")
    ] * (3 * len(CALLS_WHILE_CLOSING))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no process")
def test_a_forked_process_is_told_to_open_it_again_and_can(tmp_path: Path) -> None:
    """The threads that answer stayed with the process that it was forked from: it would wait for ever."""
    program = """
import os, sys, samemind
with samemind.open_blocking(sys.argv[1]) as mind:
    mind.remember("Ann moved to Lisbon")
    child = os.fork()
    if not child:
        for call in (lambda: mind.recall("Ann"), lambda: mind.remember("Ben"), lambda: mind.get("00000000")):
            try:
                call()
            except samemind.Unreachable as error:
                print(error.code)
        with samemind.open_blocking(sys.argv[1]) as again:
            print(again.recall("Ann")[0].text, flush=True)
        sys.exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), mind.recall("Ann")[0].text)
"""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, tmp_path / "home"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout.split("\n") == [*["forked"] * 3, "Ann moved to Lisbon", "7 Ann moved to Lisbon", ""]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no process")
def test_a_forked_process_does_not_hold_the_store_on(tmp_path: Path) -> None:
    """Workers outlive a parent that is killed; a lock and a socket last as long as anybody has a descriptor of them."""
    program = """
import os, sys, samemind
mind = samemind.open_blocking(sys.argv[1])
if os.fork():
    os._exit(0)  # as one that is killed, with everything open
sys.stdin.read()
mind.close()
del mind
"""
    forked = subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program, tmp_path / "home"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert forked.wait(60) == 0
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert not mind.stats().memories
    _, said = forked.communicate()
    assert said == b"", "the child has nothing to close, and nothing to say of it"


def test_many_take_what_one_takes(tmp_path: Path) -> None:
    at = datetime(2026, 3, 4, tzinfo=UTC)
    given: dict[str, Any] = {"tag": "work", "pin": True, "session": "talk", "at": at, "meta": {"n": 1}}
    with samemind.open_blocking(tmp_path / "home") as mind:
        one = mind.get(mind.remember("Ann moved to Lisbon", **given))
        (rid,) = mind.remember_many([{"text": "Ben moved to Porto", **given}]).rids
        many = mind.get(rid)
        names = ("tags", "pinned", "session", "told_at", "meta")
        assert [getattr(many, name) for name in names] == [getattr(one, name) for name in names]


def test_days_uuids_and_numbers_of_numpy_are_taken_for_what_they_are(tmp_path: Path) -> None:
    number, day = UUID(int=7), date(2026, 3, 4)
    meta = {"level": np.float32(0.5), "count": np.int64(3), "by": number, "read": day}
    with samemind.open_blocking(tmp_path / "home") as mind:
        found = mind.get(mind.remember("The meter was read", at=day, meta=meta))
    written = {"level": 0.5, "count": 3, "by": str(number), "read": "2026-03-04"}
    assert found.meta == written
    assert found.told_at is not None
    assert found.told_at.astimezone().date() == day


def test_a_uuid_is_an_id_wherever_an_id_is_expected(tmp_path: Path) -> None:
    rid = UUID("0198f3c0-0000-7000-8000-00000000000a")
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert mind.remember("Ann moved to Lisbon", rid=rid).rid == str(rid)
        assert mind.edit(rid, "Ann moved to Porto").text == mind.get(rid).text == "Ann moved to Porto"
        assert mind.forget(rid).rids == [str(rid)]


@pytest.mark.parametrize(
    "ask",
    [
        lambda mind, page: mind.graph(page),
        lambda mind, page: mind.remember("Ann moved", rid=page),
        lambda mind, page: mind.remember_many([{"text": "Ann moved", "rid": page}]),
    ],
)
def test_a_page_in_place_of_a_name_or_an_id_is_not_told_back_whole(
    tmp_path: Path, ask: Callable[[BlockingMind, str], object]
) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(samemind.SamemindError) as caught:
            ask(mind, "x" * 100_000)
        assert len(str(caught.value)) < 200


def test_a_batch_that_is_sent_again_is_stored_once(tmp_path: Path) -> None:
    """As of one memory: who heard no answer asks again, under the same ids."""
    rid, other = (f"0198f3c0-0000-7000-8000-00000000000{digit}" for digit in "ab")
    items: list[str | dict[str, str]] = [{"text": "Ann moved to Lisbon", "rid": rid}, "Ben moved to Porto"]
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert mind.remember_many(items).rids[0] == rid
        ops = mind.stats().ops
        assert mind.remember_many(items[:1]).rids == [rid]
        assert mind.stats().ops == ops
        with pytest.raises(samemind.Usage, match="another text"):
            mind.remember_many(["Cid moved to Faro", {"text": "Ann moved to Rome", "rid": rid}])
        for wrong in (5, "abc", other.upper() + "0"):
            with pytest.raises(samemind.Usage, match="line 1: "):
                mind.remember_many([{"text": "Cid moved to Faro", "rid": wrong}])
        with pytest.raises(samemind.Usage, match="line 2: rid: expected an id that no line before has"):
            mind.remember_many([{"text": "Cid", "rid": other}, {"text": "Dee", "rid": other}])
        assert mind.stats().ops == ops, "a bad line keeps all of it out"
        mind.forget(rid)
        assert mind.remember_many(items[:1]).rids == [rid]
        assert mind.list().total == 1, "what was forgotten does not come back"


def test_the_same_under_asyncio(tmp_path: Path) -> None:
    async def main() -> None:
        mind = await samemind.open(tmp_path / "home")
        told = await asyncio.gather(*(mind.remember(f"Ann met Ben in {city}") for city in ("Lisbon", "Rome")))
        assert {hit.rid for hit in await mind.recall("Ann")} == {one.rid for one in told}
        with pytest.raises(samemind.NotFound, match="00000000"):
            await mind.get("00000000")
        (tmp_path / "more.jsonl").write_text('{"text": "Cid lives in Porto"}\n')
        assert (await mind.import_(tmp_path / "more.jsonl")).imported == 1
        mind.sense("Dee likes tea")
        assert (await mind.absorb()).count == 1
        await mind.aclose()
        await mind.aclose()
        with pytest.raises(samemind.Unreachable, match="closed"):
            await mind.recall("Ann")
        async with samemind.open(tmp_path / "home") as again:
            assert (await again.list()).total == 4

    run_awaited(main())


def test_a_task_of_asyncio_that_is_cancelled_or_closed_upon_waits_no_more(tmp_path: Path) -> None:
    async def main() -> None:
        codes = asyncio.Queue[Mapping[str, Any]]()
        async with await samemind.open(tmp_path / "home") as mind:
            cancelled = asyncio.create_task(mind.pair(tell=codes.put_nowait))
            await codes.get()
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            closed_upon = asyncio.create_task(mind.pair(tell=codes.put_nowait))
            await codes.get()
        with pytest.raises(samemind.Unreachable, match="closed"):
            await closed_upon

    run_awaited(main())


def test_with_no_loop_or_no_block_under_trio_an_error_says_what_to_use(tmp_path: Path) -> None:
    async def main() -> None:
        await samemind.open(tmp_path / "home")

    with pytest.raises(samemind.Usage, match="async with"):
        trio.run(main)
    # On a thread of its own: tests of the panel leave a loop on this one.
    with ThreadPoolExecutor(1) as thread, pytest.raises(samemind.Usage, match="under trio or asyncio"):
        thread.submit(main().send, None).result()


def test_who_forgets_async_is_told_how_to_open(tmp_path: Path) -> None:
    opening: Any = samemind.open(tmp_path / "home")
    with pytest.raises(AttributeError, match=r"not open yet.*open_blocking"):
        opening.remember("Ann likes green tea")
    with pytest.raises(AttributeError, match="no attribute 'remembers'"):
        opening.remembers("Ann likes green tea")
    with pytest.raises(samemind.Usage, match=r"not open yet.*open_blocking"):
        opening.__enter__()
    assert not hasattr(opening, "aclose_all")
    assert not (tmp_path / "home").exists()


def test_a_telling_does_not_wait_for_the_thread_of_the_loop(tmp_path: Path) -> None:
    """It is stored by the store's thread alone, and what is asked next is answered with it all the same."""
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember("Ann moved to Lisbon")
        goes_on = threading.Event()
        mind._token.run_sync_soon(lambda: goes_on.wait(30) or None)
        told = mind.remember("Ben moved to Porto")
        assert not goes_on.is_set()
        goes_on.set()
        assert mind.get(told.rid).text == "Ben moved to Porto"
        assert told.rid in [hit.rid for hit in mind.recall("who moved to Porto?")]
    with pytest.raises(samemind.Unreachable, match="closed"):
        mind.remember("Cid moved to Faro")


def test_many_threads_tell_at_once(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:

        def tell(name: str) -> list[str]:
            return [mind.remember(f"{name} counted to {number}").rid for number in range(20)]

        with ThreadPoolExecutor(4) as pool:
            rids = [rid for told in pool.map(tell, ("Ann", "Ben", "Cid", "Dan")) for rid in told]
        assert {one.rid for one in mind.list(limit=100).memories} == {*rids}


def test_what_is_wrong_with_a_telling_is_said_to_its_thread(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(samemind.SamemindError, match="some text"):
            mind.remember("  ")
        with pytest.raises(samemind.Usage, match="importance"):
            mind.remember("Ann moved to Lisbon", importance=2)
        assert mind.list().memories == []


def test_who_asks_of_an_erasure_that_nobody_made_hears_so(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "m.db") as mind:
        kept, gone = mind.remember("kept"), mind.remember("gone")
        mind.forget(gone, erase=True)
        assert mind.forget(gone, status=True).outstanding == []
        with pytest.raises(samemind.Usage, match=f"{kept.rid} was not forgotten"):
            mind.forget(kept, gone, status=True)


@published("PM-01")
def test_nothing_asks_the_network_nor_needs_a_key(tmp_path: Path) -> None:
    """Every socket that leaves the machine, and every name looked up, would stop the program."""
    keyless = {name: value for name, value in cli.environment().items() if "KEY" not in name.upper()}
    script = """
import sys

def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.bind"):
        if not isinstance(arguments[-1], str) or event.startswith("socket.get"):
            raise SystemExit(f"{event} {arguments}")

sys.addaudithook(refuse)
import samemind
with samemind.open_blocking(sys.argv[1]) as mind:
    rid = mind.remember("Ann moved to Lisbon", wait=True)
    mind.edit(rid, "Ann moved to Porto")
    mind.relate("Ann", "lives in", "Porto")
    assert mind.recall("where is Ann?", explain=True)[0].text == "Ann moved to Porto"
    mind.export(sys.argv[1] + ".jsonl")
    mind.forget(rid)
    assert mind.verify().ok
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "notes.db")],
        capture_output=True, text=True, env=keyless, check=False, timeout=cli.SECONDS_MAX,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_library_loads_nothing_heavy() -> None:
    script = (
        "import sys, samemind; samemind.open; samemind.NotFound; samemind.Hit;"
        "print(*sorted({'trio', 'numpy', 'pycrdt', 'cryptography', 'sqlite3', 'replica.core'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("json_asked", [False, True])
@pytest.mark.parametrize("module", ["samemind.cli.main", "dataclasses"])
def test_ctrl_c_while_the_command_is_loaded_is_told_as_at_any_time(
    module: str, json_asked: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    script = (
        "import importlib.abc, os, signal, sys\n"
        "class Interrupting(importlib.abc.MetaPathFinder):\n"
        "  def find_spec(self, name, path, target=None):\n"
        "    if name == sys.argv[1]: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.modules.pop('dataclasses', None)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from samemind.__main__ import main\n"
        "sys.exit(main())\n"
    )
    words = [module, *(["--json"] if json_asked else [])]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=False, timeout=120
    )
    Printer(json=json_asked, raw=False).interrupted()
    assert (done.returncode, done.stdout, done.stderr) == (130, capsys.readouterr().out, "")


def test_asking_ones_own_memory_loads_nothing_that_goes_online(tmp_path: Path) -> None:
    script = (
        "import sys, samemind\n"
        "with samemind.open_blocking(sys.argv[1]) as mind: mind.recall('anything')\n"
        "online = {'zeroconf', 'spake2', 'sync.session', 'mcp', 'rich', 'hypercorn', 'http.client',\n"
        "  'cryptography.x509'}\n"
        "print(*sorted(online & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "home")],
        capture_output=True, text=True, check=True, timeout=cli.SECONDS_MAX,
    )  # fmt: skip
    assert done.stdout.strip() == ""


def test_everything_that_the_door_names_is_there() -> None:
    for name in samemind.__all__:
        named = getattr(samemind, name)
        assert not isinstance(named, type) or named.__module__.startswith("samemind"), name
    with pytest.raises(AttributeError):
        _ = samemind.nothing  # type: ignore[attr-defined]  # checkers see it too


def test_both_libraries_have_the_same_methods_with_the_same_signatures() -> None:
    def methods(kind: type) -> dict[str, str]:
        return {
            name: str(inspect.signature(method)).replace(" ", "").replace("Async", "")
            for name, method in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_")
        }

    assert methods(BlockingMind) == methods(Mind) | {"close": "(self)->'None'"}


def test_a_method_that_is_written_out_takes_every_option_of_its_command() -> None:
    """All others are made from the declarations."""
    given_otherwise = {
        "remember-many": {"batch", "lines"},
        "set": {"values"},
        "profile set": {"values"},
        "feedback": {"irrelevant"},
        "import": {"yes"},  # asked at a terminal only
    }
    for verb in map(verb_named, NAMES):
        if isinstance(verb.library, ByHand):
            parameters = set(inspect.signature(getattr(Mind, verb.library.name)).parameters)
            wanted = {one.name for one in declared(verb.options)} - given_otherwise.get(verb.name, set())
            assert wanted <= parameters, verb.name


def test_half_of_a_letter_is_named_by_its_item(tmp_path: Path) -> None:
    """JSON can spell it, and no text can hold it."""
    with samemind.open_blocking(tmp_path) as mind:
        for item in ("half \ud83d", {"text": "whole", "speaker": "\ud83d"}):
            with pytest.raises(samemind.Usage, match="item 2 to be text, got half of a letter"):
                mind.remember_many(["whole", item])
        assert mind.list().total == 0


def test_a_text_that_was_taken_for_a_path_is_not_told_back(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path) as mind:
        for call in (mind.import_, mind.backup, mind.export, mind.carry_import):
            with pytest.raises(samemind.Failed, match="too long") as caught:
                call("a" * 2_000_000)
            assert len(str(caught.value)) < 200


@pytest.mark.parametrize("value", [1, 1.5, True, None, ["x"], {"a": 1}, "1", "ж"])
def test_metadata_is_found_by_the_value_that_was_stored(tmp_path: Path, value: Any) -> None:
    with samemind.open_blocking(tmp_path) as mind:
        told = mind.remember("Ann ran", meta={"of": value, "url:": "[1]"})
        mind.remember("Bob ran", meta={"of": "else"})
        for found in (mind.list(meta={"of": value}), mind.recall("who ran?", meta={"of": value})):
            assert [each.rid for each in found] == [told.rid]
        assert mind.get(told).meta["url:"] == "[1]"


def test_times_ids_and_metadata_may_be_python_values(tmp_path: Path) -> None:
    noon = datetime(2023, 5, 8, 12, tzinfo=UTC)
    with samemind.open_blocking(tmp_path) as mind:
        one = mind.remember("Ann ran", at=noon, meta={"confidence": 0.9, "by": "Eve"}, tag={"run"})
        view = mind.get(one)
        assert (view.told_at, view.meta, view.tags) == (noon, {"confidence": 0.9, "by": "Eve"}, ["run"])
        view = mind.set(view, importance=1, event_start=noon, tags=["b", "a"], topic="sport", pinned=True)
        assert (view.importance, view.event_start, view.tags, view.topic) == (1.0, noon, ["a", "b"], "sport")
        view = mind.set(view, topic=None, tags=None, pinned=False)
        assert (view.topic, view.tags, view.pinned) == (None, [], False)
        many = mind.remember_many(["a text", {"text": "another", "at": noon, "session": "chat"}])
        assert mind.get(many.rids[1]).session == "chat"
        assert mind.list(since=noon, until=noon + timedelta(seconds=1)).memories[0].told_at == noon


def test_one_text_where_several_may_stand_is_one_of_them(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path) as mind:
        bees = mind.remember(
            "Ann keeps bees", tag="hobby", wordings="who has a hive?", claims="Ann keeps: bees"
        )
        assert mind.get(bees).tags == ["hobby"]
        assert [hit.rid for hit in mind.recall("bees", tag="hobby")] == [bees.rid]
        assert mind.list(tag="hobby").total == 1
        assert mind.remember_many("Bob keeps goats").count == 1
        assert mind.remember_many({"text": "Eve keeps hens", "topic": "farm"}).count == 1
        texts = {memory.text for memory in mind.list()}
        assert texts == {"Ann keeps bees", "Bob keeps goats", "Eve keeps hens"}
        assert mind.list(topic="farm").total == 1


@published("YD-04")
def test_a_stretch_holds_its_beginning_and_not_its_end(tmp_path: Path) -> None:
    """Row YD-04: [a, b) boundaries are exact; a date alone is the whole day."""
    noon = datetime(2023, 5, 8, 12, tzinfo=UTC)
    with samemind.open_blocking(tmp_path) as mind:
        mind.remember("Ann ran", at=noon)
        for since, until, there in (
            (noon, noon, 0),
            (noon - timedelta(hours=1), noon, 0),
            (noon, noon + timedelta(milliseconds=1), 1),
            (noon + timedelta(milliseconds=1), noon + timedelta(hours=1), 0),
            ("2023-05-08", "2023-05-08", 1),
            ("2023-05-07", "2023-05-07", 0),
        ):
            assert mind.list(since=since, until=until).total == there, (since, until)
            assert len(mind.recall("who ran", since=since, until=until)) == there


def test_who_went_through_a_program_that_ends_goes_on_without_it(tmp_path: Path) -> None:
    with ExitStack() as first:
        holder = first.enter_context(samemind.open_blocking(tmp_path))
        held = holder.remember("told by the holder")
        with samemind.open_blocking(tmp_path) as other:
            assert other.get(held).text == "told by the holder"
            first.close()
            told = other.remember("told when nobody held it")
            other.tag(told, "kept")
            assert other.list().total == 2
            with samemind.open_blocking(tmp_path) as third:  # through the one that holds it now
                assert third.get(told).tags == ["kept"]
                with pytest.raises(samemind.NotFound):
                    third.get("00000000")
    with samemind.open_blocking(tmp_path) as mind:
        assert {each.text for each in mind.list()} == {"told by the holder", "told when nobody held it"}
        assert mind.verify().ok


def test_asked_after_its_block_a_mind_says_that_it_is_closed(tmp_path: Path) -> None:
    async def main() -> None:
        async with samemind.open(tmp_path) as held:
            async with samemind.open(tmp_path) as mind:  # through the one above
                await mind.stats()
            with trio.fail_after(20), pytest.raises(trio.ClosedResourceError):
                await mind.stats()
        with trio.fail_after(20), pytest.raises(trio.ClosedResourceError):
            await held.stats()

    trio.run(main)


def test_what_a_daemon_cut_short_is_asked_of_it_again_or_said_to_be_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store was closed beneath the call, and yet is not closed for the caller."""
    monkeypatch.setattr("samemind.library.home_store.GRACE_S", 0)
    monkeypatch.setattr(
        "samemind.library.home_store.TAKEN_WITHIN_S", 0
    )  # no daemon comes: it is opened here again
    ask = Local.ask

    async def main() -> None:
        store = HomeStore(Home.at(tmp_path), program="a test", serves_agents=False)

        async def ask_until_closed(reached: Local, verb: str, options: Any, say: Any) -> Any:
            if reached.device is not first:
                return await ask(reached, verb, options, say)
            first.stop.set()
            while True:
                await ask(reached, verb, options, say)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.keep)
            for again in (True, False):
                await store.ask("stats", {}, again=True)
                first = store._reached.device
                with monkeypatch.context() as patched, trio.fail_after(20):
                    patched.setattr(Local, "ask", ask_until_closed)
                    if again:
                        assert (await store.ask("stats", {}, again=True))["memories"] == 0
                    else:
                        with pytest.raises(samemind.Unreachable) as raised:
                            await store.ask("stats", {}, again=False)
                        assert raised.value.code == "holder_ended"
            store.close()

    trio.run(main)


def test_a_change_that_its_holder_may_have_made_is_not_made_twice(tmp_path: Path) -> None:
    async def main() -> None:
        async with samemind.open(tmp_path), samemind.open(tmp_path) as mind:
            store = mind._reached._store  # type: ignore[attr-defined]
            asked: list[tuple[str, bool]] = []

            async def ask(verb: str, options: Mapping[str, Any], *, again: bool, hear: Any) -> Any:
                asked.append((verb, again))
                raise samemind.Unreachable("gone", code="holder_ended")

            store.ask = ask
            for call in (mind.remember("x"), mind.stats(), mind.remember_many(["x"]), mind.add_goal("y")):
                with pytest.raises(samemind.Unreachable):
                    await call
            assert asked == [
                ("remember", True),
                ("stats", True),
                ("remember-many", False),
                ("goals add", False),
            ]

    trio.run(main)


def test_an_error_in_the_block_comes_out_as_it_is(tmp_path: Path) -> None:
    """Not in a group of one: what runs behind the door is not the caller's business."""

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            async with samemind.open(tmp_path):
                _ = 1 / 0
        with pytest.raises(samemind.NotFound):
            async with samemind.open(tmp_path) as mind:
                await mind.get("123456")
        async with samemind.open(tmp_path):
            with pytest.raises(ZeroDivisionError):
                async with samemind.open(tmp_path):  # through the one above
                    _ = 1 / 0
            with trio.move_on_after(0) as scope:
                async with samemind.open(tmp_path) as mind:
                    await mind.stats()
            assert scope.cancelled_caught

    trio.run(main)


def test_a_store_that_cannot_be_opened_says_so_to_blocking_callers_too(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_bytes(b"rubbish" * 1000)
    with pytest.raises(samemind.SamemindError) as caught, samemind.open_blocking(tmp_path / "notes.db"):
        pass
    assert caught.value.code == "store_corrupt"


@published("ME-12")
def test_a_store_is_one_file_that_can_be_copied_and_opened_elsewhere(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "notes.db") as mind:
        mind.remember("Ann moved to Lisbon", tag=["move"])
        mind.remember("Bob bakes bread", wait=True)
        mind.relate("Ann", "knows", "Bob")
        digest, hits = mind.digest().digest, [hit.text for hit in mind.recall("Lisbon")]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "copy.db").write_bytes((tmp_path / "notes.db").read_bytes())
    with samemind.open_blocking(tmp_path / "elsewhere" / "copy.db") as mind:
        assert mind.digest().digest == digest
        assert [hit.text for hit in mind.recall("Lisbon")] == hits
        assert mind.graph("Ann").edges[0].target == "Bob"
        mind.remember("the copy is a device of its own")
        assert mind.verify().ok


def test_a_new_store_is_its_owners_alone(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "notes.db") as mind:
        mind.remember("private")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}, modes
