"""Open a phone in this machine's browser beside a laptop that serves it: `make demo PHONE=1`.

Both are made for this alone: the laptop in a folder that goes when this ends, the phone in the browser's own disk,
where *Devices*, *Erase this device* removes it.
"""

import json
import subprocess
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Final

_COMMAND: Final = (sys.executable, "-m", "samemind")
_TOLD: Final = (
    "The dentist is at Hauptstrasse 12, second floor",
    "Maria's birthday is on 3 March",
    "Remind me to call the plumber tomorrow at 9",
    "I live in Bern",
    "I live in Basel",
)


def main() -> int:
    """Run until the end of standard input, or until interrupted; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="samemind-demo-") as folder:
        base = (*_COMMAND, "--home", str(Path(folder) / "laptop"), "--json")
        subprocess.run([*base, "init", "--name", "laptop"], check=True, stdout=subprocess.DEVNULL)
        up = [*base, "up", "--no-mdns", "--listen", "127.0.0.1:0", "--panel", "127.0.0.1:0"]
        with subprocess.Popen(up, stdout=subprocess.PIPE, text=True) as laptop:
            try:
                panel = json.loads(_line(laptop))["panel_url"]
                for text in _TOLD:
                    subprocess.run([*base, "remember", text], check=True, stdout=subprocess.DEVNULL)
                return _show(panel, base)
            finally:
                laptop.terminate()


def _show(panel: str, base: tuple[str, ...]) -> int:
    with subprocess.Popen([*base, "pair"], stdout=subprocess.PIPE, text=True) as pairing:
        try:
            url = f"{panel}phone/#pair={json.loads(_line(pairing))['code']}"
            print(f"a phone, which pairs with a laptop that runs here: {url}", flush=True)
            webbrowser.open(url)
            print(f"paired; both show: {json.loads(_line(pairing))['words']}", flush=True)
            print("tell the phone something, or ask it; Control-D or Control-C ends the laptop", flush=True)
            sys.stdin.read()
        except KeyboardInterrupt:
            print()
        finally:
            pairing.terminate()
    return 0


def _line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit("samemind ended before it said anything; what it said on the way is above")
    return line


if __name__ == "__main__":
    sys.exit(main())
