"""Print the settings of a NATS server that keeps a mailbox for this group."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.errors import Failed, NotFound, Usage
from samemind.rendering import Document

if TYPE_CHECKING:
    from pathlib import Path

    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """Print the settings of a NATS server that keeps a mailbox for this group."""

    host: str = argument("the name or address by which devices reach the server", metavar="HOST")
    key_file: str | None = option(
        "--key-file", "where the group's key is kept, and made if it is not there", takes=Takes.PATH
    )
    new_key: bool = option(
        "--new-key", "make another key, since a device that was revoked knows the one before", default=False
    )
    port: int = option("--port", "where the server listens", default=4222, metavar="PORT")
    no_tls: bool = option("--no-tls", "without TLS, as inside a VPN", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """What a NATS server needs that keeps a mailbox. `key_file` holds the secret that devices sign in with."""

    settings_path: str
    settings: str
    drop_in_path: str
    drop_in: str
    certificate_command: str
    key_file: str
    url: str


PORT_MAX: Final = 65_535


async def run(device: "Device", options: ServeConfig) -> ServerConfig:
    """Return what a server needs; the group's key is made if there is none."""
    from pathlib import Path

    from samemind.mailboxes import new_mailbox
    from sync.mailbox.nkeys import public_nkey, read_seed
    from sync.mailbox.places import Place
    from sync.mailbox.serving import DROP_IN, SETTINGS, certificate_command, drop_in, server_settings

    key_file = device.home.mailbox_key if options.key_file is None else Path(options.key_file)
    if options.key_file is not None:
        device.home.check_foreign(key_file)
    if not 0 < options.port <= PORT_MAX:
        raise Usage(f"expected a port from 1 to {PORT_MAX}, got {options.port}", code="invalid")
    seed = _seed(key_file, new=options.new_key)
    try:
        nkey = public_nkey(read_seed(seed))
        settings = server_settings(nkey, listen=f"0.0.0.0:{options.port}", tls=not options.no_tls)
        scheme = "nats" if options.no_tls else "nats+tls"
        url = f"{scheme}://{options.host}:{options.port}"
        new_mailbox([], None, Place(url, seed), None, ())
    except ValueError as error:
        raise Usage(str(error), code="invalid") from None
    return ServerConfig(
        settings_path=SETTINGS,
        settings=settings,
        drop_in_path=DROP_IN,
        drop_in=drop_in(),
        certificate_command="" if options.no_tls else certificate_command(options.host),
        key_file=str(key_file),
        url=url,
    )


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
            scratch.write_text(seed + "\n", "ascii")
    except OSError as error:
        raise Failed(f"{key_file} could not be written: {error.strerror}", code="cannot_write") from None
    return seed


def render(document: Document) -> list[str]:
    lines = [f"# {document['settings_path']}", *document["settings"].splitlines(), ""]
    lines += [f"# {document['drop_in_path']}", *document["drop_in"].splitlines(), ""]
    if document["certificate_command"]:
        lines += ["# a certificate, if the host has none", document["certificate_command"], ""]
    pin = " --certificate samemind.crt" if document["certificate_command"] else ""
    lines += [
        "# then, on this device",
        f"samemind mailbox add {document['url']} --secret-file {document['key_file']}{pin}",
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
        "mailbox_server_config", "Return the settings of a NATS server that keeps a mailbox for this group."
    ),
    place=6,
)
