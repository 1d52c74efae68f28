"""Look after this device, and meet the others."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from samemind.arguments import full_path
from samemind.methods.asking import Asking
from samemind.results.carry import CarriedIn, CarriedOut
from samemind.results.device import Compacted, DaemonStatus, Digest, Doctored, Log, Stats, Verified, Warmed
from samemind.results.group import GroupView, Paired, Peers, PeerView, Recovery, Synced
from samemind.results.keeping_safe import BackedUp
from samemind.results.mailbox import (
    MailboxesListed,
    MailboxesLooked,
    MailboxInvitation,
    MailboxRemoved,
    MailboxView,
    ServerConfig,
)
from samemind.surface import carry, device, group, keeping_safe, mailbox


class Devices(Asking):
    """The methods of `Mind` for that."""

    async def backup(self, file: str | os.PathLike[str]) -> BackedUp:
        """Copy the store to a file as it is at this moment."""
        return await self._ask(keeping_safe.BACKUP, file=full_path(file))

    async def digest(self) -> Digest:
        """Return what is equal on devices that agree."""
        return await self._ask(device.DIGEST)

    async def log(self, *, limit: int = 20) -> Log:
        """Return the last ops of the log."""
        return await self._ask(device.LOG, limit=limit)

    async def verify(self, *, accept_loss: bool = False) -> Verified:
        """Check every chain and signature, and compute the state anew from the log."""
        return await self._ask(device.VERIFY, accept_loss=accept_loss)

    async def compact(self) -> Compacted:
        """Fold ops that every device has into the base; their history is no longer told afterwards."""
        return await self._ask(device.COMPACT)

    async def doctor(self) -> Doctored:
        """Look for what is wrong, and say what to do about it."""
        return await self._ask(device.DOCTOR)

    async def stats(self) -> Stats:
        """Count what there is."""
        return await self._ask(device.STATS)

    async def warmup(self) -> Warmed:
        """Load the model and the vectors now rather than at the first recall."""
        return await self._ask(device.WARMUP)

    async def status(self) -> DaemonStatus:
        """Return what this device is, whether its daemon runs, and how its peers are."""
        return await self._ask(device.STATUS)

    async def peers(self) -> Peers:
        """Return the other devices of the group."""
        return await self._ask(group.PEERS)

    async def sync(self, peer: str | None = None, *, address: str | None = None) -> Synced:
        """Sync now, with one device or with all that can be reached."""
        return await self._ask(group.SYNC, peer=peer, address=address)

    async def carry_export(
        self, file: str | os.PathLike[str], *, since_peer: str | None = None
    ) -> CarriedOut:
        """Write what other devices may lack into a sealed file; into a folder: what it does not hold yet."""
        return await self._ask(carry.EXPORT, file=full_path(file), since_peer=since_peer)

    async def carry_import(self, file: str | os.PathLike[str]) -> CarriedIn:
        """Take in what another device wrote: a file, or every file of a folder."""
        return await self._ask(carry.IMPORT, file=full_path(file))

    async def mailboxes(self) -> MailboxesListed:
        """Return the mailboxes of this device, and how it stands with each."""
        return await self._ask(mailbox.LIST)

    async def add_mailbox(
        self,
        url: str | None = None,
        *,
        name: str | None = None,
        secret_file: str | os.PathLike[str] | None = None,
        invitation: str | os.PathLike[str] | None = None,
        certificate: str | os.PathLike[str] | None = None,
        megabytes: int | None = None,
    ) -> MailboxView:
        """Use a mailbox: a folder, WebDAV, a bucket, or a NATS server."""
        return await self._ask(
            mailbox.ADD,
            url=url,
            name=name,
            secret_file=None if secret_file is None else full_path(secret_file),
            invitation=None if invitation is None else full_path(invitation),
            certificate=None if certificate is None else full_path(certificate),
            megabytes=megabytes,
        )

    async def remove_mailbox(self, name: str) -> MailboxRemoved:
        """Use a mailbox no more; its files are left there."""
        return await self._ask(mailbox.REMOVE, name=name)

    async def look_into_mailboxes(self, name: str | None = None) -> MailboxesLooked:
        """Look into a mailbox now, or into all: take what is new, write what is lacking."""
        return await self._ask(mailbox.LOOK, name=name)

    async def invite_to_mailbox(self, name: str) -> MailboxInvitation:
        """Return what another device needs to use the same mailbox, secret included."""
        return await self._ask(mailbox.INVITE, name=name)

    async def mailbox_server_config(
        self,
        host: str,
        *,
        key_file: str | os.PathLike[str] | None = None,
        port: int = 4222,
        no_tls: bool = False,
    ) -> ServerConfig:
        """Return the settings of a NATS server that keeps a mailbox for this group."""
        return await self._ask(
            mailbox.SERVE_CONFIG,
            host=host,
            key_file=None if key_file is None else full_path(key_file),
            port=port,
            no_tls=no_tls,
        )

    async def pair(
        self,
        code: str | None = None,
        *,
        address: str | None = None,
        mailbox: str | None = None,
        wait: str | None = None,
        tell: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Paired:
        """Join the device that shows a code; without one, show a code through `tell` and wait.

        `mailbox`: meet through the mailbox of that name, not on a network; `wait`: for so long, as `24h`.
        """

        async def say(said: Mapping[str, Any]) -> None:
            if tell is not None:
                tell(said)

        return await self._ask(group.PAIR, code=code, address=address, mailbox=mailbox, wait=wait, _say=say)

    async def revoke_peer(self, device: str, *, undo: bool = False) -> PeerView:
        """Put a device out of the group for good; `undo` takes back whom it introduced and whom it revoked."""
        return await self._ask(group.PEERS_REVOKE, device=device, undo=undo)

    async def group(self) -> GroupView:
        """Return who belongs to the group, who prevails over whom, and who was put out by whom."""
        return await self._ask(group.GROUP_SHOW)

    async def make_recovery(self) -> Recovery:
        """Make the code by which any device can put the group right: once, on the oldest device."""
        return await self._ask(group.GROUP_RECOVERY)

    async def restore_group(self, code: str, *, without: Iterable[str] = ()) -> GroupView:
        """Put the group right with its recovery code: revoke devices, and take back whom those revoked."""
        return await self._ask(group.GROUP_RESTORE, code=tuple(code.split()), without=tuple(without))

    async def rename_peer(self, device: str, name: str) -> PeerView:
        """Call a device by another name here."""
        return await self._ask(group.PEERS_RENAME, device=device, name=name)

    async def add_peer(self, device: str, *, address: str) -> PeerView:
        """Say where a device can always be reached."""
        return await self._ask(group.PEERS_ADD, device=device, address=address)
