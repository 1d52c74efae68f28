"""The `samemind` command.

A verb goes to the program that holds the store, if one answers, and that costs hardly more than starting
Python: nothing here loads trio, SQLite or a model before it turns out that the store has to be opened in
this process.
"""

import gc
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from samemind.cli.line import Line, find_verb, read_line, read_words
from samemind.cli.printing import Printer
from samemind.config import CLOCK_MS_MIN, Home
from samemind.control.client import Control, repeatable
from samemind.declaring import Command, Effects, read_options
from samemind.errors import (
    BROKEN_PIPE_EXIT_CODE,
    HOLDER_ENDED,
    INTERRUPTED_EXIT_CODE,
    RESTART,
    Failed,
    Locked,
    SamemindError,
    Unreachable,
    Usage,
    explain,
)
from samemind.platform import system

# A daemon ends within two seconds on a machine at rest; after this, something holds it that no waiting will help with.
END_SECONDS_MAX: Final = 20.0


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line says and return the exit code."""
    words = sys.argv[1:] if words is None else words
    if "_ARGCOMPLETE" in os.environ:
        from samemind.cli.completion import complete

        complete(os.environ)
    _open_what_is_closed()
    system.speak_utf_8()
    warnings.formatwarning = lambda message, *_, **__: f"samemind: {message}\n"
    # What is known before the line can be read: an error in it must be printed as asked for too.
    printer = Printer(json="--json" in words, raw="--raw" in words)
    try:
        return _run(read_line(words), printer)
    except KeyboardInterrupt:
        printer.interrupted()
        return INTERRUPTED_EXIT_CODE
    except BrokenPipeError:
        _print_no_more()
        return BROKEN_PIPE_EXIT_CODE
    except BaseExceptionGroup as group:  # a nursery that was interrupted wraps it
        if group.subgroup(KeyboardInterrupt) is None:
            return _fail(group, printer)
        printer.interrupted()
        return INTERRUPTED_EXIT_CODE
    except Exception as error:
        return _fail(error, printer)


def _open_what_is_closed() -> None:
    """Put the null device in the place of a standard stream that was closed (`<&-`): Python has None there.

    The number of such a stream would be that of the next file opened too, and what is printed would go into it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - it stays for the whole run


def _fail(error: BaseException, printer: Printer) -> int:
    told = explain(error)
    if told.code == "internal" and os.environ.get("SAMEMIND_DEBUG"):
        raise error
    try:
        printer.failed(told)
    except BrokenPipeError:
        _print_no_more()
    except OSError:
        # Standard output takes nothing, as on a full disk; where neither does, the exit code says the same.
        _print_no_more()
        with suppress(OSError):
            Printer(json=False, raw=False).failed(told)
    return told.exit_code


def _print_no_more() -> None:
    """Leave what could not be printed: Python would complain again when it flushes at the end."""
    os.dup2(system.open_file(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(line: Line, printer: Printer) -> int:
    if not line.verb or line.verb == "help" or line.help:
        from samemind.cli.help import show_help

        show_help(line, printer)
        return 0
    if line.verb == "demo":
        from samemind.demo import run_demo

        gc.enable()
        came = run_demo(quiet=printer.json)
        if printer.json:
            printer.document(came)
        return 0
    if line.verb == "completion":
        from samemind.cli.completion import completion_script

        printer.result(
            "completion",
            {"shell": line.words[0] if line.words else "", "script": completion_script(line.words)},
        )
        return 0
    if line.verb == "version":
        from importlib.metadata import version

        printer.result("version", {"version": version("samemind")})
        return 0
    verb = find_verb(line)
    if verb.effects is not Effects.READ or verb.streams:
        gc.enable()  # it may go on, and leave something behind (samemind.__main__)
    options = read_words(verb, line.words)
    if verb.rows:
        printer.format = options.pop("format", None)
        if options.get("follow") and printer.format in ("table", "csv"):
            raise Usage(
                f"expected --format jsonl or json with --follow, got {printer.format}", code="invalid"
            )
    if verb.name == "group restore":
        from samemind.cli.asking import recovery_code

        options["code"] = recovery_code(options.get("code", ()))
    read = read_options(verb, options)  # refuse what cannot be meant before anything is opened
    if verb.name == "import" and not options.pop("yes", False) and not (printer.json or printer.raw):
        from samemind.cli.asking import agree_to_import

        agree_to_import(options["files"], options.get("format", "auto"))
    home = Home.choose(line.home)
    if verb.alone:
        result = _do_alone(verb, read, home, printer)
    else:
        try:
            with _poured(verb, options) as given:
                result = _ask(verb, given, home, printer)
        except Failed as error:
            if verb.name != "doctor" or error.code != "bad_settings":
                raise
            # Nothing can be opened by such settings; to say so is what it was asked for.
            found = {"name": "settings", "ok": False, "detail": error.message, "fix": error.hint}
            result = {"ok": False, "checks": [found]}
    if result is not None:
        _print(verb, result, printer, home)
    _warn_of_the_clock(verb)
    return 0 if result is None or verb.went_well(result) else 1


def _warn_of_the_clock(verb: Command[Any, Any]) -> None:
    """Say that what was told is dated wrongly: whoever finds out from the dates finds out too late."""
    if verb.effects is not Effects.READ and time.time() * 1_000 < CLOCK_MS_MIN:
        year = time.gmtime().tm_year
        print(
            f"samemind: this device's clock shows the year {year}, and what is told now is dated by it: "
            "set the clock by the network",
            file=sys.stderr,
        )


def _print(verb: Command[Any, Any], result: Mapping[str, Any], printer: Printer, home: Home) -> None:
    try:
        printer.result(verb.name, result)
    except BrokenPipeError:
        raise
    except OSError as error:
        # Not as if the store's disk had refused: whoever reads that does it a second time.
        raise Failed(
            f"expected to print what came of it, but standard output takes nothing: {error.strerror or error}",
            code="not_printed",
            hint="" if verb.effects is Effects.READ else f"`{verb.name}` was done: do not ask for it again",
        ) from error
    except KeyError as error:
        from samemind.home.lock import is_held  # here: hardly ever wanted

        if verb.alone or not is_held(home):
            raise
        # Another program answered, whose release knows no such field.
        done = "" if verb.effects is Effects.READ else f"; `{verb.name}` was done"
        raise Failed(
            f"the program that holds the store answered without {error}{done}", code="internal", hint=RESTART
        ) from error


def _do_alone(
    verb: Command[Any, Any], options: Any, home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    from samemind.formats.plain import to_json

    async def say(said: Mapping[str, Any]) -> None:
        printer.said(verb, said)

    printer.begins(verb)  # no more: it may ask for a passphrase, where no bar is to be drawn
    result = verb.run(home, options, say) if verb.streams else verb.run(home, options)
    document: Mapping[str, Any] | None = None if result is None else to_json(result)
    return document


def _ask(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    """Ask whoever holds the store; once more where that ended, and doing it twice is the same as doing it once."""
    options, again = repeatable(verb.name, options, harmless=verb.may_repeat and not verb.streams)
    try:
        return _ask_once(verb, options, home, printer)
    except Unreachable as error:
        if error.code != HOLDER_ENDED or not again:
            raise
    return _ask_once(verb, options, home, printer)


def _ask_once(
    verb: Command[Any, Any], options: Mapping[str, Any], home: Home, printer: Printer
) -> Mapping[str, Any] | None:
    if verb.name == "up" and options.get("background"):
        return _start(options, home)
    control = None if verb.name == "up" else Control.connect(home)
    if control is None and verb.starts_daemon and _started_on_demand(home):
        control = Control.connect(home)
    if control is None:
        from replica.collector import collector_paused

        with collector_paused():
            from samemind.cli.opening import ask_here  # everything heavy

        return ask_here(verb, options, home, printer)
    result: Mapping[str, Any] | None = None
    try:
        with printer.waiting(verb):
            for said, found in control.ask(verb.name, options):
                result = found
                if said is not None:
                    printer.said(verb, said)
            if result is not None and printer.shortens:
                from samemind.cli.terminal import shortened  # for whoever sits there

                result = shortened(result, lambda ids: _ids_of(control, ids))
    except Locked:
        if verb.name != "panel":
            raise
        from samemind.cli.opening import ask_here

        # An agent's server holds the store and has no panel: a daemon takes it over, and the server goes on through it.
        return ask_here(verb, options, home, printer)
    finally:
        control.close()
    if verb.name == "down" and result is not None:
        _wait_for_the_end(home, result["pid"])
    return result


def _ids_of(control: Control, ids: list[str]) -> Mapping[str, Any] | None:
    """Ask the program that holds the store how short ids may be."""
    try:
        for _, found in control.ask("ids", {"beginnings": ids}):
            if found is not None:
                return found
    except SamemindError:
        pass  # of an older release: whole ids are right too
    return None


@contextmanager
def _poured(verb: Command[Any, Any], options: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give the options as the program that holds the store can read them: its standard input is not ours.

    Pipes are read before anybody takes the store, and without trio: Ctrl-C ends that at once.
    """
    if verb.name != "import":
        yield options
        return
    from samemind.control.pouring import draw, poured

    with poured([draw(file) for file in options["files"]]) as files:
        yield {**options, "files": files}


def _start(options: Mapping[str, Any], home: Home) -> Mapping[str, Any]:
    """Start the daemon in the background, with the same options, and say what it says of itself."""
    from samemind.starting import start_daemon

    words: list[str] = []
    for name, value in options.items():
        if name != "background" and value:
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return start_daemon(home, words)


def _started_on_demand(home: Home) -> bool:
    if not home.settings.exists():
        return False
    from samemind.starting import start_daemon, wants_daemon  # reading settings takes a few milliseconds

    if not wants_daemon(home):
        return False
    start_daemon(home)
    return True


def _wait_for_the_end(home: Home, pid: int) -> None:
    """Return when the daemon has let go of the store, so that whatever comes next can have it.

    An agent's server that was asked meanwhile has it at once.
    """
    from samemind.home.lock import Holder, is_held  # here: only where a daemon is ended

    deadline = time.monotonic() + END_SECONDS_MAX
    while is_held(home) and time.monotonic() < deadline:
        holder = Holder.of(home)
        if holder is not None and holder.pid != pid:
            return
        time.sleep(0.01)
