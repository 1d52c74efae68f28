"""A hub of models on this machine: it answers the paths that Hugging Face's client asks for, and notes them."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """Serves one model; `listed` and `sent` may be changed to see what comes of a hub that lies."""

    def __init__(self, model: str, files: Mapping[str, bytes]) -> None:
        self.model = model
        self.sent = dict(files)
        self.listed = {
            path: {"size": len(held), "sha256": hashlib.sha256(held).hexdigest()}
            for path, held in files.items()
        }
        self.status = 200
        self.asked: list[str] = []
        self.tokens: list[str] = []
        self.url = ""

    def info(self) -> bytes:
        """Return what the hub says of its model."""
        siblings = [
            {
                "rfilename": path,
                "size": told["size"],
                **(
                    {"lfs": {"sha256": told["sha256"], "size": told["size"], "pointerSize": 134}}
                    if path.endswith(".safetensors")
                    else {}
                ),
            }
            for path, told in self.listed.items()
        ]
        return json.dumps(
            {"id": self.model, "modelId": self.model, "sha": COMMIT, "siblings": siblings}
        ).encode()


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve a hub on a port of this machine for the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            path = urlsplit(self.path).path
            hub.asked.append(f"{self.command} {path}")
            hub.tokens += self.headers.get_all("Authorization") or []
            head = {"X-Repo-Commit": COMMIT}
            status, held = 404, b"{}"
            if hub.status != 200:
                status = hub.status
            elif path.startswith(f"/api/models/{hub.model}/revision/"):
                status, held = 200, hub.info()
            elif path.startswith(f"/{hub.model}/resolve/{COMMIT}/"):
                name = path.split(f"/resolve/{COMMIT}/")[1]
                if name in hub.sent:
                    status, held = 200, hub.sent[name]
                    head["ETag"] = f'"{hashlib.sha256(held).hexdigest()}"'
            elif path.startswith("/api/models/"):
                head["X-Error-Code"] = "RepoNotFound"
            self.send_response(status)
            for name, value in {**head, "Content-Length": str(len(held))}.items():
                self.send_header(name, value)
            self.end_headers()
            if body:
                self.wfile.write(held)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
