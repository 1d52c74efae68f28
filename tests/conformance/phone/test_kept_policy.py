"""A page that is kept for later takes another policy, which says where it may connect, from a member only."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import samemind.phone

_WORKER = Path(samemind.phone.__file__).with_name("page") / "sw.js"
_SCRIPT = Path(__file__).parents[2] / "support" / "phone_policy.mjs"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is missing, which runs the page's own code")
def test_a_policy_is_taken_with_the_signature_of_a_member_over_it_and_in_no_other_way() -> None:
    done = subprocess.run(
        ["node", "--no-warnings", str(_SCRIPT), str(_WORKER)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "before it is paired": [None, "one"],
        "nothing new": [None, "one"],
        "of a member": ["policy", "two"],
        "of a stranger": ["refused", "two"],
        "of a stranger, with a member's page": ["refused", "two"],
        "over another policy": ["refused", "two"],
        "of a member, with a stranger's page": ["refused", "two"],
        "both of a member": ["fresh", "four"],
        "asked twice at once": [["fresh", None], "five"],
    }
