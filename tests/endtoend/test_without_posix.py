"""Whole programs by the variant that was written for Windows: other tests, run again where POSIX was taken away.

`tests/support/without_posix` takes `fcntl`, `AF_UNIX`, `geteuid`, `pwrite`, `SIGPIPE` and their like from our packages,
in the process of the tests and in all that they start. The daemon is called over loopback TCP then, locks are of a byte
range, and nothing that is open is replaced or removed. This is Linux still: nobody has run it on Windows yet.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.posix_names import FOLDER

ROOT = Path(__file__).parents[2]
SECONDS_MAX = 1_500
SELECTED = {
    "daemon": [
        "tests/endtoend/test_cli_daemon.py::test_a_verb_goes_through_the_daemon_and_says_the_same_as_without_it",
        "tests/endtoend/test_cli_daemon.py::test_down_ends_the_daemon_and_returns_when_the_store_is_free",
        "tests/endtoend/test_cli_daemon.py::test_a_second_daemon_is_told_who_holds_the_store",
        "tests/endtoend/test_cli_daemon.py::test_a_killed_daemon_leaves_nothing_in_the_way",
        "tests/endtoend/test_cli_daemon.py::test_a_long_request_holds_nobody_up",
        "tests/endtoend/test_cli_daemon.py::test_log_follow_prints_a_line_for_each_op_as_it_comes",
        "tests/endtoend/test_cli_daemon.py::test_the_library_goes_through_the_daemon",
        "tests/endtoend/test_cli_daemon.py::test_a_program_that_holds_a_store_answers_the_command_line",
        "tests/endtoend/test_cli_daemon.py::test_five_writers_at_once_lose_nothing",
        "tests/endtoend/test_one_writer.py",
    ],
    "agents": [
        "tests/endtoend/test_mcp.py::test_an_agent_lists_its_tools_remembers_and_another_recalls",
        "tests/endtoend/test_mcp.py::test_the_greeting_is_answered_before_the_store_is_there_and_a_signal_ends_the_server",
        "tests/endtoend/test_mcp.py::test_agents_of_one_workspace_share_it_and_others_see_nothing_of_it",
    ],
    "files": [
        "tests/unit/samemind/test_lock.py",
        "tests/unit/samemind/test_logs.py",
        "tests/endtoend/test_encrypted.py::test_encrypting_that_was_killed_is_finished_by_encrypting_again",
        "tests/endtoend/test_encrypted.py::test_a_plain_home_that_takes_an_encrypted_backup_keeps_no_plain_text",
        "tests/endtoend/test_backup.py::test_a_backup_taken_while_the_daemon_writes_is_whole_and_comes_back",
        "tests/endtoend/test_backup.py::test_a_restored_device_writes_no_place_twice_and_gets_back_what_it_lost",
        "tests/unit/samemind/test_grants.py",
        "tests/unit/samemind/test_config.py::test_doctor_says_what_is_wrong_with_the_settings",
    ],
    # It removes, replaces, locks and asks for whatever the other tests of groups do.
    "groups": [
        "tests/endtoend/test_group_rebuild.py::test_a_group_is_rebuilt_without_a_member_that_turned_bad",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SELECTED)
def test_without_what_only_posix_has(tmp_path: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *SELECTED[name]],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(FOLDER), "LOCALAPPDATA": str(tmp_path / "profile")},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
    assert list((tmp_path / "profile" / "samemind-control").glob("*")) == [], (
        "whoever ended took its token along"
    )
