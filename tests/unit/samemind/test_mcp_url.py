"""At which address remote agents are told to call."""

from typing import Any, cast

import pytest
import trio

from samemind.mcp.http import RemoteAgents
from sync import network


@pytest.mark.parametrize(
    ("addresses", "host"),
    [({"fe80::7", "2001:db8::7"}, "[2001:db8::7]"), ({"fe80::7"}, "127.0.0.1"), (set[str](), "127.0.0.1")],
)
def test_no_agent_is_told_an_address_of_the_link_alone(
    addresses: set[str], host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "own_addresses", lambda: frozenset(addresses))
    nothing = cast(Any, None)
    remote = RemoteAgents(
        nothing, nothing, nothing, nothing, host="0.0.0.0", port=7500, public_url=None, stop=trio.Event()
    )
    assert remote.url == f"https://{host}:7500/mcp"
