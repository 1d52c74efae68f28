"""Models of one's own: fetched from a hub by its real client, or copied; pinned; tried; refused where they differ."""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from cognition.embedding import transformer
from cognition.errors import ModelUnavailable
from samemind.commands.models import add
from samemind.commands.models.add import SENTENCES, AddModel, hub_of
from samemind.commands.models.add import run as models_add
from samemind.commands.models.list import ListModels
from samemind.commands.models.list import run as models_list
from samemind.commands.models.remove import RemoveModel
from samemind.commands.models.remove import run as models_remove
from samemind.config import Home, Settings
from samemind.errors import Failed, NotFound, SamemindError, Unreachable, Usage
from samemind.home import hub as hubs
from samemind.home.added_models import added_model, added_models, embedder_of, files_of
from tests.support.hubs import COMMIT, Hub, serving
from tests.support.models import minilm, needs_transformers

FILES = {
    "config.json": b'{"model_type": "bert"}',
    "modules.json": b"[]",
    "1_Pooling/config.json": b"{}",
    "vocab.txt": b"dog\npuppy\n",
    "model.safetensors": b"weights" * 1_000,
    # None of these may be fetched: code, pickles, copies for other runtimes, names that lead elsewhere.
    "README.md": b"hello",
    "pytorch_model.bin": b"\x80\x04.",
    "modeling_bert.py": b"import os",
    "onnx/model.json": b"{}",
    "../../outside.json": b"{}",
    ".hidden/x.json": b"{}",
}
WANTED = {"config.json", "modules.json", "1_Pooling/config.json", "vocab.txt", "model.safetensors"}


class Sensible:
    """Stands for what sentence-transformers loads: the first two sentences are near, whatever the weights say."""

    rows: ClassVar = {
        SENTENCES[0]: (1.0, 0.1, 0.0),
        SENTENCES[1]: (0.9, 0.2, 0.0),
        SENTENCES[2]: (0.0, 0.1, 1.0),
    }

    def encode(self, texts: Sequence[str], **_: Any) -> Any:
        rows = [self.rows.get(text, (0.2, 1.0, 0.2)) for text in texts]
        return np.array([np.array(row) / np.linalg.norm(row) for row in rows], np.float32)


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "real" not in request.node.name:
        monkeypatch.setattr(transformer, "check_library", lambda: None)
        monkeypatch.setattr(transformer, "_open", lambda folder: Sensible())


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub("acme/sayings", FILES)) as one:
        yield one


def home_of(tmp_path: Path, hub: Hub | None = None) -> Home:
    home = Home.at(tmp_path / "home")
    home.create()
    if hub is not None:
        Settings(hub_url=hub.url).save(home)
    return home


def test_a_model_is_fetched_by_name_pinned_and_tried(tmp_path: Path, hub: Hub) -> None:
    home = home_of(tmp_path, hub)
    view = models_add(home, AddModel(model="acme/sayings"))
    assert (view.name, view.revision, view.setting) == ("sayings", COMMIT, "transformers:sayings")
    assert view.source == f"{hub.url}/acme/sayings"
    folder = files_of(home, "sayings")
    held = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert held == WANTED
    added = added_model(home, "sayings")
    assert added is not None
    assert (set(added.files), added.width) == (WANTED, 3)
    assert [one.trouble for one in models_list(home, ListModels()).models] == [""]
    assert not list(tmp_path.rglob("outside.json"))
    assert hub.tokens == []  # nobody's account is told to a hub


def test_nothing_but_a_models_own_files_is_asked_for_and_each_at_the_commit_that_was_named(
    tmp_path: Path, hub: Hub
) -> None:
    models_add(home_of(tmp_path, hub), AddModel(model="acme/sayings", revision="v1"))
    assert "GET /api/models/acme/sayings/revision/v1" in hub.asked
    fetched = {line.partition("/resolve/")[2] for line in hub.asked if line.startswith("GET /acme")}
    assert fetched == {f"{COMMIT}/{path}" for path in WANTED}


def test_a_model_that_was_added_is_the_one_that_the_setting_means(tmp_path: Path, hub: Hub) -> None:
    home = home_of(tmp_path, hub)
    view = models_add(home, AddModel(model="acme/sayings"))
    embedder = embedder_of(home, view.setting)
    assert embedder.name.startswith(f"transformers:{view.digest[:16]}/")
    one, other, stranger = embedder.embed(SENTENCES)
    assert one @ other > one @ stranger


def test_other_files_than_those_that_were_pinned_are_refused_and_named(tmp_path: Path, hub: Hub) -> None:
    home = home_of(tmp_path, hub)
    view = models_add(home, AddModel(model="acme/sayings"))
    (files_of(home, "sayings") / "model.safetensors").write_bytes(b"somebody else's")
    with pytest.raises(ModelUnavailable, match=f"where {view.digest} was pinned"):
        embedder_of(home, view.setting).embed(["tea"])
    (one,) = models_list(home, ListModels()).models
    assert one.trouble == "not as it was pinned: model.safetensors"


def test_a_hub_that_sends_other_bytes_than_it_listed_is_refused_and_nothing_stays(
    tmp_path: Path, hub: Hub
) -> None:
    home = home_of(tmp_path, hub)
    hub.sent["model.safetensors"] = b"WEIGHTS" * 1_000
    with pytest.raises(Failed, match=r"expected model\.safetensors of 7000 bytes"):
        models_add(home, AddModel(model="acme/sayings"))
    hub.sent["model.safetensors"] = b"short"
    with pytest.raises(SamemindError):
        models_add(home, AddModel(model="acme/sayings"))
    assert added_models(home) == []
    assert list(home.models.iterdir()) == []


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ({"config.json": 2, "pytorch_model.bin": 10}, "weights as .safetensors"),
        ({"model.safetensors": 10}, "a config.json"),
        ({"config.json": 2, "model.safetensors": hubs.BYTES_MAX}, "4000 MB together"),
        (
            {"config.json": 2, "model.safetensors": 1, **{f"{n}.json": 1 for n in range(200)}},
            "at most 200 files",
        ),
        ({"config.json": -1, "model.safetensors": 1}, "how large config.json is"),
    ],
)
def test_what_a_hub_lists_is_bounded_before_anything_is_fetched(
    tmp_path: Path, hub: Hub, listed: dict[str, int], said: str
) -> None:
    hub.listed = {path: {"size": size, "sha256": "0" * 64} for path, size in listed.items()}
    with pytest.raises(SamemindError, match=said):
        models_add(home_of(tmp_path, hub), AddModel(model="acme/sayings"))
    assert not [line for line in hub.asked if "/resolve/" in line]


def test_no_such_model_no_answer_and_no_network_are_told_apart(tmp_path: Path, hub: Hub) -> None:
    home = home_of(tmp_path, hub)
    with pytest.raises(NotFound, match="it has none of that name"):
        models_add(home, AddModel(model="acme/other"))
    hub.status = 503
    with pytest.raises(Unreachable, match="got status 503"):
        models_add(home, AddModel(model="acme/sayings"))
    Settings(hub_url="http://127.0.0.1:9").save(home)
    with pytest.raises(Unreachable, match="expected acme/sayings from") as caught:
        models_add(home, AddModel(model="acme/sayings"))
    assert "samemind models add FOLDER" in caught.value.hint


def test_a_model_that_cannot_tell_sentences_apart_is_not_added(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sensible, "rows", {})
    with pytest.raises(Failed, match="memories would not be found by this model"):
        models_add(home_of(tmp_path, hub), AddModel(model="acme/sayings"))


def test_without_a_network_a_folder_is_copied_and_may_go(tmp_path: Path) -> None:
    home, folder = home_of(tmp_path), tmp_path / "stick" / "my-model"
    for path, held in FILES.items():
        if not path.startswith(".."):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(held)
    view = models_add(home, AddModel(model=str(folder)))
    assert (view.name, view.source, view.revision) == ("my-model", str(folder), "")
    (folder / "model.safetensors").unlink()
    assert embedder_of(home, "transformers:my-model").embed(["tea"]).shape == (1, 3)
    with pytest.raises(Usage, match="a model called my-model was added"):
        models_add(home, AddModel(model=str(folder)))


def test_a_model_in_use_stays_and_another_goes(tmp_path: Path, hub: Hub) -> None:
    home = home_of(tmp_path, hub)
    models_add(home, AddModel(model="acme/sayings"))
    models_add(home, AddModel(model="acme/sayings", name="other"))
    Settings(hub_url=hub.url, embedder="transformers:sayings").save(home)
    with pytest.raises(Usage, match="not in use"):
        models_remove(home, RemoveModel(name="sayings"))
    assert models_remove(home, RemoveModel(name="other")).name == "other"
    assert [(one.name, one.in_use) for one in models_list(home, ListModels()).models] == [("sayings", True)]
    with pytest.raises(NotFound, match=r"\(sayings\), got '\.\./home'"):
        models_remove(home, RemoveModel(name="../home"))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "ftp://example.org",
        "https://ann:pw@example.org",
        "example.org",
        "",
        "https://",
        "https://x/?q",
    ],
)
def test_a_mirror_is_an_address_that_nobody_between_can_change(url: str) -> None:
    with pytest.raises(Usage, match="expected hub_url"):
        hub_of(url)
    assert hub_of("https://mirror.example/hf/") == "https://mirror.example/hf"


@pytest.mark.parametrize("name", ["", "..", "a/b/c", "x" * 97, "acme/", "-x", "a b"])
def test_what_is_no_name_and_no_folder_is_refused_before_anybody_is_asked(
    tmp_path: Path, hub: Hub, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(Usage):
        models_add(home_of(tmp_path, hub), AddModel(model=name or "\0", name="x"))
    assert hub.asked == []


def test_a_folder_of_much_else_is_refused_before_all_of_it_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(add, "ENTRIES_MAX", 4)
    looked_at = []

    def rglob(folder: Path, pattern: str) -> Iterator[Path]:
        for number in count():
            looked_at.append(number)
            yield folder / f"{number}.txt"

    monkeypatch.setattr(Path, "rglob", rglob)
    with pytest.raises(Usage, match="holds more than 4 files and folders"):
        models_add(home_of(tmp_path), AddModel(model=str(tmp_path), name="x"))
    assert len(looked_at) == 5


def test_a_damaged_pin_says_which_folder_to_remove(tmp_path: Path, hub: Hub) -> None:
    home = home_of(tmp_path, hub)
    models_add(home, AddModel(model="acme/sayings"))
    (home.models / "sayings" / "pinned.json").write_text(json.dumps({"name": "sayings"}))
    with pytest.raises(Failed, match="expected what was pinned"):
        models_list(home, ListModels())


@needs_transformers
def test_a_real_model_comes_through_the_hubs_paths_and_finds_a_memory(tmp_path: Path) -> None:
    place = minilm()
    assert place is not None
    files = {
        path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()
    }
    with serving(Hub("sentence-transformers/tiny", files)) as hub:
        home = home_of(tmp_path, hub)
        view = models_add(home, AddModel(model="tiny"))
    assert view.width == 384
    one, other, stranger = embedder_of(home, view.setting).embed(SENTENCES)
    assert one @ other > 0.4 > abs(one @ stranger)
