"""Make a copy of a home a device of its own, also where it is killed on the way.

The new key is in a file before the store names it, and takes the place of the old one last. Whoever opens the home
after a kill looks what the store says: it names the new device, so that is what the home is from now on; or it does
not, and the key was made for nothing.
"""

from contextlib import closing

from replica import DeviceId, connect
from replica.file_system import remember_name, remove_file, replace_file
from replica.reads.devices import device_names
from samemind.config import Home
from samemind.home.passphrase import keep, share
from sync import Identity


def begin(home: Home, old: DeviceId) -> Identity:
    """Make the key of the device that this home is to be, and keep it beside the present one.

    A passphrase in the system's keychain is filed under it, too: a clone on this machine may still need the old entry.
    """
    fresh = Identity.create()
    fresh.save(home.next_identity)
    share(old, fresh.device_id)
    return fresh


def finish(home: Home) -> None:
    """Let the new key take the place of the old one, for good."""
    replace_file(home.next_identity, home.identity)
    remember_name(home.identity)


def resume(home: Home, key: bytes | None) -> bool:
    """Finish or undo what a kill broke off; say whether the home is another device now. `key`: of the store."""
    fresh = Identity.load(home.next_identity)
    with closing(connect(str(home.store), key=key)) as connection:
        named = fresh.device_id in device_names(connection)
    if named:
        finish(home)
    else:
        keep(fresh.device_id, None)
        remove_file(home.next_identity)
    return named
