"""What this machine can promise about submissions that are graded, and the walls around them."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from kata.inside import locks
from kata.words import say

BUBBLEWRAP = "bubblewrap"
KEPT_BY = {  # each promise, and the locks of which one is enough
    "read": {locks.LANDLOCK, BUBBLEWRAP},
    "change": {locks.SECCOMP, BUBBLEWRAP},
    "network": {locks.SECCOMP, BUBBLEWRAP},
    "processes": {locks.SECCOMP},
    "memory": {locks.LIMITS},
}
SHOWN = (locks.LIMITS, locks.LANDLOCK, locks.SECCOMP, BUBBLEWRAP)
PATIENCE = 60  # seconds for a Python without libraries to start

NAMESPACES = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
PLACES = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/"]
SYSTEM = [Path(each) for each in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")]
# How libraries are found; whether memory in large pages is available.
LOADER = ["/etc/ld.so.cache", "/etc/alternatives", "/sys/kernel/mm/transparent_hugepage"]
PACKAGES = ("site-packages", "dist-packages")
# Without these, Python or its libraries may not start.
TOLD = ("PATH", "SYSTEMROOT", "TEMP") if os.name == "nt" else ("LD_LIBRARY_PATH",)


def parts() -> list[str]:
    """The names of the locks that work here; empty on a system that has none."""
    version = locks.landlock_version()
    names = {locks.LANDLOCK: f"{locks.LANDLOCK} {version}"}
    return [names.get(part, part) for part in SHOWN if part in _found()]


def promises() -> dict[str, bool]:
    """Whether this machine can keep each promise."""
    found = set(_found())
    return {name: bool(enough & found) for name, enough in KEPT_BY.items()}


def held() -> list[str]:
    """The locks that a process of the grader puts on here."""
    return [each for each in _found() if each != BUBBLEWRAP]


def missing() -> list[str]:
    """The promises that cannot be kept here, as sentences."""
    return [say(f"sandbox.{name}") for name, kept in promises().items() if not kept]


def no_bubblewrap() -> str:
    """Why bubblewrap cannot be used here; empty if it can, or if this is not Linux."""
    if sys.platform != "linux" or BUBBLEWRAP in _found():
        return ""
    if not shutil.which("bwrap"):
        return say("sandbox.no-bubblewrap")
    return say("sandbox.bubblewrap-refused", reason=(_asked(walled=True)[1] or ["?"])[-1])


def confined(command: list[str], readable: Sequence[Path]) -> list[str]:
    """The same command inside bubblewrap, where only Python and the readable paths exist.

    Where bubblewrap does not work, the command unchanged; give it `environment()` either way. It is
    killed when the thread that starts it ends. Open descriptors can be inherited.
    """
    return [*_walls(readable), *command] if BUBBLEWRAP in _found() else command


def environment() -> dict[str, str]:
    """All variables of a process that runs submissions: none of yours."""
    packages = [each for each in sys.path if Path(each).name in PACKAGES]
    return {
        **{name: os.environ[name] for name in TOLD if name in os.environ},
        "HOME": os.sep,
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(packages),
        "TORCHINDUCTOR_CACHE_DIR": os.sep,  # torch would create one, which is not possible there
        # With memory in large pages, forking and killing take a seventh of the time.
        "PYTHONMALLOC": "malloc",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    }


def python_folders() -> list[Path]:
    """Where Python and its packages are installed."""
    base = Path(sys.base_prefix)
    found = {
        Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    }
    found |= {Path(each) for each in sys.path if Path(each).name in PACKAGES}
    return _outermost(each for each in (*found, base / "lib", base / "lib64") if each.is_dir())


@cache
def _found() -> tuple[str, ...]:
    """The locks that work here, inside bubblewrap if that works too."""
    if sys.platform != "linux":
        return ()
    if shutil.which("bwrap") and (held := _asked(walled=True)[0]):
        return (*held, BUBBLEWRAP)
    return _asked(walled=False)[0]


@cache
def _asked(*, walled: bool) -> tuple[tuple[str, ...], list[str]]:
    """The locks that such a process reports, and its lines on stderr."""
    script = Path(locks.__file__)
    command = [sys.executable, "-I", "-S", "-B", str(script), *map(str, python_folders())]
    if walled:
        command = [*_walls([script]), *command]
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, env=environment(), capture_output=True, text=True,
                              timeout=PATIENCE, check=False)  # fmt: skip
        return tuple(done.stdout.split()), done.stderr.splitlines()
    return (), []


def _walls(readable: Sequence[Path]) -> list[str]:
    """The first words of a command that runs inside bubblewrap."""
    told = (f"{name}={value}" for name, value in environment().items())
    folders = [*python_folders(), *_libraries(), *readable]
    shown = _outermost([*folders, *(each.resolve() for each in folders)])
    return [
        *("env", "-i", *told),  # if it were cleared inside, /proc/1/environ would still show it
        *(shutil.which("bwrap") or "bwrap", *NAMESPACES, *_system(), *PLACES),
        *(word for each in shown if not _within(each, SYSTEM) for word in _show(each)),
        *_interpreter([*SYSTEM, *shown]),
    ]


def _system() -> Iterator[str]:
    """The system's libraries; on most systems, /lib is a link into /usr."""
    for each in SYSTEM:
        if each.is_symlink():
            yield from ("--symlink", str(each.readlink()), str(each))
        elif each.exists():
            yield from _show(each)
    for name in LOADER:
        yield from ("--ro-bind-try", name, name)


def _interpreter(there: list[Path]) -> Iterator[str]:
    """Python itself and the links to it, by which it finds its libraries."""
    path = Path(sys.executable)
    while path.is_symlink():
        target = path.readlink()
        if not _within(path, there):
            yield from ("--symlink", str(target), str(path))
        path = Path(os.path.normpath(path.parent / target))
    for each in _outermost([path, path.resolve(), Path(sys.prefix, "pyvenv.cfg")]):
        if each.exists() and not _within(each, there):
            yield from _show(each)


def _libraries() -> set[Path]:
    """The folders of the libraries that this Python has loaded."""
    found = {Path(each) for each in os.environ.get("LD_LIBRARY_PATH", "").split(":") if each}
    lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    loaded = {line.split(maxsplit=5)[5] for line in lines if ".so" in line}
    return {each for each in (*found, *(Path(path).parent for path in loaded)) if each.is_dir()}


def _show(path: Path) -> tuple[str, str, str]:
    """Show it at the same path."""
    return "--ro-bind", str(path), str(path)


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Without those that are inside another one."""
    found: list[Path] = []
    for each in sorted(set(paths)):
        if not _within(each, found):
            found.append(each)
    return found


def _within(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(each) for each in folders)
