"""A stranger who answers for the names of others, whenever a device of ours is named on the network.

python -m tests.support.mdns_impostor ADDRESS HOW: from this address, until its standard input ends; prints how often.
HOW is `taken` (whoever asks whether a name is free hears that it is not), `gone` (each has just said goodbye) or
`here` (each is at a place of the stranger's and nowhere else, said fifty times a second).
"""

import socket
import struct
import sys
import threading
import time
from typing import Final

from zeroconf import Error as ZeroconfError
from zeroconf._dns import DNSPointer
from zeroconf._protocol.incoming import DNSIncoming

from tests.support.mdns_packets import GROUP, PTR, SERVICE, SRV, TTL, A, answer_alone, labels, packet, record

# Where nobody is.
_NOWHERE: Final = "10.77.0.99"
_AGAIN_SECONDS: Final = 0.02

_SUFFIX: Final = "." + ".".join(each.decode() for each in SERVICE) + "."


def listener(address: str) -> socket.socket:
    """A socket that hears what the group is told, and speaks to it."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    made.bind(("", GROUP[1]))
    joined = struct.pack("=4s4s", socket.inet_aton(GROUP[0]), socket.inet_aton(address))
    made.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, joined)
    return made


def named(data: bytes) -> set[bytes]:
    """The names of our services that a packet speaks of."""
    try:
        heard = DNSIncoming(data, GROUP)
        answers = heard.answers()
    except ZeroconfError:
        return set()
    names = [question.name for question in heard.questions]
    names += [answer.name for answer in answers]
    names += [answer.alias for answer in answers if isinstance(answer, DNSPointer)]
    return {name.removesuffix(_SUFFIX).encode() for name in names if name.endswith(_SUFFIX)}


def elsewhere(name: bytes) -> bytes:
    """A packet by which whoever has this name is at a place of ours, and whatever others said of it is void."""
    service, full = labels(SERVICE), labels([name, *SERVICE])
    place = socket.inet_aton(_NOWHERE)
    ours = labels([b"stranger", b"local"])
    return packet(
        [
            record(service, PTR, full),
            answer_alone(record(full, SRV, struct.pack(">HHH", 0, 0, 9) + ours)),
            answer_alone(record(ours, A, place)),
            answer_alone(record(labels([name, b"local"]), A, place)),
        ]
    )


def main(address: str, how: str) -> None:
    """Speak for everybody."""
    said: list[bytes] = []
    known: set[bytes] = set()
    ttl = TTL if how == "taken" else 0
    with listener(address) as heard:

        def speak() -> None:
            while True:
                data, _ = heard.recvfrom(9_000)
                for name in () if data in said else named(data):
                    known.add(name)
                    pointer = packet([record(labels(SERVICE), PTR, labels([name, *SERVICE]), ttl=ttl)])
                    said.append(elsewhere(name) if how == "here" else pointer)
                    heard.sendto(said[-1], GROUP)

        def repeat() -> None:
            while True:
                time.sleep(_AGAIN_SECONDS)
                for name in known.copy():
                    heard.sendto(elsewhere(name), GROUP)

        threading.Thread(target=speak, daemon=True).start()
        if how == "here":
            threading.Thread(target=repeat, daemon=True).start()
        print("ready", flush=True)
        sys.stdin.read()
        print(len(said), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
