"""A language model behind a real HTTP server on loopback: it answers as a test scripts it, and keeps the requests."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = str | tuple[int, bytes]
Script = Callable[[dict[str, Any]], Answer]


@dataclass(slots=True)
class ModelServer:
    """Where it listens, and the requests that came: bodies and headers."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def serving(script: Script) -> Iterator[ModelServer]:
    """Serve for the block; the script returns the content of an answer, or a status and a whole body."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append({**body, "path": self.path})
            served.headers.append(dict(self.headers))
            said = script(body)
            status, data = said if isinstance(said, tuple) else (200, completion(said))
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # the asker gave up
                self.close_connection = True

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = ModelServer(f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join(10)


def completion(content: str) -> bytes:
    """Return the body of an answer as such servers make it."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
