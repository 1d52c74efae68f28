"""The embed queue under a real `kill -9`."""

import signal
import subprocess
import sys
from pathlib import Path

import trio

from cognition.background import queue
from tests.support.minds import open_memory
from tests.support.published import published

WRITER = """
import os, signal, sys
from pathlib import Path
import trio
from cognition import HashedEmbedder
from tests.support.minds import open_memory, remember


class Deadly(HashedEmbedder):
    def embed(self, texts):
        os.kill(os.getpid(), signal.SIGKILL)


async def main():
    async with open_memory(Path(sys.argv[1]), embedder=Deadly()) as (replica, mind):
        await remember(replica, "Ann moved to Lisbon", "Bob sold his boat")
        await mind.settle()


trio.run(main)
"""


@published("PM-50", "PM-55")
def test_a_process_killed_before_it_embeds_leaves_the_work_to_the_next(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(tmp_path / "m.db")], cwd=root, check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL

    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (_, mind):
            await mind.settle()
            assert await mind.embedding.state() == queue.QueueState(0, 0, None)
            for query in ("Lisbon", "boat"):
                (hit,) = await mind.recall(query, k=1)
                assert {found.channel for found in hit.found} == {"words", "vectors"}

    trio.run(main)
