"""Copy the store to a file as it is at one moment, while the device goes on."""

from pathlib import Path

import trio

from replica import connect, open_file
from samemind.config import Home
from samemind.device import Device
from samemind.durable import whole_file
from samemind.results.keeping_safe import BackedUp
from samemind.surface.keeping_safe import Backup


async def backup(device: Device, options: Backup) -> BackedUp:
    """Write the copy beside its place first: a backup that was there stays until the new one is whole."""
    return await trio.to_thread.run_sync(_copy, device.home, Path(options.file), device.key)


def _copy(home: Home, path: Path, key: bytes | None) -> BackedUp:
    path = path.absolute()
    home.check_foreign(path)
    with whole_file(path) as scratch:
        source = connect(str(home.store), read_only=True, key=key)
        target = open_file(str(scratch), key=key)
        try:
            source.backup(target)  # in one step, so that it is one moment; writers go on beside it
            target.execute("PRAGMA journal_mode = DELETE")  # one file, whole by itself
            ((ops,),) = target.execute("SELECT count(*) FROM op")
            ((memories,),) = target.execute("SELECT count(*) FROM memory")
        finally:
            target.close()
            source.close()
    return BackedUp(path=str(path), ops=ops, memories=memories, bytes=path.stat().st_size)
