"""A browser has no trio, numpy or cryptography: the phone's part loads without them."""

import subprocess
import sys

_SCRIPT = """
import sys

GONE = {"trio", "outcome", "numpy", "aiosqlite", "zeroconf", "ifaddr", "nacl", "cffi", "_cffi_backend", "rich"}
GONE |= {"cryptography", "pycrdt", "asyncio", "ssl", "socket", "threadpoolctl", "wordllama"}


class Nobody:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in GONE:
            raise ImportError(name)


sys.meta_path.insert(0, Nobody())
from samemind.phone import stand_ins

stand_ins.install()
import samemind.phone.entry

print(*sorted({name for name in sys.modules if name.startswith("samemind.")}))
"""


def test_it_loads_without_what_a_browser_lacks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    others = [name for name in done.stdout.split() if not name.startswith("samemind.phone")]
    assert others == []
