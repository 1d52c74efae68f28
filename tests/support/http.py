"""Talk HTTP to a panel as anybody on the network could: any header, any path, any body."""

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.support.cli import SECONDS_MAX


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The document in it."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The error's code."""
        return str(self.json["error"]["code"])


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who calls a panel. `headers` go with each request; none is added unasked."""

    url: str
    headers: Mapping[str, str]

    def get(self, path: str, **headers: str) -> Answer:
        """GET."""
        return self.send("GET", path, None, headers)

    def post(self, path: str, document: Any = None, /, **headers: str) -> Answer:
        """POST a JSON document."""
        return self.send("POST", path, json.dumps(document or {}).encode(), headers)

    def send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        """Send exactly this: a header that is set to nothing is left out."""
        place = urlsplit(self.url)
        assert place.hostname is not None
        if place.scheme == "https":
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                place.hostname, place.port, timeout=SECONDS_MAX, context=context
            )
        else:
            connection = http.client.HTTPConnection(place.hostname, place.port, timeout=SECONDS_MAX)
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": place.netloc, **sent}.items():
                if value:
                    connection.putheader(name, value)
            if body is not None and not any(name.lower() == "content-length" for name in sent):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            if body is not None:
                try:
                    connection.send(body)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # it has answered already, and reads no further
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()


def stranger(url: str) -> Caller:
    """Somebody who was not let in."""
    return Caller(url, {"Origin": url.rstrip("/")})


def let_in(url: str, token: str) -> Caller:
    """Somebody who was, as its page would be."""
    entered = stranger(url).post("/api/v1/panel/session", {"launch": token})
    assert entered.status == 200, entered.body
    return Caller(
        url,
        {
            "Origin": url.rstrip("/"),
            "Cookie": entered.headers["set-cookie"].partition(";")[0],
            "X-Samemind-CSRF": entered.json["csrf"],
        },
    )
