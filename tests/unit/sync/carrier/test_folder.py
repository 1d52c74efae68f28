"""A folder that several devices write to: what each should write into it, and which of its own files may go."""

import io

from replica.core import Core
from replica.membership import revoke
from replica.ops import Erase
from sync.carrier.cargo import Header, Taking, check, export, header_of, messages
from sync.carrier.folder import FILES_MAX, Plan, next_name, plan
from sync.carrier.sealing import Sealer
from sync.errors import Untrusted
from tests.support.links import identity
from tests.support.replicas import NOW_MS, acquaint, agree, group, remember, say, texts

Folder = dict[str, bytes]


def visit(core: Core, name: str, folder: Folder) -> Plan:
    """Let a device take what is in a folder, and write into it what is not."""
    headers: dict[str, Header] = {}
    for file in sorted(folder):
        try:
            headers[file] = check(core, identity(name), io.BytesIO(folder[file]))
        except Untrusted:
            continue
    for file in sorted(headers, key=lambda file: headers[file].made_ms):
        taking = Taking(headers[file])
        for message in messages(identity(name), io.BytesIO(folder[file])):
            taking.take(core, message, NOW_MS)
    chosen = plan(core, headers)
    if not chosen.nothing:
        written = io.BytesIO()
        header = header_of(core, chosen.known, NOW_MS + len(folder))
        keys = [core.membership.members[each].public_key for each in header.recipients]
        export(core, header, chosen.known, Sealer(written, keys))
        folder[next_name(core.device, list(folder))] = written.getvalue()
        for old in chosen.old:
            del folder[old]
    return chosen


def test_devices_that_only_share_a_folder_agree() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    folder: Folder = {}
    for n in range(3):
        for core, name in ((laptop, "laptop"), (phone, "phone"), (tablet, "tablet")):
            remember(core, f"{name} {n}")
            visit(core, name, folder)
    for core, name in ((laptop, "laptop"), (phone, "phone")):
        visit(core, name, folder)
    assert agree(laptop, phone, tablet)
    assert len(texts(laptop)) == 9


def test_nothing_is_written_twice_and_a_quiet_folder_stays_as_it_is() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, *(f"note {n}" for n in range(100)))
    folder: Folder = {}
    visit(laptop, "laptop", folder)
    visit(phone, "phone", folder)
    sizes = [len(data) for data in folder.values()]
    assert min(sizes) < max(sizes) / 2, "what the laptop wrote is not written again by the phone"
    before = dict(folder)
    for _ in range(3):
        assert visit(laptop, "laptop", folder).nothing
        assert visit(phone, "phone", folder).nothing
    assert folder == before


def test_no_device_ever_touches_a_file_of_another() -> None:
    laptop, phone = group("laptop", "phone")
    folder: Folder = {}
    for n in range(2 * FILES_MAX):
        before = dict(folder)
        core, name = ((laptop, "laptop"), (phone, "phone"))[n % 2]
        remember(core, f"note {n}")
        visit(core, name, folder)
        others = {
            file
            for file in before
            if check(core, identity(name), io.BytesIO(before[file])).maker != core.device
        }
        assert all(folder[file] == before[file] for file in others)
        assert all(folder[file] == before[file] for file in before if file in folder), (
            "no file is ever rewritten"
        )
    assert len(folder) <= 2 * FILES_MAX


def test_a_file_that_went_missing_is_made_up_for() -> None:
    laptop, phone = group("laptop", "phone")
    folder: Folder = {}
    for n in range(3):
        remember(laptop, f"note {n}")
        visit(laptop, "laptop", folder)
    del folder[min(folder)]
    remember(laptop, "after the loss")
    visit(laptop, "laptop", folder)
    visit(phone, "phone", folder)
    visit(phone, "phone", folder)
    assert agree(laptop, phone)


def test_a_newcomer_can_read_everything_and_one_who_was_put_out_nothing_new() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    folder: Folder = {}
    remember(laptop, "before")
    visit(laptop, "laptop", folder)
    acquaint(laptop, "laptop", "watch")
    visit(laptop, "laptop", folder)
    (watch,) = group("watch")
    acquaint(watch, "watch", "laptop")
    visit(watch, "watch", folder)
    assert texts(watch) == {"before"}
    laptop.learn([], [revoke(identity("laptop").sign, laptop.device, tablet.device)])
    remember(laptop, "after the theft")
    visit(laptop, "laptop", folder)
    visit(tablet, "tablet", folder)
    assert "after the theft" not in texts(tablet)
    visit(phone, "phone", folder)
    assert texts(phone) == {"before", "after the theft"}


def test_what_was_erased_leaves_the_folder_with_the_next_visit() -> None:
    laptop, phone = group("laptop", "phone")
    folder: Folder = {}
    (rid,) = remember(laptop, "an unspeakable word")
    visit(laptop, "laptop", folder)
    visit(phone, "phone", folder)
    old = set(folder)
    say(laptop, Erase((rid,)))
    visit(laptop, "laptop", folder)
    visit(phone, "phone", folder)
    assert not old & set(folder), "every file from before is gone"
    visit(laptop, "laptop", folder)
    assert texts(phone) == texts(laptop) == set()
