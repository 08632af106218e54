"""What this machine offers to keep a process away from everything that is not its own."""

import ctypes
import shutil
import sys

LANDLOCK_CREATE_RULESET = 444  # the number of the call, the same on all Linux architectures
VERSION = 1  # the flag that asks for the version of the interface


def parts() -> list[str]:
    """The names of the locks that are there; none on a system that has none."""
    if sys.platform != "linux":
        return []
    found = ["rlimits"]
    if (number := landlock()) > 0:
        found.append(f"Landlock {number}")
    if shutil.which("bwrap"):
        found.append("bubblewrap")
    return found


def landlock() -> int:
    """The version of Landlock's interface; 0 where the kernel has none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(LANDLOCK_CREATE_RULESET, None, 0, VERSION)))
