"""Who may use the panel, decided without a server: tokens, cookies, names."""

from random import Random

import pytest

from samemind.panel.access import (
    LAUNCH_MS_MAX,
    LAUNCHES_MAX,
    SESSION_MS_MAX,
    SESSIONS_MAX,
    Doorkeeper,
    host_is_ours,
    is_loopback,
)

NOW = 1_800_000_000_000


def test_a_launch_token_lets_in_once_and_not_for_long() -> None:
    keeper = Doorkeeper(Random(1))
    token = keeper.launch(NOW)
    cookie = keeper.admit(token, NOW)
    assert cookie is not None
    assert keeper.session(cookie, NOW) is not None
    assert keeper.admit(token, NOW) is None, "it was used"
    late = keeper.launch(NOW)
    assert keeper.admit(late, NOW + LAUNCH_MS_MAX) is None
    assert keeper.admit("", NOW) is None
    assert keeper.session("", NOW) is None
    assert keeper.session(token, NOW) is None, "a token is no cookie"


def test_a_browser_that_comes_again_stays_in_and_one_that_does_not_is_out() -> None:
    keeper = Doorkeeper(Random(1))
    cookie = keeper.admit(keeper.launch(NOW), NOW)
    assert cookie is not None
    later = NOW + SESSION_MS_MAX - 1
    session = keeper.session(cookie, later)
    assert session is not None
    assert keeper.session(cookie, later + SESSION_MS_MAX - 1) == session
    assert keeper.session(cookie, later + 2 * SESSION_MS_MAX) is None
    keeper.leave(session)
    assert keeper.session(cookie, later) is None


def test_who_is_in_is_known_without_staying_longer_for_it() -> None:
    keeper = Doorkeeper(Random(1))
    cookies = [keeper.admit(keeper.launch(NOW), NOW) or "" for _ in range(2)]
    one, other = (keeper.session(cookie, NOW) for cookie in cookies)
    assert one is not None
    assert other is not None
    assert keeper.knows(one, NOW + SESSION_MS_MAX - 1)
    assert not keeper.knows(one, NOW + SESSION_MS_MAX)
    keeper.leave(other)
    assert (keeper.knows(one, NOW), keeper.knows(other, NOW)) == (True, False)
    for _ in range(SESSIONS_MAX):
        keeper.admit(keeper.launch(NOW), NOW)
    assert not keeper.knows(one, NOW), "it made room for the newest"


def test_asking_again_and_again_fills_nothing_and_the_newest_hold() -> None:
    keeper = Doorkeeper(Random(1))
    tokens = [keeper.launch(NOW) for _ in range(LAUNCHES_MAX + 3)]
    assert [keeper.admit(token, NOW) is None for token in tokens[:4]] == [True, True, True, False]
    cookies = [keeper.admit(keeper.launch(NOW), NOW) or "" for _ in range(SESSIONS_MAX + 1)]
    assert keeper.session(cookies[0], NOW) is None
    assert keeper.session(cookies[-1], NOW) is not None


def test_what_a_page_must_send_follows_from_its_cookie_and_does_not_tell_it() -> None:
    keeper = Doorkeeper(Random(1))
    one, other = (keeper.admit(keeper.launch(NOW), NOW) or "" for _ in range(2))
    first, second = keeper.session(one, NOW), keeper.session(other, NOW)
    assert first is not None
    assert second is not None
    assert first.csrf != second.csrf
    assert one not in first.csrf


@pytest.mark.parametrize(
    ("host", "server", "ours"),
    [
        ("127.0.0.1:7412", ("127.0.0.1", 7412), True),
        ("localhost:7412", ("127.0.0.1", 7412), True),
        ("LOCALHOST:7412", ("::1", 7412), True),
        ("[::1]:7412", ("::1", 7412), True),
        ("192.168.1.5:7412", ("::ffff:192.168.1.5", 7412), True),
        ("laptop.local:7412", ("192.168.1.5", 7412), True),
        ("laptop.local", ("192.168.1.5", 443), True),
        ("127.0.0.1:7413", ("127.0.0.1", 7412), False),
        ("127.0.0.1", ("127.0.0.1", 7412), False),
        ("localhost:7412", ("192.168.1.5", 7412), False),
        ("evil.example:7412", ("127.0.0.1", 7412), False),
        ("127.0.0.1.evil.example:7412", ("127.0.0.1", 7412), False),
        ("192.168.1.6:7412", ("192.168.1.5", 7412), False),
        ("0x7f.1:7412", ("127.0.0.1", 7412), False),
        ("127.0.0.1:7412@evil.example", ("127.0.0.1", 7412), False),
        ("127.0.0.1:٧٤١٢", ("127.0.0.1", 7412), False),
        ("127.0.0.1:" + "0" * 5_000 + "7412", ("127.0.0.1", 7412), False),
        ("", ("127.0.0.1", 7412), False),
    ],
)
def test_only_our_own_address_or_name_is_ours(host: str, server: tuple[str, int], ours: bool) -> None:
    assert host_is_ours(host, server=server, names=frozenset({"laptop", "laptop.local"})) is ours


def test_only_this_machine_hears_loopback() -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.8.8.8")] == [True] * 4
    assert [is_loopback(host) for host in ("", "0.0.0.0", "::", "192.168.1.5", "laptop.local")] == [False] * 5
