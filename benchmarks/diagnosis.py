"""How long it takes to name the mistake in a wrong answer: CPU time, each as in a run of its own.

python -m benchmarks.diagnosis

The answers are those of strangers in tests/specimens/strangers. Reading the catalogue of an
exercise happens once in a run, and is shown apart.
"""

import gc
import time
from pathlib import Path
from statistics import median

from kata.course.catalogue import bugs, target_of
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import read
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import observe

STRANGERS = ROOT / "tests" / "specimens" / "strangers"


def main() -> None:
    """Print the median, the 95th percentile and the longest time."""
    reading = [_seconds_to_read(each) for each in exercises().values()]
    found = sorted(_seconds(path) for path in _wrong_answers())
    print(f"{len(found)} wrong answers: median {1000 * median(found):.0f} ms", end="")
    print(f", 95 % within {1000 * found[int(0.95 * len(found))]:.0f} ms", end="")
    print(f", the longest {1000 * found[-1]:.0f} ms")
    print(f"reading the catalogue of an exercise: at most {1000 * max(reading):.0f} ms")


def _wrong_answers() -> list[Path]:
    return [path for half in ("seen", "kept") for path in sorted(STRANGERS.glob(f"{half}/*/*.py"))]


def _seconds_to_read(exercise: Exercise) -> float:
    start = time.process_time()
    bugs(exercise)
    return time.process_time() - start


def _seconds(path: Path) -> float:
    exercise, text = exercises()[path.parent.name], read(path).text
    findings = observe(exercise, target_of(exercise, text)).findings
    gc.collect()  # what other exercises have left behind is no part of a run of its own
    gc.freeze()
    start = time.process_time()
    diagnose(exercise, findings, text=text)
    return time.process_time() - start


if __name__ == "__main__":
    main()
