"""A browser that was made to trust a device's authority keeps the page; and believes that authority about nothing else.

Chromium reads the authorities of its user from an NSS database, which each test makes for itself.
"""

import os
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from playwright.sync_api import BrowserContext, Error, Page, Playwright, expect

from samemind.config import Home
from samemind.panel.authority import Authority, general_name, pem_of
from tests.endtoend.phone.conftest import PATIENCE_MS, Laptop, begin, call, laptop_at, ready, tell
from tests.support.browser import CHROMIUM
from tests.support.cli import run

CERTUTIL: Final = shutil.which("certutil")
NAME: Final = "den.local"
BANK: Final = "bank.example"

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: apt install chromium"),
    pytest.mark.skipif(CERTUTIL is None, reason="no certutil on this machine: apt install libnss3-tools"),
]


@contextmanager
def browser_trusting(
    playwright: Playwright, folder: Path, authority: bytes | None
) -> Iterator[BrowserContext]:
    """A browser whose user trusts this authority, or none; it finds every name on this machine."""
    assert CERTUTIL is not None
    database = folder / ".pki" / "nssdb"
    database.mkdir(parents=True)
    subprocess.run([CERTUTIL, "-d", f"sql:{database}", "-N", "--empty-password"], check=True, timeout=60)
    if authority is not None:
        (folder / "authority.crt").write_bytes(authority)
        asked = [CERTUTIL, "-d", f"sql:{database}", "-A", "-t", "C,,", "-n", "samemind"]
        subprocess.run([*asked, "-i", str(folder / "authority.crt")], check=True, timeout=60)
    context = playwright.chromium.launch_persistent_context(
        folder / "profile",
        executable_path=CHROMIUM,
        env={**os.environ, "HOME": str(folder)},
        args=[
            "--no-sandbox",
            "--disable-gpu",
            f"--host-resolver-rules=MAP {NAME} 127.0.0.1, MAP {BANK} 127.0.0.1",
        ],
    )
    try:
        yield context
    finally:
        context.close()


@contextmanager
def at_home(tmp_path: Path) -> Iterator[tuple[Laptop, str]]:
    """A device that phones find under a name, and where."""
    home = tmp_path / "laptop"
    assert run(home, "init", "--name", "laptop").code == 0
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
    (home / "phone.json").write_text(f'{{"name": "{NAME}", "port": {port}}}')
    with laptop_at(home, f"0.0.0.0:{port}") as laptop:
        yield laptop, f"https://{NAME}:{port}/phone/"


def authority_of(laptop: Laptop) -> x509.Certificate:
    return x509.load_pem_x509_certificate(Home.at(laptop.home).authority.read_bytes())


def opened(context: BrowserContext, url: str) -> Page:
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    return page


def test_a_browser_that_trusts_the_device_keeps_the_page_and_opens_it_with_no_laptop(
    playwright: Playwright, tmp_path: Path
) -> None:
    with at_home(tmp_path) as (laptop, url):
        authority = authority_of(laptop).public_bytes(serialization.Encoding.DER)
        with browser_trusting(playwright, tmp_path / "browser", authority) as context:
            page = opened(context, url)
            begin(page)
            tell(page, "told over a connection that is trusted")
            page.evaluate("() => navigator.serviceWorker.ready.then((one) => one.active.state)")
            expect(page.locator("html[data-kept=no]")).to_have_count(0)
            laptop.running.end()
            page.reload()
            ready(page)
            assert [each["text"] for each in call(page, "recent", limit=5)] == [
                "told over a connection that is trusted"
            ]


def test_a_browser_that_does_not_is_warned(playwright: Playwright, tmp_path: Path) -> None:
    with at_home(tmp_path) as (_, url), browser_trusting(playwright, tmp_path / "browser", None) as context:
        with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
            opened(context, url)


def test_a_thief_of_the_authority_can_pass_for_no_other_site(playwright: Playwright, tmp_path: Path) -> None:
    """With its key: the browser that trusts it takes the name at home, and does not take the bank's."""
    with at_home(tmp_path) as (laptop, _):
        pem = Home.at(laptop.home).authority.read_bytes()
        key = serialization.load_pem_private_key(pem, None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        stolen = Authority(key, authority_of(laptop))
    with browser_trusting(playwright, tmp_path / "browser", stolen.der) as context:
        for host, is_taken in ((NAME, True), (BANK, False)):
            with posing(stolen, host, tmp_path / f"{host}.pem") as port:
                if is_taken:
                    assert "hello" in opened(context, f"https://{host}:{port}/").content()
                else:
                    with pytest.raises(Error, match="ERR_CERT"):
                        opened(context, f"https://{host}:{port}/")


@contextmanager
def posing(stolen: Authority, host: str, path: Path) -> Iterator[int]:
    """A site that shows a certificate for a name, signed by an authority whose key was stolen."""
    key = ec.generate_private_key(ec.SECP256R1())
    leaf = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)]))
        .issuer_name(stolen.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(stolen.certificate.not_valid_before_utc)
        .not_valid_after(stolen.certificate.not_valid_after_utc)
        .add_extension(x509.SubjectAlternativeName([general_name(host)]), critical=False)
        .sign(stolen.key, hashes.SHA256())
    )
    path.write_bytes(pem_of(key) + leaf.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return  # it is over
            try:
                with context.wrap_socket(plain, server_side=True) as stream:
                    stream.settimeout(10)
                    stream.recv(65536)
                    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
            except OSError:
                continue  # who called did not like what it was shown

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(20)
