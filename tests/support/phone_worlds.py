"""Run worlds of the simulator in a phone's Python: `run_in_node` gives how many ops each is to have, and the seeds."""

import sys


def main(ops: int, seeds: list[int]) -> None:
    """Print the hash of each world's trace."""
    sys.path.append("/root")
    from tests.support.phone_absent import pretend

    pretend()
    from simulations.drawing import draw
    from simulations.run import simulate

    for seed in seeds:
        print(seed, simulate(draw(seed, ops=ops)).trace_hash, flush=True)


main(*(lambda ops, *seeds: (int(ops), [int(seed) for seed in seeds]))(*globals()["ARGUMENTS"]))
