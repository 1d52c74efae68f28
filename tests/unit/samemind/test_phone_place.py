"""Where phones find a device: what is read, what is kept, and how a browser writes it."""

from pathlib import Path

import pytest

from samemind.config import Home
from samemind.errors import Usage
from samemind.home.phone_place import PORT, PhonePlace, place_of


@pytest.mark.parametrize(
    ("text", "name", "port", "origin"),
    [
        ("laptop.local", "laptop.local", PORT, "https://laptop.local:7412"),
        ("Laptop.Local:9000", "laptop.local", 9000, "https://laptop.local:9000"),
        ("box.example.org:443", "box.example.org", 443, "https://box.example.org"),
        ("192.168.1.20", "192.168.1.20", PORT, "https://192.168.1.20:7412"),
        ("192.168.1.20:80", "192.168.1.20", 80, "https://192.168.1.20:80"),
        ("fd00::5", "fd00::5", PORT, "https://[fd00::5]:7412"),
        ("[fd00::5]", "fd00::5", PORT, "https://[fd00::5]:7412"),
        ("[fd00::5]:8000", "fd00::5", 8000, "https://[fd00::5]:8000"),
    ],
)
def test_a_place_is_read_as_people_write_it(text: str, name: str, port: int, origin: str) -> None:
    place = PhonePlace.parse(text)
    assert (place.name, place.port, place.origin) == (name, port, origin)


@pytest.mark.parametrize(
    "text",
    ["", "laptop", "dev:7412", "laptop.local:0", "laptop.local:65536", "laptop.local:http", "laptop.local:\u0663",
     "https://laptop.local", "laptop.local/phone", "laptop..local", "-a.local", "a b.local", "laptop.local:7412:1",
     "a." * 200 + "local", "*.local", "user@laptop.local", "[fd00::5", "fd00::5]:1", ":7412",
     "fd00::5::1", "fe80::1%eth0", "12345:1::"],
)  # fmt: skip
def test_what_is_no_place_is_said_to_be_none(text: str) -> None:
    with pytest.raises(Usage, match="expected"):
        PhonePlace.parse(text)


def test_it_is_kept_and_a_file_that_makes_no_sense_is_none(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    assert PhonePlace.kept(home) is None
    place = PhonePlace("laptop.local", 7412)
    place.keep(home)
    assert PhonePlace.kept(home) == place
    assert home.phones.stat().st_mode & 0o777 == 0o600
    for nonsense in (
        "",
        "[]",
        '{"name": "laptop", "port": 1}',
        '{"name": "a.local"}',
        '{"name": "a.local", "port": "x"}',
    ):
        home.phones.write_text(nonsense)
        assert PhonePlace.kept(home) is None


def test_a_name_once_shown_stays_whatever_the_machine_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "Ana's MacBook.fritz.box")
    assert place_of(None, 7412) == PhonePlace("ana-s-macbook.local", 7412)
    assert place_of(PhonePlace("laptop.local", 7000), 7412) == PhonePlace("laptop.local", 7412)
    monkeypatch.setattr("platform.node", lambda: "")
    assert place_of(None, 1) == PhonePlace("samemind.local", 1)
