"""Write what somebody needs who runs a NATS server as a mailbox: its settings, and how to keep it running.

Each group has an account of its own, so that none hears another's messages and each has its own room, and one key in
it, which all devices of the group sign in with: the server does not learn which device is which.

Several servers are one mailbox as a cluster. They share one certificate and its key, by which they also know each
other: who has not the key cannot join them.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sync.mailbox.places import PORT_NATS

SETTINGS: Final = "/etc/nats-server.conf"
CERTIFICATE: Final = "/etc/nats/samemind.crt"
KEY: Final = "/etc/nats/samemind.key"
STORE: Final = "/var/lib/nats"
DROP_IN: Final = "/etc/systemd/system/nats-server.service.d/samemind.conf"
# Streams reserve what they may grow to (`sync.mailbox.stream_files`), and a little is wanted beside it.
_MEGABYTES: Final = 1_100
# JetStream keeps a file on so many servers of a cluster: of fewer than three, none may be down.
CLUSTER_SIZES: Final = (3, 5)
PORT_ROUTES: Final = 6222
_CONTROL: Final = frozenset(map(chr, range(32))) | {'"', "\\", "\x7f"}


@dataclass(frozen=True, slots=True)
class Cluster:
    """Of which servers one is. `name`: its own among them; `routes`: hosts and ports by which they reach each other."""

    name: str
    routes: tuple[str, ...]
    listen: str = f"0.0.0.0:{PORT_ROUTES}"


def server_settings(
    nkey: str,
    *,
    account: str = "group",
    listen: str = f"0.0.0.0:{PORT_NATS}",
    tls: bool = True,
    certificate: str = CERTIFICATE,
    key: str = KEY,
    store: str = STORE,
    cluster: Cluster | None = None,
) -> str:
    """Return the settings of a server for one group; `nkey` is the public half of its key."""
    routed = () if cluster is None else (cluster.name, cluster.listen, *cluster.routes)
    for each in (account, listen, certificate, key, store, *routed):
        if not each or _CONTROL & set(each):
            raise ValueError(f"expected a word or path that settings can hold, got {each!r:.80}")
    tls_line = f'tls {{ cert_file: "{certificate}", key_file: "{key}" }}\n' if tls else ""
    # An account pays for each copy of what it stores.
    megabytes = _MEGABYTES * (1 if cluster is None else len(cluster.routes))
    return (
        f'listen: "{listen}"\n'
        f"{tls_line}"
        "max_payload: 1MB\n"
        "jetstream {\n"
        f'  store_dir: "{store}"\n'
        "  max_mem: 16MB\n"
        f"  max_file: {_MEGABYTES}MB\n"
        "}\n"
        "accounts {\n"
        f'  "{account}" {{\n'
        f"    jetstream: {{ max_mem: 0, max_file: {megabytes}MB, max_streams: 1 }}\n"
        f"    users: [ {{ nkey: {nkey} }} ]\n"
        "  }\n"
        "}\n"
        f"{_cluster(cluster, certificate, key, tls=tls)}"
    )


def _cluster(cluster: Cluster | None, certificate: str, key: str, *, tls: bool) -> str:
    if cluster is None:
        return ""
    routes = ", ".join(f'"nats://{each}"' for each in cluster.routes)
    known = f'cert_file: "{certificate}", key_file: "{key}", ca_file: "{certificate}", verify: true'
    return (
        f'server_name: "{cluster.name}"\n'
        "cluster {\n"
        "  name: meet\n"
        f'  listen: "{cluster.listen}"\n'
        f"{f'  tls {{ {known} }}{chr(10)}' if tls else ''}"
        f"  routes: [ {routes} ]\n"
        "}\n"
    )


def drop_in() -> str:
    """Return what Debian's unit lacks: a folder that it may write to and no other, and a start after a crash."""
    return (
        "[Service]\n"
        "StateDirectory=nats\n"
        "Restart=on-failure\n"
        "ProtectSystem=strict\n"
        "ProtectHome=yes\n"
        "PrivateTmp=yes\n"
        "NoNewPrivileges=yes\n"
    )


def certificate_command(hosts: Sequence[str], *, certificate: str = CERTIFICATE, key: str = KEY) -> str:
    """Return how to make a certificate for servers that no authority vouches for."""
    names = ",".join(f"{'IP' if _is_address(host) else 'DNS'}:{host}" for host in hosts)
    return (
        "openssl req -x509 -newkey ed25519 -nodes -days 3650 "
        f'-subj "/CN={hosts[0]}" -addext "subjectAltName={names}" -keyout {key} -out {certificate}'
    )


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
