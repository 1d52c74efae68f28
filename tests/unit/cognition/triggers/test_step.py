"""What a mind brings up, over a store whose clock jumps."""

import math
import sqlite3

import numpy as np
import pytest

from cognition.days import DAY_MS
from cognition.patterns.step import Patterns
from cognition.triggers import contradictions
from cognition.triggers.detect import DETECTORS
from cognition.triggers.kinds import (
    ESCALATION,
    HOUR_MS,
    KINDS,
    REMINDER,
    REVIEW,
    Thresholds,
    TriggerCandidate,
)
from cognition.triggers.lattice import TriggerState, TriggerStatus
from cognition.triggers.raised import Described, described
from cognition.triggers.snoozing import SNOOZED
from cognition.triggers.step import RAISED_MAX, TriggerStep, choose, write_of
from cognition.triggers.tables import TriggerTables
from replica import (
    Access,
    Claim,
    ClaimVerdict,
    DeviceId,
    Forget,
    HeldTrigger,
    MemoryId,
    Resolve,
    Set,
    Trigger,
    Write,
)
from replica.hlc import COUNTER_BITS
from tests.support.minds import NOW_MS, Home
from tests.support.published import published


@pytest.fixture
def home() -> Home:
    return Home()


def raise_all(home: Home, thresholds: Thresholds = Thresholds()) -> list[Described]:
    """Think, and return what was raised by that."""
    Patterns().run(home.core, home.connection, home.now_ms)
    ids = set(TriggerStep(thresholds).run(home.core, home.connection, home.now_ms).ids)
    return [one for one in live(home, thresholds) if shown_id(one) in ids]


def live(home: Home, thresholds: Thresholds = Thresholds()) -> list[Described]:
    return [
        one
        for one in described(home.connection, home.now_ms, thresholds)
        if one.reason is not None and one.status in (TriggerStatus.PENDING, TriggerStatus.DELIVERED)
    ]


def shown_id(one: Described) -> str:
    from replica import show_memory_id

    return show_memory_id(one.raised.id)


def kinds(found: list[Described]) -> list[str]:
    return [one.raised.kind for one in found]


@published("YD-60")
def test_what_matters_comes_up_for_review_when_it_has_faded(home: Home) -> None:
    rid = home.remember("the safe is behind the picture", importance=0.8)
    home.remember("nobody said whether this matters")
    home.remember("this does not matter", importance=0.1)
    half_lives = 3.0  # 0.8 x 2^-3 is the threshold
    home.now_ms += round(30 * half_lives * DAY_MS) - 1_000
    assert raise_all(home) == []
    home.now_ms += 2_000
    (one,) = raise_all(home)
    assert (one.raised.kind, one.raised.rid) == ("decay_review", rid)
    assert one.reason is not None
    assert one.reason.urgency == pytest.approx(0.8 * (1 - 0.125), abs=1e-6)
    assert raise_all(home) == [], "once"
    home.commit(Write(Access(((rid, 1, home.now_ms),))))
    assert live(home) == [], "it was recalled: there is nothing to review"
    home.now_ms += 100 * DAY_MS
    assert kinds(raise_all(home)) == ["decay_review"], "and when it has faded again, it comes up again"


@published("YD-73")
def test_the_threshold_of_a_review_is_a_setting(home: Home) -> None:
    home.remember("the safe is behind the picture", importance=0.8)
    home.now_ms += 31 * DAY_MS
    eager = Thresholds(review_strength=0.4)
    TriggerTables(eager).migrate(home.connection)
    assert kinds(raise_all(home, eager)) == ["decay_review"]


@published("YD-61")
def test_a_topic_is_ready_at_twenty_loose_memories_and_not_at_nineteen(home: Home) -> None:
    for n in range(19):
        home.remember(f"note {n}", topic="garden", told_at=NOW_MS + n * DAY_MS * 9)
    for n in range(9):
        home.remember(f"fact {n}", topic="garden", type="semantic")
    assert raise_all(home) == []
    home.remember("one more", topic="garden")
    (one,) = raise_all(home)
    assert one.raised.kind == "consolidation_ready"
    assert len(one.raised.memories) == 20
    assert one.reason is not None
    assert one.reason.text == "20 memories about garden could be tidied up into one"
    assert raise_all(home) == []


@published("YD-63")
def test_a_pattern_comes_up_once(home: Home) -> None:
    for n in range(4):
        home.remember(f"yesterday Ann met Bob, number {n}", told_at=NOW_MS + n * 40 * DAY_MS)
    (one,) = raise_all(home)
    assert one.raised.kind == "pattern:co_occurrence"
    assert one.reason is not None
    assert one.reason.text == "Ann and Bob come up together in 4 memories"
    home.commit(Write(Trigger(one.raised.id, 2, one.raised.kind, one.raised.about), one.raised.rid))
    home.remember("then Ann met Bob once more")
    home.now_ms += 400 * DAY_MS
    assert raise_all(home) == []


def bake(home: Home, first_degree: int, last_degree: int) -> None:
    """Remember what is alike as far as its vector leans no more than 45 degrees away from another's."""
    for degree in range(first_degree, last_degree + 1, 8):
        rid = home.remember(f"rye bread rose, at {degree} degrees")
        lean = [math.cos(math.radians(degree)), math.sin(math.radians(degree))]
        home.connection.execute(
            "INSERT INTO vector VALUES (?, 1, ?)", (home.number(rid), np.array(lean, np.float16).tobytes())
        )


def test_themes_that_overlap_come_up_as_one(home: Home) -> None:
    bake(home, 0, 104)
    (one,) = raise_all(home)
    assert one.raised.kind == "pattern:theme"
    ((known,),) = home.connection.execute("SELECT count(*) FROM pattern WHERE miner = 'theme'")
    assert known > 1, "several were found"
    home.now_ms += 3 * DAY_MS
    assert raise_all(home) == []
    bake(home, 112, 136)
    assert raise_all(home) == [], "most of what lies around the new ones was told of"
    bake(home, 216, 240)
    (other,) = raise_all(home)
    assert set(other.raised.memories).isdisjoint(one.raised.memories)


def test_a_theme_that_another_device_brought_up_is_not_brought_up_around_another_memory(home: Home) -> None:
    bake(home, 0, 104)
    Patterns().run(home.core, home.connection, home.now_ms)
    rids = [rid for (rid,) in home.connection.execute("SELECT rid FROM shown_memory ORDER BY id")]
    home.commit(
        Write(
            Trigger(b"t" * 16, 0, "pattern:theme", tuple(sorted(map(MemoryId, rids[1:12])))),
            MemoryId(rids[0]),
        )
    )
    assert raise_all(home) == []


@published("YD-64")
def test_a_goal_has_progress_or_goes_quiet(home: Home) -> None:
    goal = home.remember("I want to run a marathon in Lisbon", goal="open")
    home.now_ms += 13 * DAY_MS
    assert raise_all(home) == []
    home.now_ms += DAY_MS
    (quiet,) = raise_all(home)
    assert (quiet.raised.kind, quiet.raised.rid) == ("goal_stagnation", goal)
    home.remember("bought shoes")
    assert raise_all(home) == [], "that says nothing of the goal"
    home.now_ms += 1_000
    news = home.remember("booked a hotel for the Lisbon marathon")
    (progress,) = raise_all(home)
    assert (progress.raised.kind, progress.raised.about) == ("goal_progress", (news,))
    assert kinds(live(home)) == ["goal_progress"], "it is quiet no more"
    home.commit(Write(Set("goal", "done"), goal))
    assert live(home) == []
    home.now_ms += 30 * DAY_MS
    assert raise_all(home) == []


@published("ML-86")
def test_a_reminder_comes_up_when_it_is_due(home: Home) -> None:
    due = NOW_MS + HOUR_MS
    rid = home.remember("call the dentist", type="prospective", event_start=due)
    home.now_ms = due - 1
    assert raise_all(home) == []
    home.now_ms = due
    (one,) = raise_all(home)
    assert (one.raised.kind, one.raised.rid) == ("reminder", rid)
    later = due + 7 * DAY_MS
    home.commit(Write(Set("event_start", later), rid))
    assert live(home) == [], "it was put off"
    home.now_ms = later
    assert kinds(raise_all(home)) == ["reminder"]


@pytest.mark.parametrize("now_ms", [-DAY_MS, 2**47, 2**60], ids=["1969", "6429", "the year 36 million"])
def test_a_clock_that_no_stamp_has_room_for_is_no_reason_not_to_say_what_waits(
    home: Home, now_ms: int
) -> None:
    home.now_ms = now_ms
    assert raise_all(home) == []


@published("YD-62")
def test_an_open_contradiction_is_escalated_until_it_is_settled(home: Home) -> None:
    rids = [home.remember(f"I work at {where}") for where in ("Google", "Meta")]
    for rid, where in zip(rids, ("Google", "Meta"), strict=True):
        home.commit(Write(Claim("owner", "works_at", where, (), None), rid))
    (one,) = raise_all(home)
    assert (one.raised.kind, set(one.raised.memories)) == ("conflict_escalation", set(rids))
    assert one.reason is not None
    first = one.reason.urgency
    home.now_ms += DAY_MS
    (again,) = live(home)
    assert again.reason is not None
    assert again.reason.urgency > first
    home.commit(Write(Forget((rids[0],))))
    assert live(home) == []


def test_what_does_not_matter_enough_is_not_escalated(home: Home) -> None:
    for taste in ("like", "dislike"):
        rid = home.remember(f"I {taste} sushi")
        home.commit(Write(Claim("owner", "attitude:sushi", taste, (), None), rid))
    assert raise_all(home) == []
    assert kinds(raise_all(home, Thresholds(escalation_severity="medium"))) == ["conflict_escalation"]


def test_a_thing_is_not_brought_up_again_before_it_has_cooled_down() -> None:
    rid = MemoryId(bytes(16))
    first, second = TriggerCandidate(REVIEW, rid, 1, 0.5), TriggerCandidate(REVIEW, rid, 2, 0.5)
    home = Home()
    rid_held = home.remember("x")
    held = [TriggerCandidate(REVIEW, rid_held, 1, 0.5)]
    home.commit(write_of(held[0], TriggerStatus.DISMISSED))
    raised = [one.raised for one in described(home.connection, home.now_ms)]
    again = TriggerCandidate(REVIEW, rid_held, 2, 0.5)
    assert choose([again], raised, home.now_ms + 13 * DAY_MS, Thresholds()) == []
    assert choose([again], raised, home.now_ms + 15 * DAY_MS, Thresholds()) == [again]
    assert choose([first, second], [], NOW_MS, Thresholds()) in ([first], [second]), (
        "one of a subject at a time"
    )


def state_of(
    candidate: TriggerCandidate, raised_ms: int, status: TriggerStatus = TriggerStatus.PENDING
) -> TriggerState:
    """A candidate as it stands once it was raised."""
    held = HeldTrigger(status, (raised_ms << COUNTER_BITS, candidate.written_kind, ()), None)
    return TriggerState(candidate.id, candidate.rid, (), held)


def test_it_cools_down_from_when_it_was_last_raised_on_to_the_very_millisecond() -> None:
    rid, day = MemoryId(bytes(16)), NOW_MS + DAY_MS
    first, last, again = (TriggerCandidate(REVIEW, rid, window, 0.5) for window in range(3))
    cooled_ms = day + REVIEW.cool_down_ms
    for held in (
        [state_of(first, NOW_MS), state_of(last, day)],
        [state_of(last, day), state_of(first, NOW_MS)],
    ):
        assert choose([again], held, cooled_ms - 1, Thresholds()) == []
        assert choose([again], held, cooled_ms, Thresholds()) == [again]


def test_one_escalation_comes_within_a_day_and_the_next_one_right_behind_it() -> None:
    first, other, third = (TriggerCandidate(ESCALATION, MemoryId(bytes([n]) * 16), 1, 0.5) for n in range(3))
    held = [state_of(first, NOW_MS, TriggerStatus.DELIVERED)]
    assert choose([other], held, NOW_MS + DAY_MS - 1, Thresholds()) == []
    assert len(choose([other, third], held, NOW_MS + DAY_MS, Thresholds())) == 1


def test_what_was_shown_waits_no_more_and_makes_room_for_others() -> None:
    reviews = [TriggerCandidate(REVIEW, MemoryId(bytes([n]) * 16), 1, 0.5) for n in range(12)]
    for status, room in ((TriggerStatus.PENDING, 0), (TriggerStatus.DELIVERED, REVIEW.pending_max)):
        held = [state_of(one, NOW_MS, status) for one in reviews[: REVIEW.pending_max]]
        assert len(choose(reviews, held, NOW_MS, Thresholds())) == room


def test_reminders_of_one_device_hold_those_of_no_other_back() -> None:
    many = [TriggerCandidate(REMINDER, MemoryId(n.to_bytes(16)), 1, 0.5) for n in range(REMINDER.pending_max)]
    (mine, theirs) = (TriggerCandidate(REMINDER, MemoryId(name * 16), 1, 0.5) for name in (b"m", b"t"))
    of = {one.rid: DeviceId(b"t" * 32) for one in (*many, theirs)} | {mine.rid: DeviceId(b"m" * 32)}
    held = [state_of(one, NOW_MS) for one in many]
    assert choose([mine, theirs], held, NOW_MS, Thresholds(), of) == [mine]


def test_where_more_is_due_than_may_be_raised_at_once_devices_take_turns() -> None:
    many = [TriggerCandidate(REMINDER, MemoryId(n.to_bytes(16)), 1, 0.9) for n in range(2 * RAISED_MAX)]
    few = [TriggerCandidate(REMINDER, MemoryId(bytes([n]) * 16), 1, 0.1) for n in range(1, 6)]
    of = {one.rid: DeviceId(bytes([one in few]) * 32) for one in (*many, *few)}
    chosen = choose([*many, *few], [], NOW_MS, Thresholds(), of)
    assert len(chosen) == RAISED_MAX
    assert {one.id for one in few} <= {one.id for one in chosen[:10]}


def test_what_is_found_twice_is_raised_once() -> None:
    one = TriggerCandidate(REMINDER, MemoryId(bytes(16)), 1, 0.5)
    assert choose([one, one], [], NOW_MS, Thresholds()) == [one]


def test_what_was_raised_anywhere_is_not_raised_again_whatever_its_kind(home: Home) -> None:
    rid = home.remember("call")
    known = TriggerCandidate(REMINDER, rid, 7, 1.0)
    home.commit(write_of(known, TriggerStatus.PENDING))
    raised = [one.raised for one in described(home.connection, home.now_ms)]
    assert choose([known], raised, home.now_ms, Thresholds()) == []
    other = TriggerCandidate(REMINDER, rid, 8, 1.0)
    assert choose([known, other], raised, home.now_ms, Thresholds()) == [other]


def test_the_window_of_every_kind_stands_still_while_its_subject_does(home: Home) -> None:
    """Devices that look at different times must come to one id."""
    home.remember("the safe is behind the picture", importance=0.8)
    home.remember("call the dentist", type="prospective", event_start=NOW_MS)
    home.remember("I want to sail to Greece", goal="open")
    for taste in ("Google", "Meta"):
        home.commit(Write(Claim("owner", "works_at", taste, (), None), home.remember(f"at {taste}")))
    for n in range(20):
        home.remember(f"note {n}", topic="garden", told_at=NOW_MS + n * DAY_MS * 9)
    for n in range(4):
        home.remember(f"yesterday Ann met Bob, number {n}")
    Patterns().run(home.core, home.connection, home.now_ms)
    ids = []
    for days in (200, 300):
        home.now_ms = NOW_MS + days * DAY_MS
        found = [one for each in DETECTORS for one in each(home.connection, home.now_ms, Thresholds())]
        ids.append({(one.written_kind, one.id) for one in found})
    assert ids[0] == ids[1]
    assert {kind.partition(":")[0] for kind, _ in ids[0]} == KINDS.keys() - {"goal_progress"}


def test_news_of_a_goal_is_of_the_day_it_was_told_whenever_it_is_looked_at(home: Home) -> None:
    """Not of the day on which a device thinks: two that think on two days have one trigger. Older news is not in it."""
    home.remember("I want to sail to Greece", goal="open")
    home.now_ms = NOW_MS + DAY_MS
    home.remember("we bought charts to sail to Greece")
    home.now_ms = NOW_MS + 3 * DAY_MS
    news = home.remember("the boat to sail to Greece is painted")
    seen = []
    for days in (3, 5):
        home.now_ms = NOW_MS + days * DAY_MS
        found = (one for each in DETECTORS for one in each(home.connection, home.now_ms, Thresholds()))
        seen += [(one.id, one.about) for one in found if one.kind.name == "goal_progress"]
    assert seen == [(seen[0][0], (news,))] * 2


def test_a_question_that_was_settled_and_is_open_again_is_brought_up_again(home: Home) -> None:
    """By a decision that was taken back too, which is no claim."""
    google, meta = (home.remember(f"at {value}") for value in ("Google", "Meta"))
    home.commit(Write(Claim("owner", "works_at", "Google", (), None), google))
    (claim,) = home.commit(Write(Claim("owner", "works_at", "Meta", (), None), meta))
    asked = []
    for keep in (None, False, True):
        if keep is not None:
            home.now_ms += DAY_MS
            home.commit(Write(Resolve((ClaimVerdict(meta, claim.place, keep),))))
        found = contradictions.candidates(home.connection, home.now_ms, Thresholds())
        asked.append([one.id for one in found])
    assert [len(ids) for ids in asked] == [1, 0, 1]
    assert asked[0] != asked[2]


def test_an_inbox_takes_five_reviews_and_any_number_of_reminders() -> None:
    rids = [MemoryId(bytes([n]) * 16) for n in range(30)]
    reviews = [TriggerCandidate(REVIEW, rid, 1, n / 100) for n, rid in enumerate(rids)]
    chosen = choose(reviews, [], NOW_MS, Thresholds())
    assert [one.urgency for one in chosen] == [0.29, 0.28, 0.27, 0.26, 0.25]
    reminders = [TriggerCandidate(REMINDER, rid, 1, 0.9) for rid in rids]
    assert len(choose(reminders, [], NOW_MS, Thresholds())) == 30


def test_tables_kept_in_step_equal_tables_made_anew(home: Home) -> None:
    rids = [home.remember(f"m {n}", importance=n / 10, topic="t", type="episodic") for n in range(1, 10)]
    home.remember("r", type="prospective", event_start=5)
    home.remember("of no topic", importance=0.9)
    home.remember("of no importance", topic="v", type="episodic")
    home.remember("put off", meta={f"{SNOOZED}reminder": "00@77"})
    home.remember("has a speaker and nothing else", speaker="Ann")
    home.commit(Write(Access(((rids[3], 2, home.now_ms + 5),))))
    home.commit(Write(Set("half_life", 60.0), rids[4]))
    home.commit(Write(Set("importance", None), rids[5]))
    home.commit(Write(Set("topic", "u"), rids[6]), Write(Set("archived", True), rids[7]))
    home.commit(Write(Forget((rids[8],))))
    kept = tables(home.connection)
    home.connection.execute("DELETE FROM due_version")
    TriggerTables().migrate(home.connection)
    assert tables(home.connection) == kept
    assert kept[1] == [("t", 6), ("u", 1), ("v", 1)]
    assert {f"{SNOOZED}reminder", "reminder", "decay_review"} == {kind for _, kind, _ in kept[0]}


def tables(connection: sqlite3.Connection) -> tuple[list[tuple[int, str, int]], list[object]]:
    return (
        connection.execute("SELECT * FROM due ORDER BY id, kind").fetchall(),
        connection.execute("SELECT topic, memories FROM loose_topic ORDER BY topic").fetchall(),
    )


def test_the_stamp_of_the_first_raise_decides_when_it_expires(home: Home) -> None:
    rid = home.remember("call", type="prospective", event_start=NOW_MS)
    (one,) = raise_all(home)
    assert one.raised.held.raised[0] >> COUNTER_BITS == NOW_MS
    home.now_ms += 49 * HOUR_MS
    home.commit(write_of(TriggerCandidate(REMINDER, rid, NOW_MS, 1.0), TriggerStatus.DELIVERED))
    assert live(home) == []


def test_what_was_raised_by_a_clock_that_was_years_ahead_is_kept_and_holds_nothing_back(home: Home) -> None:
    """It was of today for fifty years, so that there was no question a day any more; any member can raise such."""

    def contradict(about: str) -> None:
        for where in ("Google", "Meta"):
            rid = home.remember(f"{about} works at {where}")
            home.commit(Write(Claim(about, "works_at", where, (), None), rid))

    contradict("owner")
    home.remember("call", type="prospective", event_start=NOW_MS + DAY_MS)
    home.now_ms += 50 * 365 * DAY_MS
    early = {one.raised.kind for one in raise_all(home)}
    assert early == {"conflict_escalation", "reminder"}
    home.now_ms = NOW_MS
    home.core.begin(home.now_ms)
    contradict("person:ann")
    assert kinds(raise_all(home)) == ["conflict_escalation"]
    contradict("person:bob")
    assert raise_all(home) == [], "one a day, as ever"
    assert early <= {one.raised.kind for one in live(home)}
