"""What a process did that no exercise asks for, and whether that may well be an accident."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

TOLD = re.compile(r"([\w.]+)\((?:b?(['\"])(.*?)\2…?)?(?:, '?(\w+)'?)?")
CLEARING = {"cls", "clear"}
# Files that nobody opens by accident: the system's, and what has such a name.
SYSTEM = ("/etc", "/proc", "/sys", "/root", "/dev", "/boot", "/run", "/usr", "/var", "/lib")
TEMPORARY = ("/tmp/", "/var/tmp/", "/usr/tmp/")
FOREIGN = re.compile(
    r"solution|graded|grader|\bbugs\b|\bgrades\b|submission|passw|secret|shadow|credential"
    r"|autograder|(^|/)results/|(^|/)\.(?!\.?/)",
    re.IGNORECASE,
)
OF_PLOTS = re.compile(r"font|matplotlib|mpl|fc-list", re.IGNORECASE)
OF_DEBUGGERS = re.compile(r"(^|/)\.(pdbrc|inputrc|ipython|jupyter|local)")
WRITING = re.compile(r"[wax+]")
LISTING = {"os.listdir", "os.scandir"}
CHANGING = {"os.remove", "os.rename", "os.rmdir"}
OF_FILES = {"open", *LISTING, *CHANGING}
OF_PLOTTING = {*OF_FILES, "subprocess.Popen"}


@dataclass(frozen=True)
class Event:
    """What was noticed, in parts: `open('notes.txt', 'r')`."""

    name: str
    path: str
    mode: str


def event(told: str) -> Event:
    """Read what a worker reports; what it says in words of its own has no name."""
    parts = TOLD.match(told)
    return Event(parts[1], parts[3] or "", parts[4] or "") if parts else Event("", "", "")


def of_a_debugger(found: Event) -> bool:
    """What a debugger does by itself when it is started."""
    opens = found.name in {"open", *LISTING} and OF_DEBUGGERS.search(found.path)
    return found.name == "sys.settrace" or bool(opens)


def of_a_plot(found: Event) -> bool:
    """What a library for plots does by itself: it looks for fonts and settings."""
    return found.name in OF_PLOTTING and bool(OF_PLOTS.search(found.path))


def of_a_screen(found: Event) -> bool:
    """Clearing the screen."""
    return found.name == "os.system" and found.path in CLEARING


def of_a_file(found: Event) -> bool:
    """Reading or writing a file of one's own, as far as its name says."""
    return found.name in OF_FILES and not FOREIGN.search(found.path) and _is_own(found)


def _is_own(found: Event) -> bool:
    path = PurePosixPath(found.path)
    elsewhere = ".." in path.parts and not WRITING.search(found.mode)
    deeper = path.is_absolute() and found.name in LISTING | CHANGING
    refused = elsewhere or deeper or found.path.startswith(SYSTEM)
    return found.path.startswith(TEMPORARY) or bool(found.path and not refused)


Kind = Callable[[Event], bool]
