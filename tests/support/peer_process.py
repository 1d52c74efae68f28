"""A device in a process of its own: a replica and a syncer, moved by lines on its standard input.

    python -m tests.support.peer_process FOLDER NAME [--knows NAME]... [--listen HOST [--port N]]
                                                     [--call ADDRESS]... [--mdns]

Prints one JSON line when it is up (its address), and one for each line it was given: `remember N TEXT` (N memories,
one commit each; says when the last was durable), `digest`, `sync`, `peers`, `wait TEXT` (until it remembers that).
Ends when its input does.
"""

import argparse
import gc
import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import trio

from sync.address import Address
from sync.syncer import Syncer, open_syncer
from tests.support.devices import Device, devices, introduce_to


def say(**line: object) -> None:
    print(json.dumps(line), flush=True)


async def lines() -> AsyncIterator[str]:
    """What is typed at us, line by line, to the end."""
    while line := await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True):
        yield line.strip()


async def obey(line: str, device: Device, syncer: Syncer) -> dict[str, Any]:
    verb, _, rest = line.partition(" ")
    match verb:
        case "remember":
            count, _, text = rest.partition(" ")
            for n in range(int(count)):
                await device.remember(f"{text} {n}" if int(count) > 1 else text)
            return {"remembered": int(count), "at": time.time()}
        case "digest":
            digests = await device.digests()
            return {
                "visible": digests.visible.hex(),
                "state": digests.state.hex(),
                "ops": device.replica.position,
            }
        case "sync":
            reports = await syncer.sync_now()
            return {
                "sent": [each.sent for each in reports],
                "received": [each.received for each in reports],
                "errors": [str(each.error) for each in reports if each.error],
            }
        case "peers":
            return {"peers": {peer.name: peer.state for peer in syncer.peers()}}
        case "wait":
            started = trio.current_time()
            news = device.replica.news  # from before the look: what comes during it is news, too
            while rest not in await device.texts():
                news = await device.replica.stirred(news)
            return {"seen": rest, "after_s": trio.current_time() - started, "at": time.time()}
        case _:
            raise ValueError(f"expected a verb, got {line!r}")


async def main(options: argparse.Namespace) -> None:
    async with devices(options.folder, options.name) as (device,):
        for name in options.knows:
            await introduce_to(device, name)
        async with open_syncer(
            device.replica,
            device.identity,
            device.host,
            name=options.name,
            listen_on=None if options.listen is None else (options.listen, options.port),
            mdns=options.mdns,
            fixed=[Address.parse(each) for each in options.call],
        ) as syncer:
            say(up=options.name, address=None if syncer.address is None else str(syncer.address))
            async for line in lines():
                say(**await obey(line, device, syncer))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("--knows", action="append", default=[])
    parser.add_argument("--listen")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--call", action="append", default=[])
    parser.add_argument("--mdns", action="store_true")
    gc.freeze()  # as the program does: the collector does not walk what was loaded in the midst of a sync
    trio.run(main, parser.parse_args())
