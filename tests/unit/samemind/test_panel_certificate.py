"""The certificate that a phone's browser is shown: made once, made anew in time, and never in place of the owner's."""

import ssl
from pathlib import Path

import pytest
from cryptography import x509

from samemind.errors import Failed
from samemind.panel.certificate import DAYS, ensure_certificate

NOW = 1_800_000_000_000
DAY = 86_400_000


def test_it_is_made_once_for_all_names_and_only_the_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "panel.pem"
    fingerprint = ensure_certificate(path, ["laptop.local", "192.168.1.5", "fe80::1%eth0"], NOW)
    assert path.stat().st_mode & 0o777 == 0o600
    assert ensure_certificate(path, ["another"], NOW + DAY) == fingerprint
    certificate = x509.load_pem_x509_certificate(path.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["laptop.local"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["192.168.1.5", "fe80::1"]
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path)
    assert len(list(tmp_path.iterdir())) == 1, "and nothing else is left"


def test_ours_is_made_anew_when_it_ran_out(tmp_path: Path) -> None:
    path = tmp_path / "panel.pem"
    first = ensure_certificate(path, ["laptop"], NOW)
    assert ensure_certificate(path, ["laptop"], NOW + (DAYS - 1) * DAY) == first
    assert ensure_certificate(path, ["laptop"], NOW + (DAYS + 1) * DAY) != first


@pytest.mark.parametrize(
    "damage", [b"", b"not a certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_file_that_makes_no_sense_is_told_of_and_kept(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "panel.pem"
    path.write_bytes(damage)
    with pytest.raises(Failed, match=r"panel\.pem") as told:
        ensure_certificate(path, ["laptop"], NOW)
    assert told.value.code == "bad_certificate"
    assert path.read_bytes() == damage


def test_a_certificate_without_its_key_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "panel.pem"
    ensure_certificate(path, ["laptop"], NOW)
    pem = path.read_bytes()
    path.write_bytes(pem[pem.index(b"-----BEGIN CERTIFICATE") :])
    with pytest.raises(Failed, match="cannot be used"):
        ensure_certificate(path, ["laptop"], NOW)
