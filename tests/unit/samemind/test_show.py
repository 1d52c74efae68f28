"""Results as people read them."""

from datetime import UTC, datetime

import pytest

from samemind.catalog import NAMES, verb_named
from samemind.cli.printing import raw_line, show
from samemind.commands.device._parts import Check
from samemind.commands.device.doctor import Doctored
from samemind.commands.device.verify import Verified
from samemind.commands.graph._parts import EdgeView
from samemind.commands.graph.graph import Graph
from samemind.commands.group._parts import PeerView
from samemind.commands.group._peers import with_namesakes
from samemind.commands.group.peers_list import Peers
from samemind.commands.group.sync import PeerSync, Synced, UnreachedPeer
from samemind.commands.portable._parts import FailedLine, Imported
from samemind.formats.memory_view import Listed, MemoryView
from samemind.formats.plain import to_json
from tests.support.published import published

NOON = datetime(2023, 5, 8, 12, tzinfo=UTC)


def memory(text: str, **fields: object) -> MemoryView:
    return MemoryView(
        rid="01890a5d-ac96-774b-bcce-b302099a8057", text=text, created_at=NOON, updated_at=NOON, device="d" * 64,
        origin="o", **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def test_a_list_says_how_much_it_left_out() -> None:
    listed = Listed(memories=[memory("one\ntwo", speaker="Ann")], total=3)
    assert show("list", to_json(listed)) == [
        "01890a5d-ac96-774b-bcce-b302099a8057  Ann: one two",
        "and 2 more: -n 3 shows all",
    ]
    assert show("entities", {"entities": [], "left": 0}) == ["no memory names anything"]


@published("YD-43")
def test_who_reads_an_answer_sees_that_it_is_in_dispute() -> None:
    hit = {"rid": "r1", "text": "I live in Porto", "score": 0.5, "created_at": "2023-05-08T12:00:00Z"}
    found = {
        "results": [hit | {"contradiction_id": "92c52e1eef17" + "0" * 20}, hit | {"contradiction_id": None}],
        "unembedded": 0,
    }
    disputed, undisputed = show("recall", found)[1::2]
    assert disputed.endswith("  in dispute: 92c52e1eef17")
    assert "dispute" not in undisputed


def test_a_memory_shows_its_words_and_what_is_set_and_nothing_a_terminal_would_obey() -> None:
    lines = show("get", to_json(memory("evil \x1b[2J words\nmore", tags=["a"], pinned=True, topic="x\x07y")))
    assert lines[0] == "evil \N{REPLACEMENT CHARACTER}[2J words\nmore"
    assert "\x1b" not in "".join(lines)
    assert "\x07" not in "".join(lines)
    names = [line.split()[0] for line in lines[2:]]
    assert {"tags", "pinned", "topic"} <= set(names)
    assert "archived" not in names


def test_joined_emoji_and_the_spaces_of_other_languages_are_shown_as_they_were_written() -> None:
    written = "👩\u200d👩\u200d👧 \U0001fae8 n\u02bcest\u00a0ce pas\u202f? 東京\u3000大阪 می\u200cخواهم"
    assert show("get", to_json(memory(written)))[0] == written
    turned = "ab\u202edc\u2066e"
    assert show("get", to_json(memory(turned)))[0] == turned.translate(
        dict.fromkeys((0x202E, 0x2066), 0xFFFD)
    )


def test_a_sync_tells_of_those_who_were_not_there() -> None:
    synced = Synced(
        peers=[PeerSync(device_id="a", name="phone", sent=1, received=2, bytes_out=3, bytes_in=4, took_ms=5.6,
                        round_trips=1)],
        unreached=[UnreachedPeer(device_id="b", name="server", reason="away")],
    )  # fmt: skip
    assert show("sync", to_json(synced)) == [
        "phone: 1 sent, 2 received (3 bytes out, 4 in, 6 ms)",
        "server: not reached, away",
    ]


def test_problems_and_fixes_are_shown_below_what_they_belong_to() -> None:
    doctored = Doctored(ok=False, checks=[Check(name="disk", ok=False, detail="1 MB free", fix="make room")])
    assert [line.split() for line in show("doctor", to_json(doctored))] == [
        ["NOT", "disk", "1", "MB", "free"],
        ["make", "room"],
    ]
    assert show("verify", to_json(Verified(ok=False, ops=3, problems=["p"]))) == ["3 ops", "p"]
    assert show("verify", to_json(Verified(ok=True, ops=1, problems=[]))) == ["1 op, all well"]
    on_word = show("verify", to_json(Verified(ok=True, ops=1, problems=[], vouched={"ab" * 32: 2})))
    assert on_word == ["1 op, all well", "2 writes below the log on the word of abababababab alone"]
    imported = Imported(imported=1, skipped=2, failed=[FailedLine(line=3, reason="r")])
    assert show("import", to_json(imported))[-1] == "line 3: r"


def test_an_edge_and_a_peer_take_one_line() -> None:
    edges = Graph(
        edges=[EdgeView(source="Ann", relation="knows", target="Bob", weight=0.5)], entities=["Ann", "Bob"]
    )
    assert show("graph", to_json(edges)) == ["Ann --knows--> Bob (0.5)"]
    (line,) = show("peers list", to_json(Peers(peers=[PeerView(device_id="a" * 64, name="phone", behind=3)])))
    assert line.split()[0] == "phone"
    assert line.endswith("away, no direct sync yet, 3 ops behind")
    begun = PeerView(device_id="a" * 64, name="phone", state="linked", behind=3)
    assert show("peers list", to_json(Peers(peers=[begun])))[0].endswith(
        "linked, first sync under way, 3 ops behind"
    )


def test_a_device_away_with_the_name_of_another_says_how_it_is_renamed_or_removed() -> None:
    before, away, linked = (
        PeerView(device_id=letter * 64, name=name, state=state)
        for letter, name, state in (
            ("a", "laptop", "away"),
            ("b", "phone", "away"),
            ("c", "tablet", "linked"),
        )
    )
    former = PeerView(device_id="d" * 64, name="tablet")
    marked = with_namesakes([before, away, linked, former], "laptop")
    assert [each.device_id[0] for each in marked if each.namesake] == ["a", "d"]
    lines = show("peers list", to_json(Peers(peers=marked)))
    assert ["samemind peers revoke" in line for line in lines] == [True, False, False, True]
    assert lines[0].index("peers rename aaaaaaaaaaaa") < lines[0].index("peers revoke aaaaaaaaaaaa")


@pytest.mark.parametrize("name", NAMES)
def test_raw_is_one_line_for_any_result(name: str) -> None:
    document = dict.fromkeys(verb_named(name).result.__dataclass_fields__, "two\nlines\x1b")
    assert raw_line(name, document).isprintable()


def test_a_memory_shows_when_it_was_told_by_the_clock_of_this_machine() -> None:
    lines = show("get", to_json(memory("Ann moved")))
    assert f"created_at  {NOON.astimezone():%Y-%m-%d %H:%M}" in lines
