import datetime
import hashlib
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replica.ids import device_id
from replica.signing import verify
from sync.errors import Untrusted
from sync.identity import Identity, certificate_key, device_id_of, shared_words
from sync.trust import Member, TrustStore
from sync.words import WORDS
from tests.support.links import identity


def test_the_same_key_gives_the_same_certificate_so_that_pins_survive() -> None:
    one = Identity.create()
    assert Identity.of(one.private_key).certificate == one.certificate
    assert Identity.create().certificate != one.certificate


def test_a_certificate_and_its_file_are_what_a_library_of_x509_writes() -> None:
    """Whatever byte the serial begins with: a quarter of them lose their first, or get one before it."""
    for number in range(600):
        key = Ed25519PrivateKey.from_private_bytes(number.to_bytes(32))
        made = Identity.of(key)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, made.device_id.hex())])
        serial = hashlib.sha256(b"samemind serial 1\0" + made.device_id).digest()[:16]
        written = (
            x509.CertificateBuilder(name, name, key.public_key(), int.from_bytes(serial) | 1)
            .not_valid_before(datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC))
            .not_valid_after(datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .sign(key, algorithm=None)
        )
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        assert made.certificate == written.public_bytes(serialization.Encoding.DER)
        assert made.to_pem() == private + written.public_bytes(serialization.Encoding.PEM)


def test_a_paired_device_is_known_by_its_certificate_without_a_reader_of_x509() -> None:
    """Which takes four megabytes, and at the first link of a program longer than all of its handshake."""
    der = identity("phone").certificate
    program = f"""
import sys
from sync.identity import certificate_key
print(certificate_key(bytes.fromhex({der.hex()!r})).hex(), "cryptography.x509" in sys.modules)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.split() == [identity("phone").public_key.hex(), "False"]


def test_a_file_that_was_written_otherwise_is_read_too() -> None:
    laptop = identity("laptop")
    pem = b"told by hand\n" + laptop.to_pem().replace(b"\n", b"\r\n")
    read = Identity.from_pem(pem)
    assert (read.device_id, read.certificate) == (laptop.device_id, laptop.certificate)


def test_a_certificate_proves_key_and_device() -> None:
    laptop = identity("laptop")
    assert certificate_key(laptop.certificate) == laptop.public_key
    assert device_id_of(laptop.certificate) == laptop.device_id == device_id(laptop.public_key)


def test_a_signature_holds_for_its_message_only() -> None:
    laptop = identity("laptop")
    signature = laptop.sign(b"op")
    assert len(signature) == 64
    assert verify(laptop.public_key, b"op", signature)
    assert not verify(laptop.public_key, b"oq", signature)


def test_an_identity_does_not_show_its_secret() -> None:
    assert "rivate" not in repr(identity("laptop"))


def test_an_identity_file_is_for_its_owner_only_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "identity.pem"
    made = Identity.load_or_create(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Identity.load_or_create(path)
    assert (again.device_id, again.certificate) == (made.device_id, made.certificate)
    assert [each.name for each in tmp_path.iterdir()] == ["identity.pem"]


def test_an_identity_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "identity.pem"
    made = Identity.load_or_create(path)
    with pytest.raises(FileExistsError):
        Identity.create().save(path)
    assert Identity.load(path).device_id == made.device_id
    assert len(list(tmp_path.iterdir())) == 1


def test_an_identity_file_can_be_made_where_hard_links_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "identity.pem"
    made = Identity.load_or_create(path)
    with pytest.raises(FileExistsError):
        Identity.create().save(path)
    assert Identity.load(path).device_id == made.device_id


def test_an_identity_file_that_others_can_read_is_warned_about(tmp_path: Path) -> None:
    path = tmp_path / "identity.pem"
    Identity.create().save(path)
    path.chmod(0o640)
    with pytest.warns(UserWarning, match="expected mode 600, found 640"):
        Identity.load(path)


def test_two_first_starts_at_once_are_one_device(tmp_path: Path) -> None:
    path, found = tmp_path / "identity.pem", []
    threads = [
        threading.Thread(target=lambda: found.append(Identity.load_or_create(path).device_id))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_certificate_of_another_key_is_refused_in_the_file() -> None:
    one, other = identity("laptop"), identity("phone")
    key = one.to_pem().split(b"-----BEGIN CERTIFICATE")[0]
    certificate = b"-----BEGIN CERTIFICATE" + other.to_pem().split(b"-----BEGIN CERTIFICATE")[1]
    with pytest.raises(ValueError, match="of another"):
        Identity.from_pem(key + certificate)


def test_a_key_of_another_kind_is_refused_in_the_file() -> None:
    pem = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with pytest.raises(ValueError, match="Ed25519"):
        Identity.from_pem(pem)


def test_what_is_no_device_certificate_never_becomes_a_pin() -> None:
    good = identity("laptop").certificate
    for bad in (b"", b"noise", good[:-1], good + bytes(3000)):
        with pytest.raises(Untrusted, match="expected"):
            Member.of(bad, "laptop")


def test_one_flipped_bit_anywhere_makes_a_certificate_worthless() -> None:
    good = identity("laptop").certificate
    for position in range(len(good)):
        changed = bytearray(good)
        changed[position] ^= 0x01
        with pytest.raises(Untrusted):
            certificate_key(bytes(changed))


def test_a_certificate_of_another_kind_of_key_is_refused() -> None:
    key = rsa.generate_private_key(65537, 2048)
    template = x509.load_der_x509_certificate(identity("laptop").certificate)
    builder = (
        x509.CertificateBuilder()
        .subject_name(template.subject)
        .issuer_name(template.subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(template.not_valid_before_utc)
        .not_valid_after(template.not_valid_after_utc)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    )
    der = builder.sign(Ed25519PrivateKey.generate(), None).public_bytes(serialization.Encoding.DER)
    with pytest.raises(Untrusted, match="Ed25519"):
        certificate_key(der)


def test_both_ends_see_the_same_words_and_other_pairs_see_others() -> None:
    laptop, phone, desk = (identity(name).certificate for name in ("laptop", "phone", "desk"))
    assert shared_words(laptop, phone) == shared_words(phone, laptop)
    assert len(shared_words(laptop, phone)) == 4
    assert len({shared_words(laptop, phone), shared_words(laptop, desk), shared_words(phone, desk)}) == 3


def test_the_words_are_256_and_hard_to_mistake() -> None:
    assert len(WORDS) == len(set(WORDS)) == len({word[:4] for word in WORDS}) == 256
    assert all(word.isascii() and word.islower() and 3 <= len(word) <= 8 for word in WORDS)
    for one in WORDS:
        for slip in range(len(one)):
            twisted = {one[:slip] + letter + one[slip + 1 :] for letter in "abcdefghijklmnopqrstuvwxyz"}
            shortened = one[:slip] + one[slip + 1 :]
            assert not (twisted | {shortened}) & set(WORDS) - {one}


def test_trust_is_members_less_the_revoked_whatever_the_order() -> None:
    laptop, phone = (Member.of(identity(name).certificate, name) for name in ("laptop", "phone"))
    trust = TrustStore.of([laptop, phone])
    assert trust.admits(laptop.device_id)
    assert set(trust.pins()) == {laptop.certificate, phone.certificate}
    assert trust.pins() == TrustStore.of([phone, laptop]).pins()
    without = TrustStore.of([phone, laptop, phone], revoked=[phone.device_id])
    assert without.admits(laptop.device_id)
    assert not without.admits(phone.device_id)
    assert without.pins() == (laptop.certificate,)
    assert not trust.admits(identity("stranger").device_id)
    assert trust.pins(among={phone.device_id}) == (phone.certificate,)


def test_who_was_introduced_with_the_certificate_of_another_is_no_member() -> None:
    laptop, phone = (identity(name) for name in ("laptop", "phone"))
    group = [(laptop.device_id, laptop.certificate, "laptop"), (phone.device_id, laptop.certificate, "phone")]
    assert set(TrustStore.of_group(group, []).members) == {laptop.device_id}
    assert set(TrustStore.of_group(reversed(group), []).members) == {laptop.device_id}
    assert not TrustStore.of_group([(phone.device_id, b"no certificate", "phone")], []).members


def test_a_key_that_cannot_take_its_place_is_left_nowhere_else(tmp_path: Path) -> None:
    place = tmp_path / "identity.pem"
    (place / "taken").mkdir(parents=True)
    with pytest.raises(OSError):
        identity("laptop").save(place)
    assert [*tmp_path.iterdir()] == [place]
