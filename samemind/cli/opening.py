"""Perform a verb in this process, where no other program holds the store.

Where the home takes no writes, what only reads is read from a copy in memory (`samemind.home.copied`).

A verb that only looks at what is there is done without a loop or a thread: to load what runs those takes a third of it.
"""

import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from samemind.cli.printing import Printer
from samemind.config import Home
from samemind.declaring import Command, Effects, read_options
from samemind.errors import Locked, SamemindError, Unreachable
from samemind.local import Local
from samemind.performing import at_once, raise_translated

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.reach import ReachedDevice


def ask_here(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    """Open the store and have the verb performed; a verb that goes on answers other programs meanwhile."""
    try:
        return _ask(verb, options, home, printer)
    except SamemindError as error:
        from samemind.home.copied import can_be_copied, copied  # here: hardly ever wanted

        if verb.effects is not Effects.READ or not can_be_copied(home, error):
            raise
        print(
            f"samemind: {error.message}; so this is read from a copy in memory, and nothing is saved",
            file=sys.stderr,
        )
        refused = error
    with copied(home, refused) as copy:
        return _ask(verb, options, copy, printer)


def _ask(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    if not (verb.opens_mind or verb.streams):
        try:
            return at_once(_look(verb, options, home, printer))
        except Locked as error:
            if error.code != "locked":
                raise
        # Somebody holds the store, who may answer or end soon: to wait for that takes a loop.
    import trio

    return trio.run(_reach, verb, options, home, printer)


async def _look(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    from samemind.device import open_device

    async with AsyncExitStack() as stack:
        try:
            device = await stack.enter_async_context(
                open_device(
                    home, program=f"samemind {verb.name}", answers=False, opens_mind=False, alone=True
                )
            )
        except Locked:
            raise
        except Exception as error:
            raise_translated(error)
        return await _answer(Local(device), verb, options, printer, _nothing)


async def _nothing(said: Mapping[str, Any]) -> None:
    raise AssertionError("expected a verb that says nothing before it ends")


async def _reach(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    from samemind.reach import reach

    async def say(said: Mapping[str, Any]) -> None:
        printer.said(verb, said)

    program = f"samemind {verb.name}"
    match verb.name:
        case "up":
            from samemind.daemon.run import run_daemon

            return await run_daemon(home, read_options(verb, options), say)
        case "panel":
            from samemind.commands.device.up import Up
            from samemind.daemon.run import run_daemon

            return await run_daemon(home, Up(), say, launches=True)
        case "down":
            raise Unreachable(f"no daemon runs for {home.shown()}", code="not_running", hint="samemind up")
    goes_on = verb.name == "pair" or bool(options.get("follow"))
    name = options.get("name") if verb.name == "init" else None
    async with reach(
        home, program=program, answers=goes_on, name=name, opens_mind=verb.opens_mind or goes_on
    ) as device:
        return await _answer(device, verb, options, printer, say)


async def _answer(
    device: "ReachedDevice", verb: Command[Any, Any], options: Mapping[str, Any], printer: Printer, say: "Say"
) -> Mapping[str, Any] | None:
    with printer.waiting(verb):  # the store is open: no passphrase is asked for any more
        result = await device.ask(verb.name, options, say)
        if not printer.shortens:
            return result
        from samemind.cli.terminal import ids_in, shortened  # for whoever sits there

        ids = ids_in(result)
        told = await device.ask("ids", {"beginnings": ids}, say) if ids else None
        return shortened(result, lambda _: told)
