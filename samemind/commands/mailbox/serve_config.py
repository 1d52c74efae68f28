"""Print the configuration of a NATS server that is to be a mailbox for this group."""

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.errors import Failed, NotFound, Usage
from samemind.formats.arguments import PORT_MAX
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from pathlib import Path

    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Print the configuration of a NATS server that is to be a mailbox for this group."""

    host: str = argument(
        "the name or address at which devices reach the server; of a cluster all three, separated by commas",
        metavar="HOST",
    )
    key_file: str | None = option(
        "--key-file", "the file with the group's key, which is created if missing", takes=Takes.PATH
    )
    new_key: bool = option(
        "--new-key", "replace the key, as after a device was revoked, which knows the old one", default=False
    )
    port: int = option(
        "--port", "the port the server listens on", default=4222, metavar="PORT", least=1, most=PORT_MAX
    )
    no_tls: bool = option("--no-tls", "do not use TLS, as inside a VPN", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """What a NATS server needs that keeps a mailbox. `key_file` holds the secret that devices sign in with.

    `names`: of a cluster, the `server_name` of each server; the settings are those of the first.
    """

    settings_path: str
    settings: str
    drop_in_path: str
    drop_in: str
    certificate_command: str
    key_file: str
    url: str
    names: list[str] = field(default_factory=list)


_HOST: Final = re.compile(r"[A-Za-z0-9:][A-Za-z0-9.:_-]{0,253}")


async def run(device: "Device", options: ServeConfig) -> ServerConfig:
    """Return what a server needs; the group's key is made if there is none."""
    from pathlib import Path

    from samemind.home.mailboxes import new_mailbox
    from sync.mailbox.nkeys import public_nkey, read_seed
    from sync.mailbox.places import MailboxAddress
    from sync.mailbox.serving import (
        DROP_IN,
        PORT_ROUTES,
        SETTINGS,
        Cluster,
        certificate_command,
        drop_in,
        server_settings,
    )

    key_file = device.home.mailbox_key if options.key_file is None else Path(options.key_file)
    if options.key_file is not None:
        device.home.check_foreign(key_file)
    hosts = _hosts(options.host)
    cluster = None
    if len(hosts) > 1:
        cluster = Cluster(hosts[0], tuple(f"{_bracketed(each)}:{PORT_ROUTES}" for each in hosts))
    seed = _seed(key_file, new=options.new_key)
    try:
        nkey = public_nkey(read_seed(seed))
        listen = f"0.0.0.0:{options.port}"
        settings = server_settings(nkey, listen=listen, tls=not options.no_tls, cluster=cluster)
        scheme = "nats" if options.no_tls else "nats+tls"
        url = f"{scheme}://" + ",".join(f"{_bracketed(each)}:{options.port}" for each in hosts)
        url += f"/group?replicas={len(hosts)}" if cluster else ""
        new_mailbox([], None, MailboxAddress(url, seed), None, ())
    except ValueError as error:
        raise Usage(str(error), code="invalid") from None
    return ServerConfig(
        settings_path=SETTINGS,
        settings=settings,
        drop_in_path=DROP_IN,
        drop_in=drop_in(),
        certificate_command="" if options.no_tls else certificate_command(hosts),
        key_file=str(key_file),
        url=url,
        names=hosts if cluster else [],
    )


def _hosts(text: str) -> list[str]:
    """Return the hosts that were named: one, or all of a cluster. They stand in settings and commands as they are."""
    from sync.mailbox.serving import CLUSTER_SIZES

    hosts = [each.strip().strip("[]") for each in text.split(",")]
    for each in hosts:
        if not _HOST.fullmatch(each):
            raise Usage(f"expected the name or address of a host, got {each!r:.80}", code="invalid")
    if len(set(hosts)) != len(hosts) or len(hosts) not in (1, *CLUSTER_SIZES):
        wanted = " or ".join(map(str, CLUSTER_SIZES))
        raise Usage(
            f"expected one host, or the {wanted} different ones of a cluster, got {len(hosts)}",
            code="invalid",
            hint="a cluster of two cannot lose a server: use one or three",
        )
    return hosts


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _seed(key_file: "Path", *, new: bool) -> str:
    """Return the group's key, and make it where there is none or another is wanted."""
    import secrets

    from samemind.commands.mailbox._using import read_secret
    from samemind.durable import whole_file
    from sync.mailbox.nkeys import new_seed

    if not new:
        try:
            return read_secret(str(key_file))
        except NotFound:
            pass
    seed = new_seed(secrets.token_bytes(32))
    try:
        with whole_file(key_file) as scratch:
            scratch.write_bytes(f"{seed}\n".encode("ascii"))
    except OSError as error:
        raise Failed(f"{key_file} could not be written: {error.strerror}", code="cannot_write") from None
    return seed


def render(document: Document) -> list[str]:
    others = ", ".join(f'"{each}"' for each in document["names"][1:])
    lines = [f"# {document['settings_path']}{others and f' (server_name: {others} on the others)'}"]
    lines += [*document["settings"].splitlines(), ""]
    lines += [f"# {document['drop_in_path']}", *document["drop_in"].splitlines(), ""]
    if document["certificate_command"]:
        when = "once: the others have the same two files" if others else "if the host has none"
        lines += [f"# a certificate, {when}", document["certificate_command"], ""]
    pin = " --certificate samemind.crt" if document["certificate_command"] else ""
    lines += [
        "# then, on this device",
        f"samemind mailbox add {shlex.quote(document['url'])} --secret-file {shlex.quote(document['key_file'])}{pin}",
    ]
    return lines


COMMAND: Final = Command(
    "mailbox serve-config",
    ServeConfig,
    ServerConfig,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="reads, writes or shows a secret, or gives one up",
    library=Method(
        "mailbox_server_config",
        "Return the configuration of a NATS server that is to be a mailbox for this group.",
    ),
    place=6,
)
