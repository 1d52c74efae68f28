"""Download a sentence-transformers model, or copy one from a folder; pin its hashes, and test it."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from samemind.commands.models._parts import ModelView, model_line
from samemind.declaring import Agents, Command, Effects, argument, option
from samemind.errors import Failed, Usage
from samemind.formats.rendering import Document
from sync.loopback import is_this_machine

if TYPE_CHECKING:
    from samemind.config import Home
    from samemind.home import hub
    from samemind.home.added_models import AddedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class AddModel:
    """Download a sentence-transformers model, or copy one from a folder; pin its hashes, and test it."""

    model: str = argument("its name at the hub, or a folder that contains it", metavar="NAME|FOLDER")
    name: str | None = option("--name", "what to call it here", metavar="NAME")
    revision: str = option("--revision", "a commit, tag or branch of it", default="main", metavar="REV")


# What any model of sentences tells apart: the first two say the same, the third something else.
SENTENCES: Final = ("our dog has fallen ill", "the puppy is sick", "the invoice is due on Friday")
# A folder of a model holds a dozen files, its repository some hundreds; `..`, named by mistake, holds all of a disk.
ENTRIES_MAX: Final = 2_000


def run(home: "Home", options: AddModel) -> ModelView:
    """Take a model in: it counts as added only once it has made vectors that tell sentences apart."""
    from samemind.commands.models._work import view
    from samemind.config import Settings
    from samemind.home import hub
    from samemind.home.added_models import FILES, adding, check_name

    settings = Settings.load(home)
    given = Path(options.model).expanduser()
    from cognition.embedding.transformer import check_library

    check_library()  # before anything is fetched that nothing here would run
    if given.is_dir():
        folder = given.resolve()
        name = check_name(options.name or folder.name)
        with adding(home, name) as scratch:
            _copy(folder, scratch / FILES)
            added = _tried(scratch, name, str(folder), "")
    else:
        address = hub_of(settings.hub_url)
        if not hub.NAME.fullmatch(options.model):
            raise Usage(
                f"expected a folder, or a name such as {hub.OWNER}/all-MiniLM-L6-v2, got {options.model[:80]!r}",
                code="invalid",
            )
        if not hub.REVISION.fullmatch(options.revision) or ".." in options.revision:
            raise Usage(f"expected a commit, tag or branch, got {options.revision[:80]!r}", code="invalid")
        name = check_name(options.name or options.model.rpartition("/")[2])
        with adding(home, name) as scratch:
            revision = hub.look_up(address, options.model, options.revision)
            hub.fetch(address, revision, scratch / FILES, _say)
            _drop_hidden(scratch / FILES)
            _check_fetched(scratch / FILES, revision.files, address)
            added = _tried(scratch, name, f"{address}/{revision.model}", revision.commit)
    return view(home, settings, added)


def hub_of(url: str) -> str:
    """Return the address of a hub without its slash at the end; over a network it is spoken to through TLS."""
    parts = urlsplit(url)
    plain = parts.scheme == "http" and is_this_machine(parts.hostname)
    if (
        not (parts.scheme == "https" or plain)
        or not parts.hostname
        or parts.username is not None
        or parts.query
    ):
        raise Usage(
            f"expected hub_url to be an https address without a name or password (http on this machine alone), got "
            f"{url[:100]!r}",
            code="invalid",
        )
    return url.rstrip("/")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _copy(folder: Path, into: Path) -> None:
    """Copy what a model is loaded from; links are followed, as the cache of the hub's own client is made of them."""
    import shutil

    from samemind.home import hub

    found = []
    # As they come, not sorted first: that would read all of a disk before anything is said.
    for number, path in enumerate(folder.rglob("*"), start=1):
        if number > ENTRIES_MAX:
            raise Usage(
                f"expected a folder that holds one model, {folder} holds more than {ENTRIES_MAX} files and folders",
                code="too_large",
            )
        relative = path.relative_to(folder).as_posix()
        if path.is_file() and hub.is_wanted(relative):
            found.append((relative, path.stat().st_size))
            if len(found) > hub.FILES_MAX:
                break
    hub.check_files(str(folder), found)
    for relative, _ in found:
        (into / relative).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / relative, into / relative)


def _drop_hidden(folder: Path) -> None:
    """Take away what the hub's client notes for itself."""
    import shutil

    for path in folder.iterdir():
        if path.name.startswith(".") and path.is_dir():
            shutil.rmtree(path)


def _check_fetched(folder: Path, listed: "Sequence[hub.HubFile]", address: str) -> None:
    """Hold what came to what was listed: no other files, of no other size, with no other hash."""
    from samemind.home.added_models import hashes

    found = hashes(folder)
    if found.keys() != {each.path for each in listed}:
        raise Failed(
            f"expected the files that {address} listed, got {', '.join(sorted(found))[:200]}", code="bad_hub"
        )
    for each in listed:
        size = (folder / each.path).stat().st_size
        if size != each.bytes or (each.sha256 is not None and each.sha256 != found[each.path]):
            raise Failed(
                f"expected {each.path} of {each.bytes} bytes and SHA-256 {each.sha256 or 'unknown'}, as {address} "
                f"listed it, got {size} bytes and {found[each.path]}",
                code="bad_hub",
                hint="try again; if it happens again, the hub or a proxy changes files",
            )


def _tried(scratch: Path, name: str, source: str, revision: str) -> "AddedModel":
    """Load a model from its new place, have it tell sentences apart, and pin it."""
    import numpy as np

    from cognition.embedding.transformer import TransformerEmbedder, digest_of
    from cognition.errors import ModelUnavailable
    from samemind.home.added_models import FILES, AddedModel, hashes, pin

    folder = scratch / FILES
    embedder = TransformerEmbedder(str(folder))
    try:
        rows = embedder.embed(SENTENCES)
        began = time.perf_counter()
        embedder.embed(SENTENCES)
    except ModelUnavailable as error:
        raise Failed(str(error), code="no_model") from None
    ms = (time.perf_counter() - began) * 1_000 / len(SENTENCES)
    same, other = float(rows[0] @ rows[1]), float(rows[0] @ rows[2])
    if not np.isfinite(rows).all() or not same > other:
        raise Failed(
            f"expected {SENTENCES[0]!r} to be nearer to {SENTENCES[1]!r} than to {SENTENCES[2]!r}, got cosines of "
            f"{same:.2f} and {other:.2f}: memories would not be found by this model",
            code="no_model",
        )
    added = AddedModel(
        name=name,
        source=source,
        revision=revision,
        digest=digest_of(folder),
        files=hashes(folder),
        bytes=sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        width=rows.shape[1],
        ms_per_text=round(ms, 2),
        added_ms=time.time_ns() // 1_000_000,
    )
    pin(scratch, added)
    return added


def render(document: Document) -> list[str]:
    return [
        model_line(document),
        f'to find memories by it, set embedder = "{document["setting"]}" in config.toml, and restart the daemon',
    ]


COMMAND: Final = Command(
    "models add",
    AddModel,
    ModelView,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="fetches from the network, or reads a folder of this machine",
    library=None,
    alone=True,
    place=1,
)
