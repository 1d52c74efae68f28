"""Real servers for mailboxes, each a process on loopback; what is not installed here is skipped, and says so."""

import base64
import hmac
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.support.ports import free_port

USER: Final = "ada"
PASSWORD: Final = "correct-horse"
BUCKET: Final = "samemind"
AZURE_KEY: Final = base64.b64encode(b"correct-horse-battery-staple").decode()
READY_SECONDS_MAX: Final = 30.0


def needs_program(name: str, how: str = "install Debian's package of that name") -> str:
    """Return where a program is; skip the test where it is not installed, and say how to install it."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip(f"`{name}` is missing: {how}")
    return found


def needs_package(name: str) -> None:
    """Skip the test where a Python package is not installed."""
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"the Python package {name} is not installed")


@contextmanager
def serving(
    command: list[str], port: int, log: Path, also: Mapping[str, str] = MappingProxyType({})
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server for the block, from when it listens on."""
    with log.open("ab") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **also},
        )
    try:
        wait_for(port, process, log)
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server listens."""
    until = time.monotonic() + READY_SECONDS_MAX
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"no server at {port}: {log.read_text()[-2000:]}") from None
            time.sleep(0.05)


@contextmanager
def rclone_webdav(folder: Path, *, port: int | None = None) -> Iterator[str]:
    """Serve a folder by `rclone serve webdav`; return its address without `webdav+`. The same again: as it was."""
    program, port = needs_program("rclone"), port or free_port()
    files = folder / "files"
    files.mkdir(exist_ok=True)
    command = [program, "serve", "webdav", str(files), "--addr", f"127.0.0.1:{port}"]
    command += ["--user", USER, "--pass", PASSWORD, "--config", str(folder / "rclone.conf")]
    with serving(command, port, folder / "log"):
        yield f"http://{USER}@127.0.0.1:{port}/box"


@contextmanager
def wsgidav_webdav(folder: Path) -> Iterator[str]:
    """Serve a folder by WsgiDAV, another program of another language."""
    needs_package("wsgidav")
    needs_package("cheroot")
    port, files, config = free_port(), folder / "files", folder / "wsgidav.json"
    files.mkdir()
    settings = {
        "host": "127.0.0.1",
        "port": port,
        "provider_mapping": {"/": str(files)},
        "simple_dc": {"user_mapping": {"*": {USER: {"password": PASSWORD}}}},
        "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
        "verbose": 1,
    }
    config.write_text(json.dumps(settings))
    run = "from wsgidav.server.server_cli import run; run()"
    with serving([sys.executable, "-c", run, "-c", str(config)], port, folder / "log"):
        yield f"http://{USER}@127.0.0.1:{port}/box"


# moto lets the first requests make a user, a key and a bucket; each later one has to be signed, which botocore checks.
_MOTO: Final = """
import json, os, sys, time
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
import boto3

_, port, bucket, out = sys.argv
ThreadedMotoServer("127.0.0.1", int(port)).start()
how = {"endpoint_url": f"http://127.0.0.1:{port}", "region_name": "us-east-1"}
how |= {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
iam = boto3.client("iam", **how)
iam.create_user(UserName="ada")
allow = [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]
policy = json.dumps({"Version": "2012-10-17", "Statement": allow})
iam.put_user_policy(UserName="ada", PolicyName="files", PolicyDocument=policy)
key = iam.create_access_key(UserName="ada")["AccessKey"]
boto3.client("s3", **how).create_bucket(Bucket=bucket)
with open(out + ".part", "w") as file:
    file.write(key["AccessKeyId"] + " " + key["SecretAccessKey"])
os.rename(out + ".part", out)
time.sleep(3600)
"""


@contextmanager
def moto_s3(folder: Path) -> Iterator[tuple[str, str]]:
    """Pretend to be S3, and yield an address and its secret. moto is a mock, but botocore checks signatures in it."""
    needs_package("moto")
    needs_package("flask")
    port, key = free_port(), folder / "key"
    command = [sys.executable, "-c", _MOTO, str(port), BUCKET, str(key)]
    with serving(command, port, folder / "log") as process:
        until = time.monotonic() + READY_SECONDS_MAX
        while not key.exists():
            if process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"no key was made: {(folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)
        key_id, secret = key.read_text().split()
        # A folder with letters that have to be written in percent, and signed as they are.
        yield (
            f"s3://{key_id}@{BUCKET}/my%20box/%C3%A4+b?endpoint=http://127.0.0.1:{port}&region=us-east-1",
            secret,
        )


@contextmanager
def azurite_blob(folder: Path) -> Iterator[str]:
    """Run Azurite, Microsoft's own emulator of Azure's storage, with one container; its key is `AZURE_KEY`."""
    program, port = needs_program("azurite-blob", "npm install -g azurite"), free_port()
    files = folder / "files"
    files.mkdir()
    command = [program, "--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", str(files)]
    command += ["--silent", "--skipApiVersionCheck", "--disableTelemetry"]
    with serving(command, port, folder / "log", {"AZURITE_ACCOUNTS": f"{USER}:{AZURE_KEY}"}):
        _make_container(f"http://127.0.0.1:{port}/{USER}/{BUCKET}")
        yield f"azblob://{USER}@{BUCKET}/my%20box/%C3%A4+b?endpoint=http://127.0.0.1:{port}/{USER}"


def _make_container(url: str) -> None:
    """Ask for a container, signed as Azure wants it ("Authorize with Shared Key")."""
    date, path = formatdate(usegmt=True), urlsplit(url).path
    heads = f"x-ms-date:{date}\nx-ms-version:2021-08-06\n"
    signed = "PUT" + "\n" * 12 + heads + f"/{USER}{path}\nrestype:container"
    mac = hmac.digest(base64.b64decode(AZURE_KEY), signed.encode(), "sha256")
    request = Request(f"{url}?restype=container", method="PUT", data=b"")
    for name, value in (line.split(":", 1) for line in heads.splitlines()):
        request.add_header(name, value)
    request.add_header("Authorization", f"SharedKey {USER}:{base64.b64encode(mac).decode()}")
    request.add_header("Content-Length", "0")
    request.add_header("Content-Type", "")
    with urlopen(request) as answer:
        assert answer.status == 201


@contextmanager
def nats_process(folder: Path, port: int, config: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """Run a NATS server with JetStream at a port. The same port and folder: the same server again."""
    program = needs_program("nats-server")
    needs_package("nats")
    settings = folder / "nats.conf"
    plain = f"listen: 127.0.0.1:{port}\njetstream {{ store_dir: {folder}/store, max_file: 2GB }}\n"
    settings.write_text(config or plain)
    with serving([program, "-c", str(settings)], port, folder / "log") as process:
        yield process


@contextmanager
def nats_server(folder: Path, *, port: int | None = None, config: str = "") -> Iterator[str]:
    """Run one for the block; return its address."""
    port = port or free_port()
    with nats_process(folder, port, config):
        yield f"nats://127.0.0.1:{port}"


# What a server has to say so that pages of other origins may use it as a folder of WebDAV.
_LETTING_IN: Final = {
    "access-control-allow-methods": "GET, PUT, DELETE, PROPFIND, MKCOL",
    "access-control-allow-headers": "authorization, content-type, depth",
    "access-control-expose-headers": "retry-after",
    "access-control-max-age": "600",
}


@contextmanager
def letting_in(url: str) -> Iterator[str]:
    """Stand before a server of HTTP and let pages of every origin in, as a reverse proxy would be told to."""
    place = urlsplit(url).netloc.rpartition("@")[2]

    class Proxy(BaseHTTPRequestHandler):
        def do(self) -> None:
            headers = {**_LETTING_IN, "access-control-allow-origin": self.headers.get("origin", "*")}
            if self.command == "OPTIONS":
                self._say(204, headers, b"")
                return
            length = int(self.headers.get("content-length", "0"))
            passed = {name: value for name, value in self.headers.items() if name.lower() in _PASSED}
            to = HTTPConnection(place, timeout=READY_SECONDS_MAX)
            try:
                to.request(self.command, self.path, self.rfile.read(length), passed)
                answer = to.getresponse()
                headers["content-type"] = answer.headers.get("content-type", "application/octet-stream")
                self._say(answer.status, headers, answer.read())
            finally:
                to.close()

        def _say(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    for verb in ("GET", "PUT", "DELETE", "PROPFIND", "MKCOL", "OPTIONS"):
        setattr(Proxy, f"do_{verb}", Proxy.do)
    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


_PASSED: Final = frozenset({"authorization", "content-type", "depth"})
