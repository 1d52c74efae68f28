"""Serve a built page without a panel, for what needs no other device: as `samemind.panel` does, headers and all."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types samemind",
    )
)


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, folder: Path, *args: object) -> None:
        self._folder = folder
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer with a file that the manifest names."""
        name = self.path.split("?")[0].removeprefix("/phone/") or "index.html"
        held = json.loads((self._folder / "manifest.json").read_text())["files"]
        if name != "manifest.json" and name not in held:
            self.send_error(404)
            return
        data = (self._folder / name).read_bytes()
        self.send_response(200)
        self.send_header("content-type", held[name]["type"] if name in held else "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("content-security-policy", CSP)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the page in that folder, for the block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/phone/"
        server.shutdown()
