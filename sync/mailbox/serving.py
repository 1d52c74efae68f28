"""Write what somebody needs who runs a NATS server as a mailbox: its settings, and how to keep it running.

Each group has an account of its own, so that none hears another's messages and each has its own room, and one key in
it, which all devices of the group sign in with: the server does not learn which device is which.
"""

from typing import Final

from sync.mailbox.places import PORT_NATS

SETTINGS: Final = "/etc/nats-server.conf"
CERTIFICATE: Final = "/etc/nats/samemind.crt"
KEY: Final = "/etc/nats/samemind.key"
STORE: Final = "/var/lib/nats"
DROP_IN: Final = "/etc/systemd/system/nats-server.service.d/samemind.conf"
# Streams reserve what they may grow to (`sync.mailbox.jetstream.STREAM_BYTES_MAX`), and a little is wanted beside it.
_MEGABYTES: Final = 1_100
_CONTROL: Final = frozenset(map(chr, range(32))) | {'"', "\\", "\x7f"}


def server_settings(
    nkey: str,
    *,
    account: str = "group",
    listen: str = f"0.0.0.0:{PORT_NATS}",
    tls: bool = True,
    certificate: str = CERTIFICATE,
    key: str = KEY,
    store: str = STORE,
) -> str:
    """Return the settings of a server for one group; `nkey` is the public half of its key."""
    for each in (account, listen, certificate, key, store):
        if not each or _CONTROL & set(each):
            raise ValueError(f"expected a word or path that settings can hold, got {each!r:.80}")
    tls_line = f'tls {{ cert_file: "{certificate}", key_file: "{key}" }}\n' if tls else ""
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
        f"    jetstream: {{ max_mem: 0, max_file: {_MEGABYTES}MB, max_streams: 1 }}\n"
        f"    users: [ {{ nkey: {nkey} }} ]\n"
        "  }\n"
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


def certificate_command(host: str) -> str:
    """Return how to make a certificate for a server that no authority vouches for."""
    return (
        "openssl req -x509 -newkey ed25519 -nodes -days 3650 "
        f'-subj "/CN={host}" -addext "subjectAltName=DNS:{host}" -keyout {KEY} -out {CERTIFICATE}'
    )
