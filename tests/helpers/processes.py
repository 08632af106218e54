"""What runs on this machine, as Linux tells it."""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 60  # seconds
PROGRESS = re.compile(
    r"starting the judges, |reading what was handed in: |\d+ of \d+ done; "
    r"|.+: (\d+ students|the work of one student)(?!.*Nothing was graded)"
)


def children(process: int) -> list[int]:
    """The processes that any thread of this one has started."""
    found: list[int] = []
    with suppress(OSError):  # it has ended
        for thread in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def descendants(process: int) -> list[int]:
    """Its children, their children, and so on."""
    found = children(process)
    return found + [each for child in found for each in descendants(child)]


def command(process: int) -> str:
    """The command line that started this process."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text(errors="replace")
    return ""


def has_open(process: int, suffix: str) -> bool:
    """Whether it reads or writes a file whose name ends like this."""
    try:
        links = [each.readlink() for each in Path(f"/proc/{process}/fd").iterdir()]
    except OSError:
        return False
    return any(link.name.endswith(suffix) for link in links)


def workers(process: int) -> list[int]:
    """Those in which submissions run: forks of a warm process, each in a session of its own."""
    return [each for each in descendants(process) if _is_worker(each)]


def _is_worker(process: int) -> bool:
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        parent, session = int(fields[1]), int(fields[3])
        return session == process and "inside/worker.py" in command(parent)
    return False


def seconds(process: int) -> float:
    """The CPU time that it has used."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def until(holds: Callable[[], object]) -> None:
    """Wait for this."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def without_progress(said: str) -> str:
    """What a run of the grader has said, but for the lines that say how far it is."""
    lines = said.splitlines(keepends=True)
    return "".join(each for each in lines if not PROGRESS.match(each))
