"""Every named trap is survived; rows of the feature list are claimed by the scenario that plays them."""

import re
from functools import cache
from pathlib import Path

import pytest

import sync.exchange
import sync.pairing
import sync.roster
from simulations.drawing import FAULTS
from simulations.playing import Outcome
from simulations.scenarios import SCENARIOS, run_scenario
from sync.exchange import Exchange
from sync.group_news import GroupNews
from sync.pairing import PairingWindow
from sync.roster import Roster
from sync.session import Session
from sync.wire.messages import Trust
from tests.support.published import published


@cache
def played(name: str) -> Outcome:
    """Play it once, however many rows it holds for: a scenario is the same world every time."""
    outcome = run_scenario(SCENARIOS[name])
    found = "; ".join(f"{each.checker}: {each.detail}" for each in outcome.violations)
    assert not outcome.violations, f"{found}\nagain: python -m simulations scenario {name} --trace"
    return outcome


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_survived(name: str) -> None:
    played(name)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_says_in_two_sentences_who_got_it_wrong(name: str) -> None:
    story = SCENARIOS[name].story
    assert story.endswith(".")
    assert 80 < len(story) < 300


def _of_itself_alone(news: GroupNews) -> Trust:
    membership = news._core.membership
    return Trust((membership.members[news._core.device],), membership.revocations, ())


# What holds a scenario up, and a version of it that somebody could have written: these are not rules of one world but
# of what stands around it (codes, addresses, turns), which random worlds leave out.
@pytest.mark.parametrize(
    ("name", "owner", "attribute", "wrong"),
    [
        ("one_introduces_all", GroupNews, "statement", _of_itself_alone),
        ("wrong_words", PairingWindow, "burn", lambda window: None),
        ("somebody_between", sync.pairing, "fingerprint", lambda certificate: bytes(32)),
        ("stale_code", PairingWindow, "current", lambda window, now_ms: window._code),
        ("stale_code", PairingWindow, "spend", lambda window: None),
        ("lost_phone_pairs_again", sync.pairing, "_check_stranger", lambda *_: None),
        ("moved_address", sync.roster, "_sighted_again_ms", lambda entry, now_ms: entry.due_ms),
        ("moved_address", Roster, "remember", lambda *_, **__: None),
        ("one_way_link", sync.roster, "backoff_ms", lambda *_: 1_000),
        ("no_multicast", Roster, "fix", lambda *_, **__: None),
        ("behind_one_name", Roster, "_sought", lambda roster, entry: entry.member),
        ("a_flood", sync.exchange, "REFUSALS_MAX", None),
        ("a_flood", Session, "_bound", lambda session, question: None),
        ("a_stall", Session, "may_push", property(lambda session: session.sending.name in ("READY", "DONE"))),
        ("fifty_at_once", Exchange, "_frames_per_turn", property(lambda _: 99, lambda *_: None)),
    ],
)
def test_a_scenario_fails_where_what_holds_it_up_is_gone(
    name: str, owner: object, attribute: str, wrong: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, attribute, wrong, raising=attribute != "_frames_per_turn")
    assert {each.checker for each in run_scenario(SCENARIOS[name]).violations} >= {"script"}


def test_what_the_page_names_for_each_promise_of_sync_is_there() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs/explanation/simulation.md").read_text(encoding="utf-8")
    (section,) = [
        part for part in page.split("\n## ") if part.startswith("Where each promise of sync is tried")
    ]
    rows = re.findall(r"^\| (\d+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    assert [number for number, _, _ in rows] == [str(number) for number in range(1, 11)]
    sources = [path.read_text(encoding="utf-8") for path in (root / "tests/endtoend").glob("test_*.py")]
    tests = {name for source in sources for name in re.findall(r"^def (test_\w+)", source, re.MULTILINE)}
    for number, worlds, processes in rows:
        assert set(re.findall(r"`(\w+)`", worlds)) <= set(SCENARIOS), number
        for named in re.findall(r"faults? ([\w, ]+)", worlds):
            assert set(named.split(", ")) <= set(FAULTS), number
        assert (named := set(re.findall(r"`(\w+)`", processes))), number
        assert named <= tests, number


@published("D-11")
def test_a_write_that_has_seen_another_wins_whatever_the_clocks_say() -> None:
    played("wrong_year")


@published("E-06")
def test_an_op_that_arrives_late_under_an_old_clock_is_not_missed() -> None:
    played("late_old_op")


@published("E-08")
def test_recalls_are_counted_by_running_totals() -> None:
    played("counted_recalls")


@published("E-11")
def test_a_forget_is_written_when_its_undo_window_closes() -> None:
    played("undo_window")


@published("YD-48")
def test_what_was_forgotten_stays_forgotten_under_edits_imports_and_backups() -> None:
    for name in ("edit_meets_forget", "forgotten_import", "forgotten_in_a_backup", "year_old_backup"):
        played(name)


@published("YD-49")
def test_members_of_overlapping_consolidations_are_all_kept() -> None:
    played("two_consolidations")


@published("YD-52")
def test_stamps_keep_the_order_of_what_was_known_under_a_slow_clock() -> None:
    played("slow_clock")


@published("YD-54")
def test_a_wiped_device_gets_its_own_ops_back() -> None:
    played("wiped_device")
