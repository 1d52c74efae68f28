"""Who may use the memory from elsewhere: decided by time and randomness that are given."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import trio
from mcp.shared.auth import OAuthClientInformationFull

from samemind.agents import grants as granting
from samemind.agents.grants import Grants, Rights
from samemind.agents.ledger import Ledger
from samemind.config import Home
from samemind.errors import Ambiguous, Failed, NotFound, Usage
from samemind.mcp.oauth import Provider
from tests.support import cli

NOW = 1_000_000_000_000


@pytest.fixture
def random() -> Callable[[int], bytes]:
    return Random(7).randbytes


def test_an_agent_that_is_let_in_has_a_name(tmp_path: Path) -> None:
    refused = cli.run(tmp_path, "agents", "add", " ", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (2, "invalid")
    assert "expected a name" in refused.json["error"]["message"]


def asked(
    grants: Grants, random: Callable[[int], bytes], *, now_ms: int = NOW, peer: str = ""
) -> tuple[Grants, str, str]:
    grants, request = granting.ask(
        grants, client="c1", name="Cl\x1baude", redirect_uri="https://a.example/cb",
        asked={"state": "s", "challenge": "x", "resource": "https://m.example/mcp"}, random=random, now_ms=now_ms,
        peer=peer,
    )  # fmt: skip
    return grants, request, grants.pending[request].code


def test_a_plain_token_is_good_until_its_agent_is_revoked(random: Callable[[int], bytes]) -> None:
    grants, agent = granting.add(Grants(), "desk", Rights(), client=None, random=random, now_ms=NOW)
    grants, token = granting.issue(grants, "plain", agent.id, random=random, now_ms=NOW, lifetime_ms=None)
    assert token not in repr(grants), "kept as a hash alone"
    plain = frozenset({"plain"})
    found = granting.find_token(grants, token, plain, NOW + 10**12)
    assert found is not None
    assert found.agent == agent.id
    assert granting.find_token(grants, token + "0", plain, NOW) is None
    assert granting.find_token(grants, token, frozenset({"refresh"}), NOW) is None
    assert granting.find_token(granting.revoke(grants, agent), token, plain, NOW) is None


@pytest.mark.parametrize("kind", ["access", "refresh", "code"])
def test_other_secrets_expire_at_their_last_moment(kind: str, random: Callable[[int], bytes]) -> None:
    grants, agent = granting.add(Grants(), "desk", Rights(), client="c", random=random, now_ms=NOW)
    grants, token = granting.issue(grants, kind, agent.id, random=random, now_ms=NOW, lifetime_ms=1_000)
    kinds = frozenset({kind})
    assert granting.find_token(grants, token, kinds, NOW + 999) is not None
    assert granting.find_token(grants, token, kinds, NOW + 1_000) is None
    later, _ = granting.issue(grants, kind, agent.id, random=random, now_ms=NOW + 1_000, lifetime_ms=1)
    assert granting.digest(token) not in later.tokens, "what expired is not kept"


def test_the_owner_lets_in_by_the_code_once_and_within_ten_minutes(random: Callable[[int], bytes]) -> None:
    waiting, request, code = asked(Grants(), random)
    assert waiting.pending[request].name == "Cl aude"
    for late in (granting.PENDING_MS, granting.PENDING_MS + 1):
        with pytest.raises(NotFound):
            granting.decide(waiting, code, Rights(), name=None, random=random, now_ms=NOW + late)
    with pytest.raises(NotFound):
        granting.decide(waiting, "ZZZZZZ", Rights(), name=None, random=random, now_ms=NOW)
    assert granting.answered(waiting, request, NOW)[1] == waiting.pending[request]
    typed = granting.shown_code(code).lower()
    grants, agent = granting.decide(
        waiting, typed, Rights(read_only=True), name=None, random=random, now_ms=NOW
    )
    assert agent is not None
    assert (agent.name, agent.client, agent.rights.read_only) == ("Cl aude", "c1", True)
    with pytest.raises(NotFound):
        granting.decide(grants, code, Rights(), name=None, random=random, now_ms=NOW)
    told, pending = granting.answered(grants, request, NOW)
    assert pending is not None
    assert pending.answer
    found = granting.find_token(told, pending.answer, frozenset({"code"}), NOW)
    assert found is not None
    assert (found.agent, found.resource) == (agent.id, "https://m.example/mcp")
    assert granting.answered(told, request, NOW)[1] is None, "and forgets it"


def test_a_refused_program_hears_so_and_gets_nothing(random: Callable[[int], bytes]) -> None:
    grants, request, code = asked(Grants(), random)
    grants, agent = granting.decide(grants, code, None, name=None, random=random, now_ms=NOW)
    assert agent is None
    assert not grants.agents
    _, pending = granting.answered(grants, request, NOW)
    assert pending is not None
    assert pending.answer == ""


def test_strangers_who_register_and_ask_fill_nothing_and_push_nobody_out(
    random: Callable[[int], bytes],
) -> None:
    grants = granting.register(Grants(), "c1", {"n": 1})
    grants, _ = granting.add(grants, "mine", Rights(), client="c1", random=random, now_ms=NOW)
    for number in range(3 * granting.CLIENTS_MAX):
        grants = granting.register(grants, f"x{number}", {})
    assert len(grants.clients) == granting.CLIENTS_MAX
    assert "c1" in grants.clients
    for number in range(granting.PENDING_MAX):
        grants, _, _ = asked(grants, random, peer=f"10.0.0.{number % 4}")
    for number in range(granting.PENDING_MAX):
        grants = refused(grants, random, peer=f"10.0.0.{number % 4}")
    assert len(grants.pending) == granting.PENDING_MAX
    assert len({each.code for each in grants.pending.values()}) == granting.PENDING_MAX


def test_a_flood_from_one_address_pushes_out_nobody_who_waits_and_keeps_no_other_out(
    random: Callable[[int], bytes],
) -> None:
    grants, honest, code = asked(Grants(), random, peer="10.0.0.7")
    own, early, _ = asked(grants, random, peer="10.0.0.66")  # at the flood's own address, but before it
    grants = own
    last = ""
    while len(grants.pending) < granting.PENDING_MAX:
        grants, last, _ = asked(grants, random, peer="10.0.0.66")
    grants = refused(grants, random, peer="10.0.0.66")
    grants, second, _ = asked(grants, random, peer="10.0.0.8")
    assert last not in grants.pending
    assert {honest, early, second} <= grants.pending.keys()
    assert granting.decide(grants, code, Rights(), name=None, random=random, now_ms=NOW)[1] is not None
    later, _, _ = asked(grants, random, now_ms=NOW + granting.PENDING_MS, peer="10.0.0.66")
    assert len(later.pending) == 1, "ten minutes later there is room again"


def test_two_addresses_do_not_push_each_other_out_by_turns(random: Callable[[int], bytes]) -> None:
    """Who asks from where one fewer waits would be the next to give way, and so on without end."""
    grants = Grants()
    for number in range(granting.PENDING_MAX):
        grants, _, _ = asked(grants, random, peer="ab"[number % 2] if number else "c")
    refused(grants, random, peer="a")


def test_nothing_is_left_of_the_program_whose_agent_was_revoked(random: Callable[[int], bytes]) -> None:
    grants = granting.register(granting.register(Grants(), "c1", {}), "c2", {})
    grants, agent = granting.add(grants, "desk", Rights(), client="c1", random=random, now_ms=NOW)
    left = granting.revoke(grants, agent)
    assert not left.agents
    assert set(left.clients) == {"c2"}


def test_a_refresh_token_is_good_for_the_program_alone_that_got_it(
    tmp_path: Path, random: Callable[[int], bytes]
) -> None:
    home = Home.at(tmp_path / "home")
    home.create()
    ledger = Ledger(home)

    def let_in(grants: Grants) -> tuple[Grants, str]:
        grants, agent = granting.add(grants, "desk", Rights(), client="c1", random=random, now_ms=NOW)
        return granting.issue(
            grants, "refresh", agent.id, random=random, now_ms=NOW, lifetime_ms=granting.REFRESH_MS
        )

    token = ledger.change(let_in)
    provider = Provider(ledger, "https://m.example", lambda: NOW)
    for client, is_its in (("c1", True), ("c2", False)):
        program = OAuthClientInformationFull.model_validate(
            {"client_id": client, "redirect_uris": ["https://app.example/cb"]}
        )
        assert (trio.run(provider.load_refresh_token, program, token) is not None) is is_its


def refused(grants: Grants, random: Callable[[int], bytes], *, peer: str) -> Grants:
    with pytest.raises(Usage, match="that many do"):
        asked(grants, random, peer=peer)
    return grants


def test_what_was_spent_is_known_for_a_while_and_fills_nothing(random: Callable[[int], bytes]) -> None:
    grants, agent = granting.add(Grants(), "desk", Rights(), client="c", random=random, now_ms=NOW)
    assert not granting.may_come_in(grants, agent, NOW)
    token = ""
    for number in range(3 * granting.SPENT_MAX):
        grants, token = granting.issue(
            grants, "refresh", agent.id, random=random, now_ms=NOW, lifetime_ms=granting.REFRESH_MS
        )
        assert granting.may_come_in(grants, agent, NOW)
        grants = granting.spend(grants, token, NOW + number)
    assert len(grants.tokens) == granting.SPENT_MAX
    assert granting.find_token(grants, token, frozenset({"refresh"}), NOW) is None
    known = granting.find_token(grants, token, frozenset({"spent refresh"}), NOW)
    assert known is not None
    spent_ms = known.asked["spent_ms"]
    assert not granting.is_copied(known, spent_ms + granting.AT_ONCE_MS - 1)
    assert granting.is_copied(known, spent_ms + granting.AT_ONCE_MS)
    assert not granting.may_come_in(grants, agent, NOW), "what is spent lets nobody in"


def test_names_are_unique_clean_and_may_be_shortened(random: Callable[[int], bytes]) -> None:
    grants = Grants()
    for name in ("Claude", "claude", "\x1b[2J\u202e", "x" * 500):
        grants, _ = granting.add(grants, name, Rights(), client=None, random=random, now_ms=NOW)
    names = [agent.name for agent in grants.agents.values()]
    assert names == ["Claude", "claude 2", "[2J", "x" * granting.NAME_CHARACTERS_MAX]
    assert granting.named(grants, "xx").name == names[3]
    assert granting.named(grants, "CLAUDE").name == "Claude"
    with pytest.raises(NotFound):
        granting.named(grants, "gpt")
    with pytest.raises(Ambiguous):
        granting.named(grants, "cl")
    full = grants
    for number in range(granting.AGENTS_MAX - len(full.agents)):
        full, _ = granting.add(full, f"a{number}", Rights(), client=None, random=random, now_ms=NOW)
    with pytest.raises(Usage):
        granting.add(full, "one more", Rights(), client=None, random=random, now_ms=NOW)


def test_the_file_holds_everything_for_its_owner_alone(
    tmp_path: Path, random: Callable[[int], bytes]
) -> None:
    home = Home.at(tmp_path)
    first, second = Ledger(home), Ledger(home)
    rights = Rights(workspace="w", share=("s",), profile="full")
    agent = first.change(
        lambda grants: granting.add(grants, "a", rights, client=None, random=random, now_ms=NOW)
    )
    first.change(lambda grants: (asked(grants, random)[0], None))
    assert second.read() == first.read()
    assert second.read().agents[agent.id] == agent
    assert home.agents.stat().st_mode & 0o777 == 0o600
    second.change(lambda grants: (granting.revoke(grants, agent), None))
    assert first.read().agents == {}
    assert first.read().pending
    home.agents.write_text("{}")
    with pytest.raises(Failed, match="expected the agents of this device"):
        Ledger(home).read()
