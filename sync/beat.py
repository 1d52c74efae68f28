"""Wake a resting machine once for everything that looks every few seconds.

Each look is cheap; what costs a battery is waking for it. Looks that wait for a beat, the next multiple of their
period, fall together wherever one period divides another, so periods are multiples of three seconds.
"""

import trio


async def next_beat(seconds: float) -> None:
    """Wait for the next multiple of a period.

    Args:
        seconds: The period, above zero, and the longest that this waits; on trio's clock, which does not jump.
    """
    await trio.sleep_until((trio.current_time() // seconds + 1) * seconds)
