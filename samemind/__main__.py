"""Begin the `samemind` command, also as `python -m samemind`: Ctrl-C ends it quietly while it is loaded too."""

import gc
import os
import signal
import sys

# numpy's BLAS starts a thread for each core when it is loaded, which takes as long as the rest of numpy: the products
# here are too small to share out, so that nothing is found any sooner by two.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Windows has no second.
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
# Which of them came: the exit code tells it from Ctrl-C.
_ended_by: list[int] = []


def main() -> int:
    """Do what the command line says and return the exit code, as a shell expects it of whom a signal ended."""
    code = _main()
    return 128 + _ended_by[0] if code == 130 and _ended_by else code


def _main() -> int:
    try:
        _end_like_ctrl_c()
        # Nothing of what a short command loads and makes goes again, and looking for it takes a sixth of its time. A
        # command that may go on enables it (`samemind.cli.main`), and what was loaded until then is not looked at.
        gc.disable()
        from samemind.cli.main import main as run

        gc.freeze()
    except KeyboardInterrupt:
        # `samemind.cli.printing` and `samemind.errors` may not be there yet: here is what they say, as a test checks.
        if "--json" in sys.argv[1:]:
            print('{"error": {"code": "interrupted", "message": "interrupted", "hint": ""}}')
        return 130
    try:
        return run()
    except KeyboardInterrupt:  # pressed again, while the first one is told
        return 130
    finally:
        _end_at_once()
        gc.freeze()  # else the interpreter looks through all that is left, twice, before it ends


def _end_like_ctrl_c() -> None:
    """Have `kill`, and a terminal that is closed, end a command as Ctrl-C does: what it began to write is removed."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # ignored, as in a script's background: then nothing would end

    def end(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)  # the second one ends it at once
        _ended_by.append(number)
        signal.raise_signal(signal.SIGINT)

    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:  # not where `nohup` ignores it
            signal.signal(number, end)


def _end_at_once() -> None:
    """Have the same end the process outright: there is nothing left to say, or to remove."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
