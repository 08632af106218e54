"""A live room with ninety learners and ten who mean harm: `python -m benchmarks.room [SECONDS]`.

On loopback only, each with an address of their own. Learners save every three seconds, which is
ten times as often as people do. What counts is the time from a save to the leader's page, that
nothing on the page is wrong in the end, and that the room's memory stays flat.
"""

import asyncio
import signal
import sys
import tempfile
from pathlib import Path

from tests.helpers.crowd import share_of
from tests.helpers.open_room import Command
from tests.helpers.siege import Outcome, besieged

PAUSE = 3.0  # seconds between two saves of a learner
GOAL = 1.0  # seconds from a save to the page, for 99 of 100
GROWTH = 1.1  # of memory, from a tenth of the time to its end


def kept(found: Outcome) -> bool:
    """Whether every goal was reached."""
    growth = found.memory[-1] / found.memory[len(found.memory) // 10 + 1]
    print(f"memory grew by a factor of {growth:.3f}")
    return share_of(found.waits, 0.99) <= GOAL and not found.wrong and growth <= GROWTH


def main() -> int:
    """Exit 1 if a goal is missed."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    with tempfile.TemporaryDirectory() as home:
        opened = Command(Path(home))
        try:
            found = asyncio.run(besieged(opened.room, seconds, PAUSE))
            print(found)
            status = 0 if kept(found) else 1
        finally:
            opened.end(signal=signal.SIGINT)
    return status


if __name__ == "__main__":
    sys.exit(main())
