"""Serve what a phone loads: the files of its page, their manifest signed by this device, and how to trust this device.

The files are those of the package `samemind_phone` (`make phone` builds its wheel), named in its manifest with their
hashes; what is not named there is not served. They are compressed already. One whose name holds its hash never changes,
so a browser keeps it for good; every other is asked for again by its ETag, and so is the worker: the policy that it is
sent with names the mailboxes that it may connect to, which change. A page that is kept for later is told that policy
signed, too.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

import trio
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from samemind.home.phone_place import APP, APP_HINT, APP_MISSING, has_app
from samemind.panel.guard import PHONE, phone_policy, refuse

if TYPE_CHECKING:
    from samemind.panel.opened import Panel

_FOREVER: Final = "public, max-age=31536000, immutable"
_ASKED_AGAIN: Final = "no-cache"
# What stands in memory for each caller that is being sent a file.
_PIECE_BYTES: Final = 1 << 16
# A signature for one purpose must not pass for another.
_MANIFEST: Final = b"samemind phone page 1\0"
_POLICY: Final = b"samemind phone policy 1\0"


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

    async def where(request: Request) -> Response:
        return JSONResponse(
            {
                "origin": panel.url.rstrip("/") if panel.is_local else panel.place.origin,
                "fingerprint": None if panel.authority is None else panel.authority.fingerprint,
            },
            headers={"cache-control": "no-store"},
        )

    async def slash(request: Request) -> Response:
        return RedirectResponse(f"{PHONE}/")

    return [
        Route(PHONE, slash, methods=["GET"]),
        Route(f"{PHONE}/where", where, methods=["GET"]),
        *_trust_routes(panel),
        *_page_routes(panel),
    ]


def _page_routes(panel: "Panel") -> Iterable[Route]:
    if not has_app():

        async def missing(request: Request) -> Response:
            return refuse(404, "extra_missing", APP_MISSING, APP_HINT)

        return [Route(f"{PHONE}/", missing, methods=["GET"])]
    folder = Path(str(files(APP))) / "static"
    named = page_files(folder)
    manifest = (folder / "manifest.json").read_bytes()
    sign = panel.device.identity.sign
    signature = {
        "device": panel.device.device_id.hex(),
        "signature": sign(_MANIFEST + hashlib.sha256(manifest).digest()).hex(),
    }
    named["manifest.json"] = PageFile(
        folder / "manifest.json", hashlib.sha256(manifest).hexdigest(), "application/json", False, ()
    )
    named[""] = named["index.html"]

    def policy() -> str:
        return phone_policy(panel.phone_origins())

    async def signed(request: Request) -> Response:
        now = policy()
        signed = sign(_POLICY + hashlib.sha256(now.encode()).digest()).hex()
        told = {**signature, "policy": now, "policy_signature": signed}
        return JSONResponse(told, headers={"cache-control": "no-store"})

    return [
        Route(f"{PHONE}/manifest.sig", signed, methods=["GET"]),
        *(Route(f"{PHONE}/{name}", _sending(file, policy), methods=["GET"]) for name, file in named.items()),
    ]


def _sending(file: PageFile, policy: Callable[[], str]) -> Any:
    async def send(request: Request) -> Response:
        accepted = {
            each.partition(";")[0].strip()
            for each in request.headers.get("accept-encoding", "").split(",")
            if "q=0" not in each.replace(" ", "").split(";")
        }
        encoding = next((each for each in file.encodings if each in accepted), None)
        tag = f'"{file.sha256[:32]}{"" if encoding is None else f"-{encoding}"}"'
        if not file.immutable:
            tag = f'{tag[:-1]}-{hashlib.sha256(policy().encode()).hexdigest()[:16]}"'
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
        length = (await trio.Path(path).stat()).st_size
        headers |= {"content-type": file.type, "content-length": str(length)}
        return StreamingResponse(_pieces(path), headers=headers)

    return send


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    """Read a file as it is sent: whoever asks for the largest and then reads nothing holds no more than a piece."""
    async with await trio.open_file(path, "rb") as file:
        while piece := await file.read(_PIECE_BYTES):
            yield piece


def _trust_routes(panel: "Panel") -> Iterable[Route]:
    """Return the page that walks a person through trusting this device, and what there is to trust."""
    folder = files("samemind.panel").joinpath("trust")
    page = Template(folder.joinpath("trust.html").read_text("utf-8"))
    style = folder.joinpath("trust.css").read_bytes()
    program = folder.joinpath("trust.js").read_bytes()

    async def walk(request: Request) -> Response:
        return Response(page.substitute(_told(panel)), media_type="text/html", headers=_AGAIN)

    async def dress(request: Request) -> Response:
        return Response(style, media_type="text/css", headers=_AGAIN)

    async def speak(request: Request) -> Response:
        return Response(program, media_type="text/javascript", headers=_AGAIN)

    async def give(request: Request) -> Response:
        if panel.authority is None:
            return refuse(404, "no_authority", "nothing has to be trusted here")
        return Response(panel.authority.der, media_type="application/x-x509-ca-cert", headers=_AGAIN)

    return [
        Route(f"{PHONE}/trust", walk, methods=["GET"]),
        Route(f"{PHONE}/trust.css", dress, methods=["GET"]),
        Route(f"{PHONE}/trust.js", speak, methods=["GET"]),
        Route(f"{PHONE}/samemind.crt", give, methods=["GET"]),
    ]


_AGAIN: Final = {"cache-control": _ASKED_AGAIN}


def _told(panel: "Panel") -> Mapping[str, str]:
    """Return what the page of trust says of this device."""
    authority = panel.authority
    if authority is None:
        return {"origin": escape(panel.url), "name": "", "fingerprint": "", "own": "", "shown": "hidden"}
    (name,) = authority.certificate.subject
    return {
        "origin": escape(panel.place.origin),
        "name": escape(str(name.value)),
        "fingerprint": authority.fingerprint,
        "own": "hidden",
        "shown": "",
    }
