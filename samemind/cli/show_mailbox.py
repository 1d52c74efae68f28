"""Show mailboxes, and how devices are in step through them, as lines for people."""

from collections.abc import Callable, Mapping
from typing import Final

from samemind.commands.mailbox._parts import mailbox_line, standing
from samemind.printable import one_line
from samemind.rendering import Document, counted


def _listed(document: Document) -> list[str]:
    return standing(document["mailboxes"]) or ["no mailbox: samemind mailbox add"]


def _looked(document: Document) -> list[str]:
    return [
        f"mailbox {one_line(each['name'])}: {counted(each['taken'], 'file')} taken with {counted(each['ops'], 'op')}, "
        f"{each['wrote']} written, {each['removed']} removed"
        for each in document["mailboxes"]
    ] or ["no mailbox: samemind mailbox add"]


def _config(document: Document) -> list[str]:
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


SHOWN: Final[Mapping[str, Callable[[Document], list[str]]]] = {
    "mailbox add": lambda document: [mailbox_line(document)],
    "mailbox list": _listed,
    "mailbox remove": lambda document: [f"mailbox {one_line(document['name'])} is used no more"],
    "mailbox look": _looked,
    "mailbox invite": lambda document: [document["text"]],
    "mailbox serve-config": _config,
}
