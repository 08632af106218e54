"""What a submission tries that no exercise asks for, as Python's audit hooks report it.

It stops nothing: that is what the locks are for. Malicious code can avoid leaving a trace here, but
most does leave one, and the instructor is shown it.
"""

import sys
from typing import Any

MOST = 5  # different ones are reported
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
_seen: list[str] = []


def watch(own: tuple[str, ...]) -> None:
    """Record from now on, until the process ends: an audit hook cannot be removed.

    Args:
        own: where Python and its packages are installed.
    """
    foreign, files, seen = frozenset(FOREIGN), frozenset(FILES), _seen

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in foreign or (event in files and not str(args[0]).startswith(own)):
            told = f"{event}({', '.join(map(_brief, args[:2]))})"
            if told not in seen and len(seen) < MOST:
                seen.append(told)

    sys.addaudithook(hook)


def _brief(value: object) -> str:
    """Without the addresses of objects, which differ from run to run."""
    plain = isinstance(value, (str, bytes, int, list, tuple, type(None)))
    return repr(value)[:60] if plain else type(value).__name__


def seen() -> list[str]:
    """What has been recorded so far."""
    return list(_seen)
