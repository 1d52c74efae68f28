"""What every test shares: how hypothesis searches, and how a test says what it lacks."""

import atexit
import os
import shutil
import sys
import tempfile

import pytest
from hypothesis import settings

# What devices keep outside of their homes is kept apart from this machine's own.
os.environ["SAMEMIND_STATE"] = tempfile.mkdtemp(prefix="samemind-tests-")
atexit.register(shutil.rmtree, os.environ["SAMEMIND_STATE"], ignore_errors=True)

# No deadline: a busy machine is no bug. Each run draws a new seed; a failure prints the line that replays it.
settings.register_profile("default", deadline=None, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def why_no_namespaces() -> str | None:
    """Why this machine cannot run tests marked `netns`; None where it can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are Linux's own"
    if os.geteuid() != 0:
        return "making network namespaces needs root"
    if shutil.which("ip") is None:
        return "`ip` is missing: install iproute2"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_no_namespaces()
    for item in items:
        if reason is not None and item.get_closest_marker("netns"):
            item.add_marker(pytest.mark.skip(reason=reason))
        if "endtoend" in item.path.parts:
            item.add_marker(pytest.mark.endtoend)
