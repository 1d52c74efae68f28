"""A process that finds and is found: announces a port, and prints what it sees, one JSON line each.

Usage: python -m tests.support.mdns_peer PORT. Ends when its standard input does.
"""

import json
import sys

import trio

from replica.asyncio_host import AsyncioHost
from sync.discovery.mdns import MdnsFinder
from sync.discovery.sightings import News, ServiceType, Sighting


def say(**line: object) -> None:
    print(json.dumps(line), flush=True)


def report(service: ServiceType, news: News) -> None:
    if isinstance(news, Sighting):
        say(saw=service.name, name=news.name, addresses=[str(each) for each in news.addresses])
    else:
        say(lost=service.name, name=news.name)


async def watch(finder: MdnsFinder, service: ServiceType) -> None:
    async with finder.watch(service) as seen:
        async for news in seen:
            report(service, news)


async def main(port: int) -> None:
    async with AsyncioHost.open() as host, MdnsFinder.open(host) as finder:
        async with finder.announce(ServiceType.SYNC, port), trio.open_nursery() as nursery:
            for service in ServiceType:
                nursery.start_soon(watch, finder, service)
            say(started=port)
            await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
            nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main, int(sys.argv[1]))
