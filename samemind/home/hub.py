"""Fetch a model's files from a hub of Hugging Face's kind: the one module that knows its client.

What a hub lists is foreign: only files that a model is loaded from are taken (weights as safetensors, which hold
numbers and no code; settings; vocabularies), and how many and how large they may be is decided before the first is
fetched. No token is sent, and none is looked for: models that want one are fetched by hand and added as a folder.
"""

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from samemind.errors import Failed, NotFound, Unreachable, Usage

# A name at the hub: an owner and a model, or a model alone.
NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
REVISION: Final = re.compile(r"[\w][\w./-]{0,127}", re.ASCII)
# Whose a model is where its name says no owner.
OWNER: Final = "sentence-transformers"
SUFFIXES: Final = frozenset({".safetensors", ".json", ".txt", ".model"})
# Copies of the weights for other runtimes.
OTHER_RUNTIMES: Final = frozenset({"onnx", "openvino", "coreml", "gguf", "rust"})
# Models of sentence-transformers have a dozen files; the largest that a laptop would run has some two gigabytes.
FILES_MAX: Final = 200
BYTES_MAX: Final = 4_000_000_000
ANSWER_S: Final = 30.0

Progress = Callable[[str], None]


class HubFile(NamedTuple):
    """A file as a hub lists it: its size in bytes, and the SHA-256 of its content where the hub says that."""

    path: str
    bytes: int
    sha256: str | None


class Revision(NamedTuple):
    """One commit of a model: the files to fetch of it."""

    model: str
    commit: str
    files: tuple[HubFile, ...]


def is_wanted(path: str) -> bool:
    """Say whether a model is loaded from a file of this name, a relative path with slashes, and it may be written."""
    parts = PurePosixPath(path).parts
    return (
        bool(parts)
        and len(path) <= 200
        and "\\" not in path
        and ":" not in path
        and path.isprintable()
        and not path.startswith("/")
        and not any(part.startswith(".") for part in parts)
        and OTHER_RUNTIMES.isdisjoint(parts)
        and PurePosixPath(path).suffix in SUFFIXES
    )


def check_files(what: str, files: Sequence[tuple[str, int]]) -> None:
    """Refuse files (path, bytes) that are no model, or more than any model is."""
    size = sum(count for _, count in files)
    if not any(path.endswith(".safetensors") for path, _ in files) or not any(
        path.rpartition("/")[2] == "config.json" for path, _ in files
    ):
        raise Usage(
            f"expected a model with a config.json and weights as .safetensors, got {what}",
            code="no_model",
            hint="weights in other formats may hold code, and are not taken",
        )
    if len(files) > FILES_MAX or size > BYTES_MAX:
        raise Usage(
            f"expected at most {FILES_MAX} files of {BYTES_MAX // 1_000_000} MB together, {what} has {len(files)} of "
            f"{size // 1_000_000} MB",
            code="too_large",
        )


def look_up(hub: str, name: str, revision: str) -> Revision:
    """Ask a hub which files one revision of a model has; nothing is fetched yet."""
    model = name if "/" in name else f"{OWNER}/{name}"
    info = _asked(
        hub,
        model,
        lambda api: api.model_info(model, revision=revision, files_metadata=True, timeout=ANSWER_S),
    )
    commit = info.sha
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise Failed(f"expected {hub} to name a commit of {model}, got {commit!r:.60}", code="bad_hub")
    files = []
    for each in info.siblings or ():
        if not is_wanted(each.rfilename):
            continue
        if type(each.size) is not int or each.size < 0:
            raise Failed(
                f"expected {hub} to say how large {each.rfilename} is, got {each.size!r:.60}", code="bad_hub"
            )
        files.append(HubFile(each.rfilename, each.size, each.lfs.sha256 if each.lfs else None))
    check_files(f"{model} at {hub}", [(each.path, each.bytes) for each in files])
    return Revision(model, commit, tuple(sorted(files)))


def fetch(hub: str, revision: Revision, folder: Path, say: Progress) -> None:
    """Write the files of a revision into a folder that is there; the caller looks at what they are."""
    for number, each in enumerate(revision.files, start=1):
        say(f"{number} of {len(revision.files)}: {each.path} ({each.bytes / 1_000_000:.1f} MB)")
        _asked(hub, revision.model, partial(_download, revision, each.path, folder))


def _download(revision: Revision, path: str, folder: Path, api: Any) -> None:
    api.hf_hub_download(
        revision.model, path, revision=revision.commit, local_dir=folder, etag_timeout=ANSWER_S
    )


def _asked(hub: str, model: str, ask: Callable[[Any], Any]) -> Any:
    """Return what a hub answers; whatever its client raises becomes an error that says what to do."""
    # Read when the client is imported: it says to the hub which programs call it, and draws bars on stderr.
    for name in ("HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_PROGRESS_BARS", "HF_HUB_DISABLE_IMPLICIT_TOKEN"):
        os.environ[name] = "1"
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import (
            GatedRepoError,
            HfHubHTTPError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )
    except ImportError as error:
        raise Failed(
            f"expected the package huggingface_hub to be installed ({error})",
            code="model_unavailable",
            hint="pip install 'huggingface-hub>=1.0'",
        ) from None
    try:
        return ask(HfApi(endpoint=hub, token=False))
    except GatedRepoError:
        raise Failed(
            f"expected a model that anybody may have, {model} at {hub} wants an account",
            code="not_public",
            hint="download it yourself, then: samemind models add FOLDER",
        ) from None
    except (RepositoryNotFoundError, RevisionNotFoundError) as error:
        what = "revision" if isinstance(error, RevisionNotFoundError) else "model"
        raise NotFound(f"expected a {what} of {model} at {hub}, it has none of that name") from None
    except HfHubHTTPError as error:
        status = getattr(error.response, "status_code", "no status")
        raise Unreachable(
            f"expected an answer from {hub}, got status {status}",
            hint="try again later, or set hub_url to a mirror",
        ) from None
    except Exception as error:  # whatever its transport raises, of which there were three in three releases
        said = (str(error) or type(error).__name__).partition("\n")[0][:200]
        raise Unreachable(
            f"expected {model} from {hub}, got: {said}",
            hint="without a network: copy its folder here, then: samemind models add FOLDER",
        ) from None
