"""Two machines on one cable that were paired and told nothing else: they find each other and agree."""

from functools import partial
from pathlib import Path

import pytest

from tests.support.netns import needs_netns, two_hosts
from tests.support.processes import Process


@needs_netns
@pytest.mark.slow
def test_two_devices_on_one_network_find_each_other_and_stay_in_touch(tmp_path: Path) -> None:
    """Discovery by mDNS alone, sync, live push; a pulled cable only delays, and both had gone on meanwhile."""
    with two_hosts() as (left, right):
        start = partial(Process, tmp_path)
        laptop = start("laptop", "--knows", "phone", "--listen", "", "--mdns", start=left.popen)
        phone = start("phone", "--knows", "laptop", "--listen", "", "--mdns", start=right.popen)
        laptop.ask("remember 1 the key is under the mat")
        found = phone.ask("wait the key is under the mat")
        print(f"found and synced {found['after_s']:.1f} s after it began to listen")
        phone.say("wait Ann likes tea")
        written = laptop.ask("remember 1 Ann likes tea")
        pushed = phone.hear()
        assert pushed["at"] - written["at"] < 1, "live push, not the next look"
        phone.ask("remember 1 Bob likes coffee")
        laptop.ask("wait Bob likes coffee")
        assert laptop.ask("digest") == phone.ask("digest")
        for device in (laptop, phone):
            device.end()
