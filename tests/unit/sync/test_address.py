import pytest

from sync.address import Address


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("192.168.1.7:7411", "192.168.1.7", 7411),
        ("laptop.local:1", "laptop.local", 1),
        ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65535),
        (" [::1]:80\n", "::1", 80),
    ],
)
def test_an_address_is_read_and_shown_the_way_people_write_it(text: str, host: str, port: int) -> None:
    address = Address.parse(text)
    assert (address.host, address.port) == (host, port)
    assert str(address) == text.strip()


@pytest.mark.parametrize(
    "text",
    ["", "laptop", "laptop:", ":80", "laptop:http", "laptop:0", "laptop:65536", "fe80::1:80", "a b:1", "x:²"],
)
def test_what_cannot_be_dialled_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        Address.parse(text)
