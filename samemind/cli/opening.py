"""Perform a verb in this process, where no other program holds the store."""

from collections.abc import Mapping
from typing import Any

import trio

from samemind.cli.printing import Printer
from samemind.config import Home
from samemind.errors import Unreachable
from samemind.reach import reach
from samemind.surface.declare import Verb, read_options


def ask_here(
    verb: Verb[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    """Open the store and have the verb performed; a verb that goes on answers other programs meanwhile."""
    return trio.run(_ask, verb, options, home, printer)


async def _ask(
    verb: Verb[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    async def say(said: Mapping[str, Any]) -> None:
        printer.said(verb.name, said)

    program = f"samemind {verb.name}"
    match verb.name:
        case "up":
            from samemind.daemon import run_daemon

            return await run_daemon(home, read_options(verb, options), say)
        case "panel":
            from samemind.daemon import run_daemon
            from samemind.surface.device import Up

            return await run_daemon(home, Up(), say, launches=True)
        case "down":
            raise Unreachable(f"no daemon runs for {home.shown()}", code="not_running", hint="samemind up")
    goes_on = verb.name == "pair" or bool(options.get("follow"))
    name = options.get("name") if verb.name == "init" else None
    async with reach(home, program=program, answers=goes_on, name=name) as device:
        with printer.waiting(verb.name):  # the store is open: no passphrase is asked for any more
            return await device.ask(verb.name, options, say)
