"""A home and a log of version 0.1.0, as that version wrote them (`tests/data/home-0.1.0`): this one goes on with both.

That version threw tellings away that looked alike; what it kept is kept, and from now on every telling adds.
"""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import zstandard

import samemind
from cognition.embedding.universal import UniversalEmbedder
from replica.erasure import read_proof
from replica.frame import decode_frame
from replica.membership import introduce
from replica.storage.sql import connect
from replica.verify import verify_replica
from tests.support import cli
from tests.support.links import identity
from tests.support.replicas import acquaint, core_of

FROZEN = Path(__file__).parents[1] / "data" / "home-0.1.0"
LATER_MS = 2_000_000_000_000  # than the log was written


def wire() -> Any:
    return json.loads((FROZEN / "wire.json").read_text())


def home(folder: Path) -> Path:
    """Unpack the home."""
    folder.mkdir(mode=0o700)
    (folder / "memory.db").write_bytes(zstandard.decompress((FROZEN / "memory.db.zst").read_bytes()))
    (folder / "identity.pem").write_bytes((FROZEN / "identity.pem").read_bytes())
    (folder / "identity.pem").chmod(0o600)
    return folder


def exported(mind: samemind.BlockingMind, file: Path) -> list[str]:
    mind.export(file)
    lines = map(json.loads, file.read_text().splitlines())
    return sorted(line["text"] for line in lines if line.get("kind") == "memory")


def test_a_home_is_taken_over_whole_and_every_telling_adds(tmp_path: Path) -> None:
    with samemind.open_blocking(home(tmp_path / "home")) as mind:
        assert mind.digest().digest == wire()["digest"], "nothing that shows is another than it was"
        assert mind.verify().ok
        told = wire()["texts"]
        assert exported(mind, tmp_path / "before.jsonl") == sorted(told)
        for text in told:
            assert mind.recall(text)[0].text == text
        likes = {
            view.text: view for view in mind.list(limit=100) if view.text.lower().startswith("ann likes")
        }
        assert likes.keys() == {"Ann likes tea", "ann likes  TEA"}, "other letters may mean something else"
        assert mind.remember("Ann likes tea", read=True).says_same == [likes["Ann likes tea"].rid]
        (tea,) = [view for view in mind.list(limit=100) if view.text == "Ann likes tea"]
        assert (tea.tellings, len(tea.same)) == (2, 1), "what was told twice is shown once"
        assert mind.remember("Really, the rent is 950 euros", no_facts=True, read=True).says_same
        assert exported(mind, tmp_path / "after.jsonl") == sorted(
            [*told, "Ann likes tea", "Really, the rent is 950 euros"]
        )
        assert mind.verify().ok
    assert cli.run(tmp_path / "home", "verify", "--json").json["ok"] is True


def test_its_memories_are_embedded_anew_in_the_background_and_found_in_other_languages(
    tmp_path: Path,
) -> None:
    folder = home(tmp_path / "home")
    with closing(connect(str(folder / "memory.db"))) as store:
        ((old,),) = store.execute("SELECT name FROM vector_space").fetchall()
        ((with_vectors,),) = store.execute("SELECT count(*) FROM vector").fetchall()
    assert "use-multilingual" not in old
    assert with_vectors == len(wire()["texts"])
    with samemind.open_blocking(folder) as mind:
        mind.wait_for_queue()
        assert "950" in mind.recall("Wie hoch ist die Miete?").results[0].text
        assert mind.verify().ok
        assert mind.digest().digest == wire()["digest"], "vectors are nobody else's business"
    with closing(connect(str(folder / "memory.db"))) as store:
        spaces = dict(store.execute("SELECT no, name FROM vector_space"))
        held = dict(store.execute("SELECT space, count(*) FROM vector GROUP BY space"))
    assert {spaces[space]: count for space, count in held.items()} == {
        UniversalEmbedder().name: len(wire()["texts"])
    }


def test_ops_of_that_version_fold_to_what_they_folded_to_there() -> None:
    frozen = wire()
    ann = identity("ann")
    core = core_of("ann")
    acquaint(core, "ann", "ann")
    _, key, certificate, *_ = frozen["member"]
    known = introduce(
        ann.sign,
        ann.device_id,
        public_key=bytes.fromhex(key),
        certificate=bytes.fromhex(certificate),
        name="of 0.1.0",
    )
    core.learn([known], [], [read_proof(bytes.fromhex(proof)) for proof in frozen["proofs"]], LATER_MS)
    for frame in frozen["frames"]:
        core.take(decode_frame(bytes.fromhex(frame)), LATER_MS)
    assert core.position == frozen["ops"]
    assert core.has_folded_all
    assert core.digests().visible.hex() == frozen["digest"]
    assert verify_replica(core).problems == ()
