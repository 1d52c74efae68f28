"""Ask a model over HTTP, in the form that llama.cpp, Ollama, vLLM and most clouds understand.

`POST {url}/chat/completions`, one request an answer. Standard library only: one blocking call in a thread needs
no client of its own. An answer is bounded in time and in size, since the other side may be anything. A key is
sent to the configured address only: redirects are not followed.
"""

import http.client
import ipaddress
import json
import logging
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final
from urllib.parse import urlsplit

from cognition.errors import ModelUnavailable
from cognition.models.chat import ChatMessage, ModelFailed
from replica.json_text import parse_json

_log = logging.getLogger(__name__)

# A small model on a phone takes half a minute for five hundred tokens.
TIMEOUT_S: Final = 120.0
# Two thousand tokens are ten kilobytes; more than this is no answer.
ANSWER_BYTES_MAX: Final = 1 << 20
# What such a server says when it cannot now: too busy, or broken.
_TRY_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_ERROR_CHARACTERS: Final = 200


class HttpChatModel:
    """A `ChatModel` behind an address such as http://127.0.0.1:11434/v1."""

    def __init__(self, url: str, model: str, *, key: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise ValueError(f"expected an address such as http://127.0.0.1:11434/v1, got {url!r:.100}")
        self._host, self._port, self._tls = parts.hostname, parts.port, parts.scheme == "https"
        self._path = f"{parts.path.rstrip('/')}/chat/completions"
        self._model = model
        self._key = key
        self._timeout_s = timeout_s
        if key is not None and not self._tls and self.remote:
            raise ValueError(f"expected https for an address that gets a key, got {url!r:.100}")

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model

    @property
    def remote(self) -> bool:
        """Whether the address is outside this machine and its own network; a name that is no address is."""
        if self._host == "localhost":
            return False
        try:
            return not ipaddress.ip_address(self._host).is_private
        except ValueError:
            return True

    def complete(self, messages: Sequence[ChatMessage], *, temperature: float, max_tokens: int) -> str:
        """Ask once."""
        body = json.dumps(
            {
                "model": self._model,
                "messages": [message._asdict() for message in messages],
                "temperature": temperature,
                "max_tokens": max_tokens,
                "response_format": {"type": "json_object"},
                "stream": False,
            }
        ).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        if self.remote:
            _log.info(
                "sent %d bytes of memories to %s, for the model %s", len(body), self._where(), self._model
            )
        status, data = self._post(body, headers)
        if status in _TRY_AGAIN:
            raise ModelFailed(f"expected an answer from {self._where()}, got status {status}: {_said(data)}")
        if status != http.client.OK:
            raise ModelUnavailable(
                f"expected an answer from {self._where()}, got status {status}: {_said(data)}"
            )
        return _content(data, self._where())

    def _post(self, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        if self._tls:
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                self._host, self._port, timeout=self._timeout_s, context=ssl.create_default_context()
            )
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        try:
            try:
                connection.connect()
            except TimeoutError as error:
                raise ModelFailed(f"expected an answer from {self._where()}, got none in time") from error
            except OSError as error:
                raise ModelUnavailable(f"expected a model at {self._where()}: {error}") from error
            with _ended_after(self._timeout_s, connection.sock):
                connection.request("POST", self._path, body=body, headers=headers)
                response = connection.getresponse()
                data = response.read(ANSWER_BYTES_MAX + 1)
        except TimeoutError as error:
            raise ModelFailed(
                f"expected an answer from {self._where()} within {self._timeout_s:g} s, got none"
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise ModelFailed(f"expected an answer from {self._where()}, it broke off: {error!r}") from error
        finally:
            connection.close()
        if len(data) > ANSWER_BYTES_MAX:
            raise ModelFailed(f"expected at most {ANSWER_BYTES_MAX} bytes from {self._where()}, got more")
        return response.status, data

    def _where(self) -> str:
        return self._host if self._port is None else f"{self._host}:{self._port}"


@contextmanager
def _ended_after(seconds: float, connected: socket.socket) -> Iterator[None]:
    """Raise TimeoutError where all of this takes longer: a socket's own bound is for each piece that comes."""
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        with suppress(OSError):  # it ended by itself
            socket.socket.shutdown(connected, socket.SHUT_RDWR)

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException):
        if not expired.is_set():
            raise
    finally:
        timer.cancel()
    if expired.is_set():  # also where an answer without a length just seems to end
        raise TimeoutError


def _content(data: bytes, where: str) -> str:
    try:
        answer: Any = parse_json(data)
        content = answer["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        raise ModelFailed(f"expected a chat completion from {where}, got {_said(data)}") from None
    if not isinstance(content, str):
        raise ModelFailed(f"expected text from {where}, got {type(content).__name__}")
    return content


def _said(data: bytes) -> str:
    return " ".join(data[:_ERROR_CHARACTERS].decode(errors="replace").split())
