"""A clock that is wrong under a daemon that runs: what is written stays in order, nothing is lost, doctor names it."""

import time
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

import samemind
from samemind.library.blocking import BlockingMind
from tests.support import cli
from tests.support.clocks import WrongClock, why_no_wrong_clock
from tests.support.household import pair, seconds_until

DAY_SECONDS = 86_400


def clock_of(mind: BlockingMind) -> tuple[bool, str]:
    """What doctor says of the clock."""
    (check,) = [check for check in mind.doctor().checks if check.name == "clock"]
    return check.ok, check.detail


@pytest.mark.slow
@pytest.mark.skipif(why_no_wrong_clock() is not None, reason=str(why_no_wrong_clock()))
def test_a_clock_that_is_set_back_leaps_a_year_or_stands_still_loses_nothing_and_is_named(
    tmp_path: Path,
) -> None:
    """Two daemons that stay up; the laptop's clock is wrong, the phone's is right."""
    homes, clock = [tmp_path / "laptop", tmp_path / "phone"], WrongClock(tmp_path)
    with ExitStack() as stack:
        for home in homes:
            assert cli.run(home, "init", "--name", home.name).code == 0
        with pytest.MonkeyPatch.context() as patched:
            for name, value in clock.environment.items():
                patched.setenv(name, value)
            stack.enter_context(cli.daemon(homes[0]))
        stack.enter_context(cli.daemon(homes[1]))
        pair(homes[1], homes[0])
        laptop, phone = (stack.enter_context(samemind.open_blocking(home)) for home in homes)
        told: dict[str, str] = {}

        def written_in_turns(when: str) -> None:
            """What the laptop said the phone changes, and what it changed the laptop changes again."""
            kept = laptop.remember(f"the laptop's clock was {when}", no_dedup=True).rid
            changed = laptop.remember(f"to be changed while it was {when}", no_dedup=True).rid
            for who, others, words in (
                (phone, laptop, f"changed by the phone while it was {when}"),
                (laptop, phone, f"changed again while it was {when}"),
            ):
                seconds_until(
                    lambda: laptop.digest().digest == phone.digest().digest, f"{when}: they disagree"
                )
                who.edit(changed, words)
                assert who.get(changed).text == words, "one's own last word shows at once"
                seconds_until(
                    lambda others=others, words=words: others.get(changed).text == words,  # type: ignore[misc]
                    f"{when}: what was said last with all known does not show on the other",
                )
            told.update(
                {kept: f"the laptop's clock was {when}", changed: f"changed again while it was {when}"}
            )

        written_in_turns("right")
        for days, named in ((-30, "30 days"), (365, "365 days")):
            clock.step(days * DAY_SECONDS)
            written_in_turns(f"wrong by {named}")
            for mind in (laptop, phone):
                seconds_until(
                    lambda mind=mind, named=named: clock_of(mind)[0] is False and named in clock_of(mind)[1],  # type: ignore[misc]
                    f"doctor does not name a clock that is wrong by {named}",
                )
        clock.freeze()
        written_in_turns("standing")
        clock.step(0)
        written_in_turns("right again")
        for mind in (laptop, phone):
            seconds_until(lambda mind=mind: clock_of(mind)[0], "doctor still calls the clock wrong")  # type: ignore[misc]
            assert {rid: mind.get(rid).text for rid in told} == told
            assert mind.stats().memories == len(told)
            assert mind.verify().ok
            assert [check.detail for check in mind.doctor().checks if check.name == "clone"] == []
            stamps: dict[str, list[tuple[int, int]]] = {}
            for op in mind.log(limit=1000).ops:
                stamps.setdefault(op.origin, []).append((op.seq, op.hlc))
            assert all(
                one[1] < other[1] for ops in stamps.values() for one, other in pairwise(sorted(ops))
            ), "within one incarnation stamps only grow"


@pytest.mark.skipif(why_no_wrong_clock() is not None, reason=str(why_no_wrong_clock()))
def test_a_clock_that_was_never_set_is_named_where_something_is_told(tmp_path: Path) -> None:
    """A small computer without a battery begins in 1970, or before: what is told there would be dated so, unseen."""
    home, clock = tmp_path / "home", WrongClock(tmp_path)
    with pytest.MonkeyPatch.context() as patched:
        for name, value in clock.environment.items():
            patched.setenv(name, value)
        clock.step(-1_000_000_000 - time.time())
        refused = cli.run(home, "remember", "Ann likes green tea")
        assert refused.code == 1
        assert "expected a clock between the years 1970 and 6429, it shows the year 1938" in refused.err
        clock.step(1_000_000_000 - time.time())
        told = cli.run(home, "remember", "Ann likes green tea")
        assert told.code == 0
        assert "this device's clock shows the year 2001, and what is told now is dated by it" in told.err
        assert cli.run(home, "list").err == ""
    set_right = cli.run(home, "remember", "Ann likes black tea")
    assert (set_right.code, set_right.err) == (0, "")
