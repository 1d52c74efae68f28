"""Print what came of a verb: for people, as JSON, or as one bare line.

Standard output carries the answer and nothing else; progress, errors for people and all other prose go to
standard error. With `--json` there is exactly one document, also for an error; verbs that go on print a
line for each thing they say. `--raw` is for programs that pay by the token: one line, nothing decorated.
"""

import io
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

from samemind.catalog import NAMES, verb_named
from samemind.control.protocol import TAKING_IN
from samemind.declaring import Command
from samemind.errors import SamemindError
from samemind.formats.printable import one_line, safe
from samemind.formats.rendering import Document, pairs, plain, titled
from samemind.platform import system

# Often enough to see that it goes on, and a log of an hour stays short.
PROGRESS_LINES_S: Final = 5.0
# Nobody looks for a sign of life sooner, and most verbs are done by then.
PATIENCE_S: Final = 1.0
# Of what the command line does itself, which field is all that people are shown.
_SHOWN_ALONE: Final = {"version": "version", "completion": "script"}
# What whoever typed a verb that keeps its terminal is told once it is up: how to end it, and what leaves it free.
_STAYS: Final = {
    "up": "runs in this terminal until Ctrl-C or `samemind down`; `samemind up --background` leaves it free",
    "panel": "serves the panel until Ctrl-C; after `samemind up --background`, it stays without this terminal",
}


class Printer:
    """Where a verb's answer goes."""

    def __init__(self, *, json: bool, raw: bool) -> None:
        self.json = json
        self.raw = raw
        self.format: str | None = None
        # Whoever sits there reads short ids and rows that fit; programs read what is whole.
        self.terminal = not (json or raw) and sys.stdout.isatty()
        self._lines: list[str] = []
        self._bar: Any = None
        self._kept = ""
        self._line_due_s = 0.0
        self._drawing: AbstractContextManager[Any] = nullcontext()
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Memories are in every script, whatever the locale says of this terminal; in JSON an escape is right too.
            sys.stdout.reconfigure(encoding="utf-8" if json else None, errors="backslashreplace")

    @property
    def shortens(self) -> bool:
        """Whether ids are to be shown as short as they may be typed."""
        return self.terminal and self.format in (None, "table")

    def begins(self, verb: Command[Any, Any]) -> None:
        """Hear which verb is at work: what it says of its progress, and what is there when it is interrupted."""
        self._kept = verb.kept
        self._line_due_s = time.monotonic() + PROGRESS_LINES_S

    @contextmanager
    def waiting(self, verb: Command[Any, Any]) -> Iterator[None]:
        """Show, for as long as the block takes beyond a second, that a verb is at work, to whoever sits and watches."""
        self.begins(verb)
        if self.json or verb.news or not sys.stderr.isatty():
            yield
            return
        from threading import Lock, Timer  # not where nobody watches

        self._drawing = Lock()
        # Drawn by the bar's own thread from then on: this one waits for the answer.
        impatience = Timer(PATIENCE_S, self._show_progress, [verb.name])
        impatience.daemon = True
        impatience.start()
        try:
            yield
        finally:
            impatience.cancel()
            impatience.join()
            self._end_progress()

    def result(self, verb: str, document: Mapping[str, Any]) -> None:
        """Print a verb's result."""
        self._end_progress()
        if self.json:
            if verb == "export" and document["path"] is None:
                document = {**document, "records": [json.loads(line) for line in self._lines]}
            self.document(document)
        elif self.format is not None:
            from samemind.cli.formats import formatted  # only where one was asked for

            told = formatted(self.format, document, verb_named(verb).records(document))
            if self.format == "table":
                self.lines(told.split("\n"), named=True)
            else:
                self.text(told)
        elif self.raw:
            self.text(raw_line(verb, document))
        else:
            self.lines(show(verb, document, terminal=self.terminal))
            if verb == "panel" and "url" in document and sys.stdout.isatty():  # else it served it, and ended
                _open_browser(document)
            if verb == "mailbox invite" and sys.stdout.isatty():
                _show_qr(document["text"])

    def said(self, verb: Command[Any, Any], document: Mapping[str, Any]) -> None:
        """Print what a verb says before its end."""
        if "progress" in document:
            what = "taking in what another device sent" if TAKING_IN in document else verb.name
            self._show_progress(what, **document["progress"])
        elif "lines" in document:
            if self.json:
                self._lines += document["lines"]
            else:
                self._end_progress()
                sys.stdout.writelines(document["lines"])
        elif verb.news:
            if self.json or self.format in ("json", "jsonl"):  # one record after the other
                self.document(document)
            else:
                render = verb.render_said or pairs
                self.text(raw_line(verb.name, document) if self.raw else "\n".join(render(document)))
                if "invitation" in document and sys.stdout.isatty() and not self.raw:
                    _show_qr(document["invitation"])
                if verb.name == "panel" and sys.stdout.isatty() and not self.raw:
                    _open_browser(document)
                if self.terminal and verb.name in _STAYS and "peer" not in document:
                    print(_STAYS[verb.name], file=sys.stderr, flush=True)

    def failed(self, error: SamemindError) -> None:
        """Print an error."""
        self._end_progress()
        if self.json:
            self.document({"error": error.document()})
            return
        name = "samemind:"
        if sys.stderr.isatty():
            from samemind.cli.terminal import colour_wanted, painted_error

            if colour_wanted(os.environ):
                name = painted_error(name)
        print(f"{name} {safe(error.message)}", file=sys.stderr)
        if error.hint and not self.raw:
            print("  " + safe(error.hint).replace("\n", "\n  "), file=sys.stderr)

    def interrupted(self) -> None:
        """Say that the user ended it."""
        self._end_progress()
        kept = self._kept
        if self.json:
            self.document({"error": {"code": "interrupted", "message": "interrupted", "hint": kept}})
        elif kept:
            print(f"samemind: interrupted: {kept}", file=sys.stderr)

    def document(self, document: Mapping[str, Any]) -> None:
        """Print one document, on one line."""
        print(json.dumps(document, ensure_ascii=False), flush=True)

    def text(self, text: str) -> None:
        """Print text for people, with nothing in it that a terminal would obey, whoever wrote it."""
        if text:
            print(safe(text), flush=True)

    def lines(self, lines: list[str], *, named: bool = False) -> None:
        """Print lines for people, in colour where they sit at a terminal that shows it; `named`: a table's."""
        if self.terminal and lines:
            from samemind.cli.terminal import colour_wanted, coloured, painted_names  # for whoever sits there

            if colour_wanted(os.environ):
                shown = coloured([safe(line) for line in lines])
                print("\n".join([painted_names(shown[0]), *shown[1:]] if named else shown), flush=True)
                return
        self.text("\n".join(lines))

    def _show_progress(self, what: str, done: int = 0, total: int | None = None) -> None:
        """Draw how far a verb is, or what it waits for; without a total, only that it goes on."""
        if self.json:
            return
        if not sys.stderr.isatty():
            self._progress_line(what, done, total)
            return
        if total is not None and done >= total:
            self._end_progress()
            return
        with self._drawing:
            if self._bar is None:
                from rich.console import Console  # only where somebody watches and waits
                from rich.progress import Progress

                self._bar = Progress(console=Console(stderr=True), transient=True)
                self._bar.add_task(what, total=None)
                self._bar.start()
            self._bar.update(self._bar.task_ids[0], description=what, completed=done, total=total)

    def _progress_line(self, what: str, done: int, total: int | None) -> None:
        """Say on a line of its own, every few seconds, how far that is, where no terminal can be drawn on."""
        if time.monotonic() >= self._line_due_s:
            self._line_due_s = time.monotonic() + PROGRESS_LINES_S
            print(
                f"{what}: {done:,}" + ("" if total is None else f" of {total:,}"), file=sys.stderr, flush=True
            )

    def _end_progress(self) -> None:
        with self._drawing:
            bar, self._bar = self._bar, None
            if bar is not None:
                bar.stop()


def show(verb: str, document: Document, *, terminal: bool = False) -> list[str]:
    """Return a result as lines for people, on a terminal as rows that fit it."""
    if terminal and verb == "list":
        from samemind.cli.terminal import memory_rows  # for whoever sits there

        return memory_rows(document, titled)
    if verb in _SHOWN_ALONE:
        return [document[_SHOWN_ALONE[verb]]]
    render = (verb_named(verb).render if verb in NAMES else None) or pairs
    return render(document)


def raw_line(verb: str, document: Document) -> str:
    """Return a result as one line without decoration."""
    if "text" in document and "rid" in document:
        return _bare(document)
    for name in ("results", "memories"):
        if isinstance(document.get(name), list):
            return " | ".join(map(_bare, document[name]))
    if verb == "remember":
        return one_line(document["rid"])
    return " ".join(
        f"{name}={plain(value)}" for name, value in document.items() if value not in (None, [], {}, "")
    )


def _bare(memory: Document) -> str:
    return one_line(f"{memory['rid']} {titled(memory)}")


def _show_qr(text: str) -> None:
    from samemind.formats.qr import print_qr  # only where somebody may point a camera at it

    print_qr(text)


def _open_browser(opened: Mapping[str, Any]) -> None:
    """Show the panel to who asked for it: in a browser here, and to a camera where other machines reach it."""
    if opened["fingerprint"] is not None:
        _show_qr(opened["url"])
    # Every Windows and every Mac shows windows.
    shows = sys.platform == "darwin" or system.KIND == "windows"
    if shows or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        import webbrowser  # in a terminal without a display it would open a browser of text

        webbrowser.open(opened["url"])
