"""What runs on this machine, as Linux tells it."""

from contextlib import suppress
from pathlib import Path


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
