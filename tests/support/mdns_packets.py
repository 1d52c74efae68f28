"""mDNS packets made by hand, by which a stranger says what python-zeroconf would refuse to send.

python -m tests.support.mdns_packets FROM SECONDS SEED: multicast odd packets from this address for so long; prints
how many. Each is an announcement of our service, right at first, and then spoiled in one of the ways of `odd`.
"""

import socket
import struct
import sys
import time
from collections.abc import Sequence
from random import Random
from typing import Final

GROUP: Final = ("224.0.0.251", 5353)
SERVICE: Final = (b"_samemind", b"_tcp", b"local")
PTR, TXT, AAAA, A, SRV = 12, 16, 28, 1, 33
TTL: Final = 120


def labels(parts: Sequence[bytes]) -> bytes:
    """A name as DNS spells it."""
    return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"


def record(name: bytes, kind: int, data: bytes, *, ttl: int = TTL) -> bytes:
    """One answer; one that lasts no time takes back what was said before."""
    return name + struct.pack(">HHIH", kind, 1, ttl, len(data)) + data


def answer_alone(answer: bytes) -> bytes:
    """The same answer, said to be the only one of its kind: others of its name are forgotten (RFC 6762, 10.2)."""
    at = answer.index(b"\0") + 3  # its name ends so, then come its kind and its class
    return answer[:at] + b"\x80" + answer[at + 1 :]


def packet(records: Sequence[bytes]) -> bytes:
    """One response that holds these answers."""
    return struct.pack(">HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def announcement(
    name: bytes, addresses: Sequence[str], port: int, *, txt: bytes = b"\x03v=1", kinds: tuple[int, ...] = ()
) -> bytes:
    """An announcement of our service by one name at these addresses."""
    service, host = labels(SERVICE), labels([b"host" + bytes(f"{port}", "ascii"), b"local"])
    full = labels([name, *SERVICE])
    records = [
        record(service, PTR, full),
        record(full, SRV, struct.pack(">HHH", 0, 0, port) + host),
        record(full, TXT, txt),
    ]
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        records.append(record(host, AAAA if ":" in address else A, socket.inet_pton(family, address)))
    return packet(records)


ODD_NAMES: Final = (
    b"a\x01b",
    b"\x1b[2J\x07",
    b"\x7f",
    b"\xff\xfe",
    b"\xc3\x28",
    b"\x00",
    b"-lead",
    b"trail-",
    b"a--b",
    b"a_b",
    b"a.b",
    b" ",
    b"a" * 63,
    b"_samemind",
)
ODD_ADDRESSES: Final = (
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "127.0.0.1",
    "::1",
    "0.0.0.0",
    "::",
    "255.255.255.255",
    "240.0.0.1",
    "ff02::1",
    "224.0.0.1",
)


def odd(random: Random) -> bytes:
    """One packet that nobody who means well would send."""
    name = random.choice(ODD_NAMES) if random.random() < 0.6 else random.randbytes(random.randint(1, 63))
    addresses = random.sample(ODD_ADDRESSES, random.randint(0, 4))
    txt = random.choice([b"\x03v=1", b"\xff", b"", b"\x00", b"\x02v=\x02p=", random.randbytes(50)])
    whole = announcement(name, addresses, random.choice([0, 1, 9100, 65535]), txt=txt)
    match random.randrange(5):
        case 0:
            return whole[: random.randrange(len(whole))]
        case 1:
            at = random.randrange(len(whole))
            return whole[:at] + random.randbytes(random.randint(1, 4)) + whole[at + 1 :]
        case 2:  # a name that points at itself, or out of the packet
            return packet([record(struct.pack(">H", 0xC000 | random.randrange(64)), PTR, b"\xc0\x0c")])
        case 3:
            return struct.pack(">HHHHHH", 0, 0x8400, 0, 0xFFFF, 0xFFFF, 0xFFFF) + whole[12:]
        case _:
            return whole


def sender(address: str) -> socket.socket:
    """A socket by which a host says something to the group."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    made.bind((address, GROUP[1]))
    return made


def main(address: str, seconds: float, seed: int) -> int:
    """Send for some seconds."""
    random, sent, end = Random(seed), 0, time.monotonic() + seconds
    with sender(address) as out:
        for name in ODD_NAMES:  # each of these once, at least
            out.sendto(announcement(name, [address], 7411), GROUP)
        while time.monotonic() < end:
            out.sendto(odd(random), GROUP)
            sent += 1
            time.sleep(0.002)
    return sent


if __name__ == "__main__":
    print(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
