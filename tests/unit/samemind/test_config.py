"""Where a device keeps its things."""

from pathlib import Path

import pytest

import samemind
from cognition.choosing import EMBEDDERS, RERANKERS, embedder_called, reranker_called
from cognition.decay import PROFILE_DEFAULT
from cognition.embedding.universal import UniversalEmbedder
from samemind.config import (
    WORD_GROUPS_MAX,
    WORDS_MAX,
    Home,
    Settings,
    check_name,
)
from samemind.errors import Failed, Usage
from samemind.formats.plain import to_json
from tests.support import cli


def test_a_home_beside_a_folder_that_is_gone_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(Usage, match="the current folder is gone: laptop"):
        Home.at("laptop")
    assert Home.at(tmp_path / "laptop").folder == tmp_path / "laptop"


def test_a_folder_is_a_home_of_its_own(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "laptop")
    assert home.store == tmp_path / "laptop" / "memory.db"
    assert home.identity == tmp_path / "laptop" / "identity.pem"
    assert home.shown() == str(tmp_path / "laptop")


def test_a_store_file_has_its_things_beside_it_under_its_name(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "notes.db")
    assert home.store == tmp_path / "notes.db"
    assert home.identity == tmp_path / "notes.db.identity.pem"
    assert home.control.parent == home.lock.parent == tmp_path


def test_a_folder_whose_name_ends_like_a_store_is_still_a_folder(tmp_path: Path) -> None:
    (tmp_path / "old.db").mkdir()
    assert Home.at(tmp_path / "old.db").store == tmp_path / "old.db" / "memory.db"


def test_the_home_is_chosen_by_argument_then_environment_then_platform(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SAMEMIND_HOME", str(tmp_path / "from environment"))
    assert Home.choose(str(tmp_path / "given")).folder == tmp_path / "given"
    assert Home.choose(None).folder == tmp_path / "from environment"
    monkeypatch.delenv("SAMEMIND_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert Home.choose(None).folder.name == "samemind"


def test_what_is_taken_out_replaces_none_of_the_devices_own_files(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "home")
    home = Home.at(tmp_path / "link")
    (tmp_path / "home").mkdir()
    for name in ("memory.db", "memory.db-wal", "identity.pem", "mailboxes.json", "control.sock", "backups"):
        with pytest.raises(Usage, match=f"that this device needs: .*{name}"):
            home.check_foreign(tmp_path / "home" / name)
    home.check_foreign(tmp_path / "home" / "all.jsonl")
    home.check_foreign(tmp_path / "memory.db")
    beside = Home.at(tmp_path / "notes.db")
    with pytest.raises(Usage, match="this device needs"):
        beside.check_foreign(tmp_path / "notes.db.identity.pem")
    beside.check_foreign(tmp_path / "identity.pem")
    beside.check_foreign(tmp_path / "notes.db.jsonl")


def test_a_home_that_is_made_belongs_to_its_owner_only(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "a" / "b")
    home.create()
    assert home.folder.stat().st_mode & 0o777 == 0o700


def test_a_home_inside_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Usage, match="found a file"):
        Home.at(tmp_path / "file" / "home").create()


ANY_PLACE = ("barn", "attic", "garden", "kitchen", "cellar", "hall")


def test_settings_come_back_as_they_were_saved(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    settings = Settings(name='Ann\'s "old" laptop ☂', listen="0.0.0.0:7411", mdns=False)
    settings.save(home)
    assert Settings.load(home) == settings
    assert Settings.load(Home.at(tmp_path / "elsewhere")) == Settings()


@pytest.mark.parametrize("text", ["name = ", "name = 5", "nmae = 'x'", "mdns = 'yes'"])
def test_settings_that_cannot_be_meant_are_refused_with_the_file_named(tmp_path: Path, text: str) -> None:
    home = Home.at(tmp_path)
    home.settings.write_text(text)
    with pytest.raises(Failed, match=r"config\.toml"):
        Settings.load(home)


@pytest.mark.parametrize("name", ["", "  ", "a\x1b[31mb", "x" * 257, "\ud800"])
def test_a_name_that_nobody_could_read_or_store_is_refused(name: str) -> None:
    with pytest.raises(Usage):
        check_name(name)


def test_a_name_is_kept_without_its_loose_spaces() -> None:
    assert check_name("  Ann's \n phone ") == "Ann's phone"


def test_the_curves_by_which_memories_fade_are_those_of_cognition(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "laptop")
    home.create()
    assert Settings.load(home).decay == PROFILE_DEFAULT
    home.settings.write_text('decay = "memori"\n')
    assert Settings.load(home).decay == "memori"
    home.settings.write_text('decay = "never"\n')
    with pytest.raises(Failed, match="decay"):
        Settings.load(home)


def test_the_models_that_settings_may_name_are_those_of_cognition(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "laptop")
    home.create()
    chosen = Settings.load(home)
    assert isinstance(embedder_called(chosen.embedder), UniversalEmbedder)
    assert reranker_called(chosen.reranker) is None
    assert set(RERANKERS) == {"off", "colbert-small"}
    for line in (*(f'embedder = "{name}"' for name in EMBEDDERS), 'embedder = "transformers:/a model"'):
        home.settings.write_text(line)
        assert embedder_called(Settings.load(home).embedder).name
    for line in ('embedder = "bge"', 'embedder = "transformers: "', "embedder = 5", 'reranker = "on"'):
        home.settings.write_text(line)
        with pytest.raises(Failed, match=line.partition(" ")[0]):
            Settings.load(home)
    for line, meant in (
        (
            'embedder = "bge"',
            "expected embedder to be multilingual, small, wordllama, bge-small or transformers:MODEL, got 'bge'",
        ),
        ("reranker = true", "expected reranker to be off or colbert-small, got True"),
        ("history_days = 1.5", "expected history_days to be a whole number from 0 to 36525, got 1.5"),
        ("quota_ops = 0", "expected quota_ops to be a whole number from 1000 to 100000000, got 0"),
        ("learning_rate = 2", "expected learning_rate to be a number from 0.000001 to 1, got 2"),
        ("mdns = 1", "expected mdns to be true or false, got 1"),
        ("name = 5", "expected name to be text, got 5"),
        ("nmae = 5", r"expected only name, .*, got nmae; did you mean name\?$"),
    ):
        home.settings.write_text(line)
        with pytest.raises(Failed, match=meant):
            Settings.load(home)
    for call, name in ((embedder_called, "bge"), (embedder_called, "transformers:"), (reranker_called, "on")):
        with pytest.raises(ValueError, match="expected"):
            call(name)


def test_doctor_says_what_is_wrong_with_the_settings(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "laptop")
    with samemind.open_blocking(home.folder) as mind:
        assert not [check for check in mind.doctor().checks if check.name == "settings"]
        home.settings.write_text('embedder = "bge"')
        (check,) = (check for check in mind.doctor().checks if check.name == "settings")
        assert not check.ok
        assert "expected embedder to be multilingual" in check.detail
    shown = cli.run(home.folder, "doctor", "--json")
    assert (shown.code, shown.json["ok"]) == (1, False)
    assert shown.json["checks"] == [to_json(check)]
    refused = cli.run(home.folder, "list", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "bad_settings")


def test_own_words_come_back_as_they_were_saved_and_the_slip_among_many_is_named(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    chosen = Settings(mdns=False, words={"finances": ["Kohle", "finanz*"], "жить": ["мешка*"]})
    chosen.save(home)
    assert Settings.load(home) == chosen
    many = "".join(f"group{n} = ['word']\n" for n in range(WORD_GROUPS_MAX))
    home.settings.write_text(f"[words]\n{many}")
    assert len(Settings.load(home).words) == WORD_GROUPS_MAX
    for line, meant in (
        ("other = ['word']", "expected words to be up to 200 groups, .* got '201 groups'"),
        ("group0 = 'word'", "got {'group0': 'word'}"),
        ("group0 = []", "got {'group0': \\[\\]}"),
        ("group0 = ['two words']", "got {'group0': \\['two words'\\]}"),
        ("group0 = ['ab*']", "got {'group0': \\['ab\\*'\\]}"),
        ("group0 = [1]", "got {'group0': \\[1\\]}"),
        ("'gro*' = ['word']", "got {'gro\\*': \\['word'\\]}"),
        (f"group0 = {['word'] * (WORDS_MAX + 1)}", "got {'group0': "),
    ):
        kept = many if line.startswith("other") else many.replace("group0 = ['word']\n", "")
        home.settings.write_text(f"[words]\n{kept}{line}\n")
        with pytest.raises(Failed, match=meant):
            Settings.load(home)
    home.settings.write_text("words = ['finances']")
    with pytest.raises(Failed, match=r"expected words to be up to 200 groups, .* got \['finances'\]"):
        Settings.load(home)


def test_own_words_find_what_shares_no_word_with_the_question(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    home.create()
    texts = [
        f"The {animal} sleeps in the {place}." for animal in ("cat", "dog", "owl") for place in ANY_PLACE
    ]
    told = "Kohle liegt hinter der Matratze."
    for words, by_its_words in (({}, False), ({"zaster": ["kohle"]}, True)):
        Settings(name="laptop", mdns=False, words=words).save(home)
        with samemind.open_blocking(home.folder) as mind:
            mind.remember_many([told, *texts])
            hits = mind.recall("Wo ist der Zaster?", k=3, explain=True).results
            by_words = [
                hit.text
                for hit in hits
                if hit.why and any(one["channel"] == "synonyms" for one in hit.why["found"])
            ]
            assert (told in by_words) is by_its_words, hits
            assert hits[0].text == told or not by_its_words
