"""The process that reads what was handed in: `bounded` starts it, and says why."""

import pickle
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kata.grading.collecting.archives import RefusedError
from kata.grading.collecting.one_archive import class_in
from kata.grading.collecting.packed.class_export import unpacked
from kata.grading.collecting.submissions import read
from kata.words import say

if sys.platform != "win32":
    import resource

MEMORY = 1 << 30  # bytes
TASKS: dict[str, Callable[[Any], object]] = {"read": read, "count": class_in, "unpack": unpacked}


def main(seconds: int) -> None:
    """Answer one task after the other, until nobody asks any more."""
    tasks, answers = sys.stdin.buffer, sys.stdout.buffer
    _limit_memory()
    answer: object = True  # it is ready
    while True:
        pickle.dump(answer, answers)
        answers.flush()
        try:
            task, about = pickle.load(tasks)
        except EOFError:
            return
        _allow(seconds)
        answer = _answer(task, about)


def _answer(task: str, about: Any) -> tuple[bool, object]:
    """What was found, or why there is nothing."""
    try:
        return True, TASKS[task](about)
    except MemoryError:
        return False, say("collecting.memory", size=MEMORY >> 20)
    except RefusedError as error:
        return False, str(error)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        return False, say("collecting.fault", kind=type(error).__name__, place=place)


def _limit_memory() -> None:
    if sys.platform != "win32":
        _lower(resource.RLIMIT_AS, MEMORY)
        _lower(resource.RLIMIT_CORE, 0)


def _allow(seconds: int) -> None:
    """So much computing from now on; then the system ends this process."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + seconds)


def _lower(kind: int, limit: int) -> None:
    """Set a limit that can be raised again, but not above what is allowed already."""
    most = resource.getrlimit(kind)[1]
    allowed = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(kind, (allowed, most))


if __name__ == "__main__":
    main(int(sys.argv[1]))
