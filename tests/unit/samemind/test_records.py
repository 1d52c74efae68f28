"""Every sort of record that memory is made of has a home of its own."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import samemind
from tests.support.published import published


@published("ML-13")
def test_seven_sorts_of_record_are_kept_each_where_it_belongs(tmp_path: Path) -> None:
    """Items, edges, conversations, profiles, prospective, triples and summaries."""
    home = tmp_path / "home"
    with samemind.open_blocking(home) as mind:
        for n in range(3):
            mind.remember(f"Ann rowed across the lake, day {n}", session="chat 1", no_facts=True, wait=True)
        mind.remember("Zoe lives in Porto", type="factual")
        mind.remember("call the dentist", type="prospective", event_start=datetime(2020, 1, 1, tzinfo=UTC))
        mind.relate("Ann", "knows", "Zoe")
        mind.set_profile(name="Ann")
        mind.think()
        assert [session.session for session in mind.sessions().sessions] == ["chat 1"]
        assert {edge.target for edge in mind.graph("Ann").edges} >= {"Zoe"}
        assert {edge.target for edge in mind.graph("Zoe").edges} >= {"Porto"}
    connection = sqlite3.connect(f"file:{home / 'memory.db'}?mode=ro", uri=True)
    for record, query in {
        "items": "SELECT count(*) FROM memory",
        "edges": "SELECT count(*) FROM edge WHERE relation = 'knows'",
        "conversations": "SELECT count(DISTINCT conversation) FROM memory",
        "profiles": "SELECT count(*) FROM setting WHERE name = 'profile.name'",
        "prospective": "SELECT count(*) FROM memory WHERE type = 'prospective' AND event_start IS NOT NULL",
        "triples": "SELECT count(*) FROM triple WHERE object = 'Porto'",
        "summaries": "SELECT count(*) FROM summary_member",
    }.items():
        assert connection.execute(query).fetchone()[0] > 0, record
    connection.close()
