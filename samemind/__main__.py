"""Begin the `samemind` command, also as `python -m samemind`: Ctrl-C ends it quietly while it is loaded too."""

import sys


def main() -> int:
    """Do what the command line says and return the exit code."""
    try:
        from samemind.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130  # `samemind.errors.INTERRUPTED_EXIT_CODE`, which may not be there yet


if __name__ == "__main__":
    sys.exit(main())
