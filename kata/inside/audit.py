"""Actions of a submission that no exercise asks for, as Python's audit hooks report them.

Nothing is stopped here: that is what the locks are for. Malicious code can avoid leaving a trace,
but most does leave one, and the instructor sees it. `worker` installs the hook, and `session` sends
what it noticed, of which the judge trusts no word.
"""

import re
import sys
from pathlib import PosixPath, WindowsPath
from typing import Any

MOST, MOST_IN_A_FOLDER = 15, 3  # different ones are reported
# Of the events in Python's audit table, those that no honest answer causes.
FOREIGN = (
    *("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"),
    *("subprocess.Popen", "pty.spawn", "os.kill", "os.killpg", "signal.pthread_kill"),
    *("socket.connect", "socket.bind", "socket.getaddrinfo", "urllib.Request"),
    *("os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
    *("os.chown", "shutil.rmtree", "shutil.move", "gc.get_objects", "gc.get_referrers"),
    *("ctypes.dlopen", "ctypes.dlsym", "sys._current_frames", "sys.settrace", "sys.setprofile"),
    *("resource.setrlimit", "resource.prlimit"),
)
# Reading files is suspicious, except for the imports of Python itself.
FILES = ("open", "os.listdir", "os.scandir")
LONGEST, MOST_ITEMS = 40, 2  # characters of an argument, and elements of a list
CUT = "…"
QUOTED = rf"b?(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"){CUT}?"
PLAIN = rf"(?:{QUOTED}|-?\d+|None|{CUT})"
ARGUMENT = rf"(?:{PLAIN}|\[(?:{PLAIN}(?:, |(?=\])))*\])"
EVENT = re.compile(
    rf"({'|'.join(map(re.escape, (*FOREIGN, *FILES)))})\((?:{ARGUMENT}(?:, {ARGUMENT})?)?\)"
)
LONGEST_EVENT = 200
_events: list[str] = []


def watch(own: tuple[str, ...], but: str) -> None:
    """Record from now on, until the process ends: an audit hook cannot be removed.

    Args:
        own: where Python and its packages are installed.
        but: a folder in there that is none of a submission's business.
    """
    foreign, files, events = frozenset(FOREIGN), frozenset(FILES), _events
    folders: dict[tuple[str, str], int] = {}

    def is_foreign(path: str) -> bool:
        return path.startswith(but) or not path.startswith(own)

    def hook(name: str, args: tuple[Any, ...]) -> None:
        if name in foreign or (name in files and is_foreign(str(args[0]))):
            event = f"{name}({', '.join(map(_brief, args[:2]))})"
            if event in events or len(events) >= MOST:
                return
            # A library may try one name after the other.
            place = name, event.rpartition("/")[0]
            folders[place] = folders.get(place, 0) + 1
            if name not in files or folders[place] <= MOST_IN_A_FOLDER:
                events.append(event)

    sys.addaudithook(hook)


def events() -> list[str]:
    """Return what has been recorded so far."""
    return list(_events)


def _brief(value: Any) -> str:
    """Quoted and cut; of other objects nothing, not even the name of their class."""
    if type(value) in (PosixPath, WindowsPath):
        value = str(value)
    if type(value) in (list, tuple):
        return f"[{', '.join(map(_plain, value[:MOST_ITEMS]))}]"
    return _plain(value)


def _plain(value: Any) -> str:
    if type(value) in (str, bytes):
        return repr(value[:LONGEST]) + CUT * (len(value) > LONGEST)
    small = type(value) is int and value.bit_length() < 64
    return repr(value) if small or value is None else CUT


def redact(event: str) -> str:
    """Return what a process reports if it is one of these events with such arguments.

    A submission can make its process report anything: no words of its own are repeated.
    """
    if event.isprintable() and len(event) <= LONGEST_EVENT and EVENT.fullmatch(event):
        return event
    return "something that its process does not name"
