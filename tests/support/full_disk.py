"""A disk with little room left: a home of version 0.1.0 on a file system in memory, in a mount namespace.

    unshare --mount python -m tests.support.full_disk FOLDER

asks for one thing after another with more and more room, and says in lines of JSON what a user was told, and what was
there when there was room again.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import zstandard

from tests.support import cli
from tests.support.mounts import mount

FROZEN: Final = Path(__file__).parents[1] / "data" / "home-0.1.0"
ROOMY: Final = "remount,size=64m"
# None of these is enough but the last of an upgrade.
ROOMS: Final = {
    "remember": (100_000, 1_600_000),
    "compact": (100_000,),
    "import": (400_000,),
    "backup": (100_000,),
    "restore": (0,),
}
IMPORTED: Final = 300


def put_home(home: Path) -> None:
    """Unpack the home as 0.1.0 left it."""
    home.mkdir(mode=0o700)
    (home / "memory.db").write_bytes(zstandard.decompress((FROZEN / "memory.db.zst").read_bytes()))
    (home / "identity.pem").write_bytes((FROZEN / "identity.pem").read_bytes())
    (home / "identity.pem").chmod(0o600)


def used_bytes(disk: Path) -> int:
    said = subprocess.run(
        ["df", "--output=used", "-B1", str(disk)], capture_output=True, text=True, check=True, timeout=60
    )
    return int(said.stdout.split()[1])


def options_of(verb: str, folder: Path, disk: Path) -> tuple[str, ...]:
    """Return what a verb is given; what it writes lies on the disk, and what it reads beside it."""
    return {
        "remember": ("told on a full disk",),
        "import": (str(folder / "notes.jsonl"),),
        "backup": (str(disk / "backup.db"),),
        "restore": (str(folder / "backup.db"),),
    }.get(verb, ())


def tried(folder: Path, disk: Path, verb: str, room: int) -> dict[str, Any]:
    """Ask for a verb with so many bytes of room, and once more when there is more of it."""
    mount(disk, "size=64m")
    home = disk / "home"
    try:
        put_home(home)
        if verb != "remember":  # that one upgrades
            cli.run(home, "list")
        if verb == "restore":
            (folder / "backup.db").unlink(missing_ok=True)
            cli.run(home, "backup", str(folder / "backup.db"))
        mount(disk, f"remount,size={used_bytes(disk) + room}")
        options = options_of(verb, folder, disk)
        done = cli.run(home, "--json", verb, *options)
        mount(disk, ROOMY)
        left = sorted(path.name for path in disk.iterdir() if path != home)
        digest = cli.run(home, "--json", "digest").json["digest"]
        again = cli.run(home, "--json", verb, *options)
        return {
            "verb": verb,
            "room": room,
            "code": done.code,
            "error": json.loads(done.out.splitlines()[-1]).get("error"),
            "left": left,
            "digest": digest,
            "again": again.code,
            "verified": cli.run(home, "--json", "verify").code,
            "memories": cli.run(home, "--json", "stats").json["memories"],
        }
    finally:
        subprocess.run(["umount", str(disk)], check=True, timeout=60)


def main(folder: Path) -> None:
    disk = folder / "disk"
    disk.mkdir()
    lines = (json.dumps({"text": f"imported {n} " + "word " * 60}) for n in range(IMPORTED))
    (folder / "notes.jsonl").write_text("\n".join(lines))
    for verb, rooms in ROOMS.items():
        for room in rooms:
            print(json.dumps(tried(folder, disk, verb, room)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
