"""The certificate that a browser is shown, and who vouches for it: made once, made anew in time, never the owner's."""

import ipaddress
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from replica import wall_clock_ms
from samemind.config import Home
from samemind.errors import Failed
from samemind.home.phone_place import PhonePlace
from samemind.panel.authority import DAYS as AUTHORITY_DAYS
from samemind.panel.certificate import DAYS, RENEWED_DAYS_BEFORE, ensure_certificate

NOW = 1_800_000_000_000
DAY = 86_400_000
HOSTS = frozenset({"laptop.local", "192.168.1.5", "fe80::1%eth0"})


def served(home: Home) -> x509.Certificate:
    return x509.load_pem_x509_certificate(home.certificate.read_bytes())


def authority(home: Home) -> x509.Certificate:
    return x509.load_pem_x509_certificate(home.authority.read_bytes())


def is_valid(certificate: x509.Certificate) -> bool:
    """Say whether a phone with a right clock takes it."""
    now = datetime.fromtimestamp(NOW / 1_000, UTC)
    return certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc


def hosts_in(certificate: x509.Certificate) -> set[str]:
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {
        *names.get_values_for_type(x509.DNSName),
        *map(str, names.get_values_for_type(x509.IPAddress)),
    }


def test_it_is_made_once_for_all_names_and_only_the_owner_can_read_it(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    made = ensure_certificate(home, HOSTS, NOW)
    assert [path.stat().st_mode & 0o777 for path in (home.certificate, home.authority)] == [0o600, 0o600]
    assert ensure_certificate(home, HOSTS, NOW + DAY).fingerprint == made.fingerprint
    assert hosts_in(served(home)) == {"laptop.local", "192.168.1.5", "fe80::1"}
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(home.certificate)
    assert {path.name for path in tmp_path.iterdir()} == {"panel.pem", "authority.pem"}, (
        "nothing else is left"
    )


def test_it_is_made_anew_for_a_new_name_and_not_for_an_address_that_changed(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    first = ensure_certificate(home, HOSTS, NOW).fingerprint
    assert ensure_certificate(home, {"laptop.local", "192.168.1.77"}, NOW).fingerprint == first
    assert ensure_certificate(home, {"den.local"}, NOW).fingerprint != first
    assert hosts_in(served(home)) == {"den.local"}


def test_ours_is_renewed_well_before_it_runs_out_by_the_same_authority(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    first = ensure_certificate(home, HOSTS, NOW)
    assert (served(home).not_valid_after_utc - served(home).not_valid_before_utc).days == DAYS <= 396
    before = (DAYS - RENEWED_DAYS_BEFORE) * DAY
    assert ensure_certificate(home, HOSTS, NOW + before - 2 * DAY).fingerprint == first.fingerprint
    renewed = ensure_certificate(home, HOSTS, NOW + before)
    assert renewed.fingerprint != first.fingerprint
    assert renewed.authority is not None
    assert first.authority is not None
    assert renewed.authority.der == first.authority.der


def test_the_authority_is_made_anew_only_when_it_ran_out(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    ensure_certificate(home, HOSTS, NOW)
    first = authority(home)
    ensure_certificate(home, HOSTS, NOW + (AUTHORITY_DAYS - 1) * DAY)
    assert authority(home) == first
    ensure_certificate(home, HOSTS, NOW + (AUTHORITY_DAYS + 1) * DAY)
    assert authority(home) != first
    served(home).verify_directly_issued_by(authority(home))


@pytest.mark.parametrize("years", [11, 50])
def test_a_clock_that_was_ahead_by_years_costs_nobody_the_authority_that_phones_trust(
    tmp_path: Path, years: int
) -> None:
    """It counted as one that ran out and was replaced by one of the future: each phone had to trust another one."""
    home = Home.at(tmp_path)
    ensure_certificate(home, HOSTS, NOW)
    trusted = authority(home)
    ensure_certificate(home, HOSTS, NOW + 365 * years * DAY)
    assert authority(home) != trusted
    ensure_certificate(home, HOSTS, NOW)
    assert authority(home) == trusted
    served(home).verify_directly_issued_by(trusted)
    assert is_valid(served(home))


@pytest.mark.parametrize("years", [-30, 50])
def test_an_authority_that_was_made_by_a_wrong_clock_is_good_or_made_anew_by_a_right_one(
    tmp_path: Path, years: int
) -> None:
    """One of the future was kept for good, and no phone could trust it."""
    home = Home.at(tmp_path)
    for when in (NOW + 365 * years * DAY, NOW):
        ensure_certificate(home, HOSTS, when)
    assert is_valid(authority(home))
    assert is_valid(served(home))


def test_one_that_ran_out_comes_not_back_where_it_may_not_vouch_for_what_is_owned(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    ensure_certificate(home, HOSTS, NOW)
    first = authority(home)
    later = NOW + (AUTHORITY_DAYS + 1) * DAY
    ensure_certificate(home, HOSTS, later)
    second = authority(home)
    ensure_certificate(home, HOSTS, later + DAY)
    assert authority(home) == second != first
    ensure_certificate(home, HOSTS, NOW, chosen={"memory.example.org"})
    assert authority(home) not in (first, second)


def test_the_authority_may_sign_and_vouches_for_nothing_but_a_home_network(tmp_path: Path) -> None:
    made = ensure_certificate(Home.at(tmp_path), HOSTS, NOW).authority
    assert made is not None
    extensions = made.certificate.extensions
    basic = extensions.get_extension_for_class(x509.BasicConstraints)
    assert (basic.critical, basic.value.ca, basic.value.path_length) == (True, True, 0)
    assert extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    assert extensions.get_extension_for_class(x509.NameConstraints).critical
    for good in (
        "laptop.local",
        "local",
        "localhost",
        "10.1.2.3",
        "192.168.0.9",
        "172.31.0.1",
        "100.64.0.1",
        "::1",
    ):
        assert made.may_vouch_for(good), good
    for good in ("fe80::1%eth0", "fd00::5"):
        assert made.may_vouch_for(good), good
    for bad in (
        "laptop",
        "dev",
        "bank.example",
        "local.example",
        "xlocal",
        "8.8.8.8",
        "172.32.0.1",
        "2001:db8::1",
    ):
        assert not made.may_vouch_for(bad), bad


def test_what_it_may_not_vouch_for_is_left_out(tmp_path: Path) -> None:
    """One name beyond the constraints, and a browser takes none of them."""
    home = Home.at(tmp_path)
    ensure_certificate(home, HOSTS | {"laptop", "dev", "2a00:1450::5"}, NOW)
    assert hosts_in(served(home)) == {"laptop.local", "192.168.1.5", "fe80::1"}


def test_a_servers_own_address_is_vouched_for(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    made = ensure_certificate(home, {"8.8.8.8", "192.0.2.7", "localhost"}, NOW).authority
    assert made is not None
    assert hosts_in(served(home)) == {"8.8.8.8", "192.0.2.7", "localhost"}
    assert not made.may_vouch_for("8.8.8.9")


def test_a_name_of_the_owners_is_vouched_for_by_an_authority_that_may(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    ensure_certificate(home, HOSTS, NOW)
    first = authority(home)
    PhonePlace("laptop.tail1234.example", 7412).keep(home)
    ensure_certificate(home, HOSTS, NOW)
    second = authority(home)
    assert second != first, "browsers have to be made to trust another one"
    assert "laptop.tail1234.example" in hosts_in(served(home))
    ensure_certificate(home, HOSTS, NOW + DAY)
    assert authority(home) == second


def test_what_the_owner_listens_on_by_name_is_vouched_for_and_stays_so(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    ensure_certificate(home, HOSTS, NOW, chosen={"agents.example", "2001:db8::5", "dev"})
    assert hosts_in(served(home)) == {
        "laptop.local",
        "192.168.1.5",
        "fe80::1",
        "agents.example",
        "2001:db8::5",
    }
    PhonePlace("laptop.tail1234.example", 7412).keep(home)
    made = ensure_certificate(home, HOSTS, NOW).authority
    assert made is not None
    for good in ("agents.example", "2001:db8::5", "laptop.tail1234.example", "den.local", "10.0.0.1"):
        assert made.may_vouch_for(good), good
    for bad in ("other.example", "2001:db8::6", "dev", "example"):
        assert not made.may_vouch_for(bad), bad


def test_a_certificate_as_0_1_0_made_it_gives_way(tmp_path: Path) -> None:
    """It is signed by itself, so no phone can be made to trust it."""
    home, other = Home.at(tmp_path), Home.at(tmp_path / "other")
    (tmp_path / "other").mkdir()
    ensure_certificate(other, HOSTS, NOW)
    home.certificate.write_bytes(other.certificate.read_bytes())
    ensure_certificate(home, HOSTS, NOW)
    served(home).verify_directly_issued_by(authority(home))


def test_the_owners_own_is_never_replaced_and_has_no_authority(tmp_path: Path) -> None:
    home, other = Home.at(tmp_path), Home.at(tmp_path / "other")
    (tmp_path / "other").mkdir()
    ensure_certificate(other, HOSTS, NOW)
    own = other.authority.read_bytes()  # any key with a certificate of another name
    home.certificate.write_bytes(own)
    assert ensure_certificate(home, HOSTS, NOW + 2 * AUTHORITY_DAYS * DAY).authority is None
    assert home.certificate.read_bytes() == own
    assert not home.authority.exists()


@pytest.mark.parametrize(
    "damage", [b"", b"not a certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
@pytest.mark.parametrize("place", [lambda home: home.certificate, lambda home: home.authority])
def test_a_file_that_makes_no_sense_is_told_of_and_kept(
    tmp_path: Path, damage: bytes, place: Callable[[Home], Path]
) -> None:
    home = Home.at(tmp_path)
    path = place(home)
    path.write_bytes(damage)
    with pytest.raises(Failed, match=path.name) as told:
        ensure_certificate(home, HOSTS, NOW)
    assert told.value.code == "bad_certificate"
    assert path.read_bytes() == damage


def test_an_authority_with_anothers_key_is_told_of(tmp_path: Path) -> None:
    home, other = Home.at(tmp_path), Home.at(tmp_path / "other")
    (tmp_path / "other").mkdir()
    for each in (home, other):
        ensure_certificate(each, HOSTS, NOW)
    key = home.authority.read_bytes().partition(b"-----BEGIN CERTIFICATE")[0]
    home.authority.write_bytes(key + authority(other).public_bytes(serialization.Encoding.PEM))
    with pytest.raises(Failed, match="not that of the certificate"):
        ensure_certificate(home, HOSTS, NOW)


def test_a_certificate_without_its_key_is_told_of(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    ensure_certificate(home, HOSTS, NOW)
    pem = home.certificate.read_bytes()
    home.certificate.write_bytes(pem[pem.index(b"-----BEGIN CERTIFICATE") :])
    with pytest.raises(Failed, match="cannot be used"):
        ensure_certificate(home, HOSTS, NOW)


@pytest.mark.parametrize(
    ("host", "is_good"),
    [
        ("laptop.local", True),
        ("192.168.1.5", True),
        ("bank.example", False),
        ("laptop.local.bank.example", False),
    ],
)
def test_openssl_takes_it_for_its_names_and_holds_the_authority_to_its_bounds(
    tmp_path: Path, host: str, is_good: bool
) -> None:
    """A leaf for any site, signed by the authority's key, as a thief would: the library that verifies it says no."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    from samemind.panel.authority import general_name, pem_of

    home = Home.at(tmp_path)
    made = ensure_certificate(home, HOSTS, wall_clock_ms()).authority  # OpenSSL looks at the clock itself
    assert made is not None
    key = ec.generate_private_key(ec.SECP256R1())
    leaf = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a site")]))
        .issuer_name(made.certificate.subject)
        .public_key(key.public_key())
        .serial_number(5)
        .not_valid_before(made.certificate.not_valid_before_utc)
        .not_valid_after(made.certificate.not_valid_after_utc)
        .add_extension(x509.SubjectAlternativeName([general_name(host)]), critical=False)
        .add_extension(  # without it Python 3.13 takes no leaf at all
            x509.AuthorityKeyIdentifier.from_issuer_public_key(made.key.public_key()), critical=False
        )
        .sign(made.key, hashes.SHA256())
    )
    chain = tmp_path / "leaf.pem"
    chain.write_bytes(pem_of(key) + leaf.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain)
    client = ssl.create_default_context(
        cadata=made.certificate.public_bytes(serialization.Encoding.PEM).decode()
    )
    shaken = _shake_hands(client, server, host)
    assert shaken is is_good


def test_whoever_holds_certificates_to_every_rule_takes_ours(tmp_path: Path) -> None:
    """As Python does from 3.13 on."""
    home = Home.at(tmp_path)
    made = ensure_certificate(home, HOSTS, wall_clock_ms()).authority
    assert made is not None
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(home.certificate)
    client = ssl.create_default_context(
        cadata=made.certificate.public_bytes(serialization.Encoding.PEM).decode()
    )
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    assert _shake_hands(client, server, "laptop.local")


def _shake_hands(client: ssl.SSLContext, server: ssl.SSLContext, host: str) -> bool:
    """Whether a client takes what a server shows, in memory."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    calling = client.wrap_bio(to_client, to_server, server_hostname=host)
    called = server.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(10):
        for end in (calling, called):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError:
                return False
        if calling.version() and calling.getpeercert():
            return True
    return False


def test_the_networks_are_those_where_no_public_site_is() -> None:
    from samemind.panel.authority import _PRIVATE

    assert all(not network.is_global for network in _PRIVATE)
    assert ipaddress.ip_network("0.0.0.0/0") not in _PRIVATE
