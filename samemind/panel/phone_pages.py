"""Serve what a phone loads: the files of its page, and their manifest signed by this device.

The files are those of the package `samemind_phone` (`make phone` builds its wheel), named in its manifest with their
hashes; what is not named there is not served. They are compressed already. One whose name holds its hash never changes,
so a browser keeps it for good; every other is asked for again by its ETag.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import trio
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from samemind.panel.guard import PHONE, refuse

if TYPE_CHECKING:
    from samemind.panel.door import Panel

_PACKAGE: Final = "samemind_phone"
_FOREVER: Final = "public, max-age=31536000, immutable"
_ASKED_AGAIN: Final = "no-cache"
# A signature for one purpose must not pass for another.
_MANIFEST: Final = b"samemind phone page 1\0"
_MISSING: Final = "install the wheel samemind_phone beside samemind; in a checkout: make phone"


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of the page. `sha256`: of what it is, in whatever encoding it is sent."""

    path: Path
    sha256: str
    type: str
    immutable: bool
    encodings: tuple[str, ...]


def page_files(folder: Path) -> dict[str, PageFile]:
    """Return the files that a manifest names, by their path below /phone/."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    return {
        name: PageFile(
            folder / name,
            str(about["sha256"]),
            str(about["type"]),
            bool(about["immutable"]),
            tuple(map(str, about["encodings"])),
        )
        for name, about in manifest["files"].items()
    }


def phone_routes(panel: "Panel") -> Iterable[BaseRoute]:
    """Return the routes below /phone/, but that of the link."""

    async def slash(request: Request) -> Response:
        return RedirectResponse(f"{PHONE}/")

    return [
        Route(PHONE, slash, methods=["GET"]),
        *_page_routes(panel),
    ]


def _page_routes(panel: "Panel") -> Iterable[Route]:
    if find_spec(_PACKAGE) is None:

        async def missing(request: Request) -> Response:
            return refuse(404, "extra_missing", "the app for phones is not installed here", _MISSING)

        return [Route(f"{PHONE}/", missing, methods=["GET"])]
    folder = Path(str(files(_PACKAGE))) / "static"
    named = page_files(folder)
    manifest = (folder / "manifest.json").read_bytes()
    signature = {
        "device": panel.device.device_id.hex(),
        "signature": panel.device.identity.sign(_MANIFEST + hashlib.sha256(manifest).digest()).hex(),
    }
    named["manifest.json"] = PageFile(
        folder / "manifest.json", hashlib.sha256(manifest).hexdigest(), "application/json", False, ()
    )
    named[""] = named["index.html"]

    async def signed(request: Request) -> Response:
        return JSONResponse(signature, headers={"cache-control": "no-store"})

    return [
        Route(f"{PHONE}/manifest.sig", signed, methods=["GET"]),
        *(Route(f"{PHONE}/{name}", _sending(file), methods=["GET"]) for name, file in named.items()),
    ]


def _sending(file: PageFile) -> Any:
    async def send(request: Request) -> Response:
        accepted = {
            each.partition(";")[0].strip()
            for each in request.headers.get("accept-encoding", "").split(",")
            if "q=0" not in each.replace(" ", "").split(";")
        }
        encoding = next((each for each in file.encodings if each in accepted), None)
        tag = f'"{file.sha256[:32]}{"" if encoding is None else f"-{encoding}"}"'
        headers = {
            "etag": tag,
            "cache-control": _FOREVER if file.immutable else _ASKED_AGAIN,
            "vary": "accept-encoding",
        }
        if tag in [
            each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")
        ]:
            return Response(status_code=304, headers=headers)
        path = file.path
        if encoding is not None:
            headers["content-encoding"] = encoding
            path = path.with_name(f"{path.name}.{encoding}")
        body = await trio.to_thread.run_sync(path.read_bytes)
        headers["content-type"] = file.type
        return Response(body, headers=headers)

    return send
