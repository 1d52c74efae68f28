"""Every verb there is, once as it works and once as it fails: one JSON document, whatever happens."""

from pathlib import Path

from samemind.catalog import NAMES, verb_named
from tests.support.calling import Call, remember
from tests.support.published import published

# What can be said of every verb without a daemon, once as it works and once as it fails. A verb that is not here works
# without any words, and fails on an option that it does not have.
WORKS = {
    "remember": ["remember", "a thing worth keeping"],
    "remember-many": ["remember", "--batch", "-"],
    "recall": ["recall", "Lisbon"],
    "get": ["get", "RID"],
    "list": ["list"],
    "edit": ["edit", "RID", "Ann moved to Faro"],
    "set": ["set", "RID", "topic=moves"],
    "tag": ["tag", "RID", "moves"],
    "pin": ["pin", "RID"],
    "unpin": ["unpin", "RID"],
    "archive": ["archive", "RID"],
    "unarchive": ["unarchive", "RID"],
    "history": ["history", "RID"],
    "forget": ["forget", "RID"],
    "relate": ["relate", "Ann", "knows", "Bob"],
    "unrelate": ["unrelate", "Ann", "knows", "Eve"],
    "graph": ["graph", "Ann"],
    "import": ["import", "FILE"],
    "export": ["export"],
    "peers list": ["peers"],
    "sync": ["sync"],
    "init": ["init"],
    "status": ["status"],
    "digest": ["digest"],
    "log": ["log"],
    "verify": ["verify"],
    "compact": ["compact"],
    "doctor": ["doctor"],
    "stats": ["stats"],
    "backup": ["backup", "BACKUP"],
    "calendar": ["calendar"],
    "calendar-feed": ["calendar", "--feed", "--off"],
    "blocks edit": ["blocks", "edit", "style", "be brief"],
    "blocks get": ["blocks", "get", "style"],
    "carry export": ["carry", "export", "CARRIED"],
    "carry import": ["carry", "import", "CARRIED"],
    "mailbox add": ["mailbox", "add", "MAILBOX", "--name", "home"],
    "mailbox invite": ["mailbox", "invite", "home"],
    "mailbox phones": ["mailbox", "phones", "home"],
    "mailbox serve-config": ["mailbox", "serve-config", "meet.example"],
    "correct": ["correct", "RID", "Ann moved to Faro"],
    "diff": ["diff", "--since", "2100-01-01", "--until", "2101-01-01"],
    "feedback": ["feedback", "RID", "--relevant"],
    "goals add": ["goals", "add", "learn the cello"],
    "profile set": ["profile", "set", "name=Ann"],
    "retract": ["retract", "--source", "nowhere"],
    "why": ["why", "RID"],
    "why-not": ["why-not", "RID", "where is Ann?"],
}
# These are about something that has to come up first: tried where it does.
ABOUT_SOMETHING = {
    "extract", "queue requeue",
    "contradictions show", "contradictions resolve", "contradictions reopen", "contradictions snooze", "settle",
    "held release", "held drop", "unconsolidate", "unlink",
    "triggers deliver", "triggers act", "triggers dismiss", "triggers snooze", "goals done",
}  # fmt: skip
FAILS = {
    "remember": ["remember", ""],
    "remember-many": ["remember", "--batch", "missing.jsonl"],
    "recall": ["recall", "x", "-k", "many"],
    "get": ["get", "123456"],
    "list": ["list", "--since", "whenever"],
    "edit": ["edit", "123456", "x"],
    "set": ["set", "RID", "colour=red"],
    "tag": ["tag", "123456", "x"],
    "pin": ["pin", "123456"],
    "unpin": ["unpin", "zz"],
    "archive": ["archive"],
    "unarchive": ["unarchive", "123456"],
    "history": ["history", "123456"],
    "forget": ["forget", "123456"],
    "relate": ["relate", "Ann", " ", "Bob"],
    "unrelate": ["unrelate", "Ann", "hates", "Bob"],
    "graph": ["graph", "Nobody"],
    "import": ["import", "missing.jsonl"],
    "export": ["export", "-o", "no/such/folder/out.jsonl"],
    "pair": ["pair", "not a code"],
    "peers list": ["peers", "list", "extra"],
    "peers rename": ["peers", "rename", "nobody", "x"],
    "peers add": ["peers", "add", "nobody", "--address", "127.0.0.1:1"],
    "peers revoke": ["peers", "revoke", "nobody"],
    "group show": ["group", "show", "extra"],
    "group recovery": ["group", "recovery", "extra"],
    "group restore": ["group", "restore", "maple"],
    "group rebuild": ["group", "rebuild", "--without", "nobody"],
    "group rejoin": ["group", "rejoin", "no code"],
    "sync": ["sync", "nobody"],
    "init": ["init", "--name", ""],
    "up": ["up", "--listen", "nowhere"],
    "down": ["down"],
    "status": ["status", "extra"],
    "digest": ["digest", "--colour"],
    "log": ["log", "-n", "-5"],
    "verify": ["verify", "extra"],
    "compact": ["compact", "extra"],
    "doctor": ["doctor", "extra"],
    "stats": ["stats", "extra"],
    "calendar": ["calendar", "-o", "no/such/folder/mine.ics"],
    "calendar-feed": ["calendar", "--feed", "--new", "--off"],
    "triggers snooze": ["triggers", "snooze", "123456", "yesterday"],
}


@published("ME-16")
def test_every_verb_answers_with_one_document_wherever_json_stands_on_the_line(
    call: Call, tmp_path: Path
) -> None:
    goes_on = {
        "pair",
        "panel",
        "phone",
        "up",
        "down",
        "peers rename",
        "peers add",
        "peers revoke",
        "mailbox remove",
        "group restore",
    }  # tried with a second device
    file = tmp_path / "one.jsonl"
    file.write_text('{"text": "Bob bakes"}\n')
    call("relate", "Ann", "knows", "Eve")
    # About this machine and its programs rather than a memory: tried where they have a home of their own.
    alone = {name for name in NAMES if verb_named(name).alone}
    for name in sorted(set(NAMES) - goes_on - alone - ABOUT_SOMETHING):
        words = WORKS.get(name, name.split())
        rid = remember(call, f"Ann moved to Lisbon, said for {name}")
        words = [
            {
                "RID": rid,
                "FILE": str(file),
                "BACKUP": str(tmp_path / "backup.db"),
                "CARRIED": str(tmp_path / "carried"),
                "MAILBOX": f"folder://{tmp_path}",
            }.get(word, word)
            for word in words
        ]
        said = call("--json", *words, stdin='{"text": "from a line"}\n')
        assert (said.code, "error" in said.json) == (0, False), (name, said)
        assert isinstance(said.json, dict)


@published("ME-16")
def test_every_verb_fails_with_one_document_that_has_a_code_and_a_message(call: Call) -> None:
    rid = remember(call, "Ann moved to Lisbon")
    before = call("digest", "--json").json["ops"]
    for name in NAMES:
        words = FAILS.get(name, [*name.split(), "--no-such-option"])
        said = call(*[rid if word == "RID" else word for word in words], "--json")
        assert said.code in {1, 2, 3, 5, 6}, (name, said)
        assert said.json["error"]["code"] not in {"", "internal"}, (name, said)
        assert said.json["error"]["message"], name
        assert isinstance(said.json["error"]["hint"], str), name
    assert call("digest", "--json").json["ops"] == before, "nothing was written by any of them"
