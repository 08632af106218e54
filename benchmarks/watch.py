"""What a learner waits for at each save: `python -m benchmarks.watch [SAVES]`.

The time from writing ex09 to the line with its verdict; then SAVES saves without a pause, half of
them broken files, and what the watcher uses before and after them.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import exercises
from tests.helpers.learner_folder import Learner
from tests.helpers.watching import Watch

EX09 = exercises()["ex09_multi_head_attention"]
RIGHT = EX09.solution.read_text(encoding="utf-8")
WRONG = wrong_answer(EX09, next(each for each in bugs(EX09) if each.slug == "no-scale"))
GOAL = 0.150  # seconds, for the median of a right answer
PAUSE = 1.0  # seconds in which a learner reads, and the next judge process starts


def wait(watcher: Watch, learner: Learner, text: str, mark: str) -> float:
    """The seconds from a save to its verdict."""
    begun = time.perf_counter()
    learner.write(EX09.slug, text)
    watcher.until(f"{mark} {EX09.slug}")
    return time.perf_counter() - begun


def latency(watcher: Watch, learner: Learner, text: str, mark: str, rounds: int) -> float:
    """Print the median and the 95th percentile; returns the median."""
    waits = []
    for number in range(rounds):
        waits.append(wait(watcher, learner, f"{text}\n# {number}\n", mark))
        time.sleep(PAUSE)
    p50, p95 = statistics.median(waits), sorted(waits)[int(0.95 * len(waits))]
    print(f"{mark} {EX09.short}: p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms")
    return p50


def endure(watcher: Watch, learner: Learner, saves: int) -> None:
    """Save many times, half of them broken files."""
    before, begun = watcher.used(), time.perf_counter()
    for number in range(saves // 2):
        wait(watcher, learner, f"# {number}\ndef (", "✗")
        wait(watcher, learner, f"{RIGHT}\n# {number}\n", "✓")
    seconds = time.perf_counter() - begun
    print(f"{saves} saves in {seconds:.0f} s; before {before}, after {watcher.used()}")


def main() -> int:
    """Exit 1 if the goal is missed."""
    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as home:
        learner = Learner(Path(home))
        learner.write(EX09.slug, RIGHT)
        watcher = Watch(learner)
        wait(watcher, learner, WRONG, "✗")  # warms the fork server up
        right = latency(watcher, learner, RIGHT, "✓", 30)
        latency(watcher, learner, WRONG, "✗", 10)
        endure(watcher, learner, saves)
        watcher.end()
        watcher.stop()
    print(f"goal for ✓: p50 ≤ {GOAL * 1000:.0f} ms{'' if right <= GOAL else ': MISSED'}")
    return 0 if right <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
