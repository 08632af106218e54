"""The promises that this machine can keep about submissions, and the walls around them.

Called by `cli`, `pool`, `cluster`, `workers`, `platforms` and the commands `doctor` and `prove`. It
tries once which locks work here, and builds the bubblewrap command; the locks themselves are in
`kata.inside.locks`. It imports no torch, and runs no submission.
"""

import marshal
import os
import select
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from itertools import product
from pathlib import Path

from kata.inside import locks
from kata.text import clean

BUBBLEWRAP = "bubblewrap"
OF_ROOT = "root's"  # walls that root builds without a user namespace, in which it could be nobody
KEPT_BY = {  # by promise, the locks of which a single one is enough
    "read": {locks.LANDLOCK, BUBBLEWRAP},
    "change": {locks.SECCOMP, BUBBLEWRAP},
    "network": {locks.SECCOMP, BUBBLEWRAP},
    "processes": {locks.SECCOMP},
    "memory": {locks.LIMITS},
}
PROMISES = {
    "read": "a submission cannot read your files",
    "change": "a submission cannot change your files",
    "network": "a submission cannot reach the network",
    "processes": "a submission cannot start programs or harm other processes",
    "memory": "a submission cannot use more memory or threads than it is given",
}
LOCKS = (locks.LIMITS, locks.LANDLOCK, locks.SECCOMP, BUBBLEWRAP)
PATIENCE = 60  # seconds for a Python without libraries to start

NAMESPACES = ["--unshare-all"]
WITHOUT_USERS = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
                 "--unshare-cgroup-try"]  # fmt: skip
BECOMING = [
    word for right in ("SETUID", "SETGID", "KILL") for word in ("--cap-add", f"CAP_{right}")
]
ENDING = ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
PLACES = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/"]
# The system's libraries, and no other folder of /usr: a class may lie beneath it.
SYSTEM = [Path(root, name) for root in ("/usr", "/") for name in ("lib", "lib32", "lib64")]
PACKAGE = Path(locks.__file__).parents[1]  # `kata`, which may lie among the libraries
LOADER = Path("/etc/ld.so.conf")  # with its folder, it names those that were added
# Where libraries lie; whether memory in large pages is available.
SYSTEM_FILES = ["/etc/ld.so.cache", "/etc/alternatives", "/sys/kernel/mm/transparent_hugepage"]
SEATS = 8  # processes to a core, before one core has to do for more
PACKAGES = ("site-packages", "dist-packages")
RUN_CODE = "import marshal, sys; exec(marshal.load(sys.stdin.buffer))"
# Without these, Python or its libraries may not start.
KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "TEMP") if os.name == "nt" else ("LD_LIBRARY_PATH",)
_layers: list[tuple[str, ...]] = []  # the locks that work here, once they were tried


def parts() -> list[str]:
    """List the locks that work here; empty on a system that has none."""
    version = locks.landlock_version()
    names = {locks.LANDLOCK: f"{locks.LANDLOCK} {version}"}
    return [names.get(part, part) for part in LOCKS if part in layers()]


def promises() -> dict[str, bool]:
    """Return all promises, and whether this machine can keep them."""
    names = _promises_kept(layers())
    return {name: name in names for name in KEPT_BY}


def missing() -> list[str]:
    """List the promises that cannot be kept here, as sentences."""
    return [PROMISES[name] for name, is_kept in promises().items() if not is_kept]


def unavailable() -> list[str]:
    """List what Python lacks here to run submissions at all, with locks or without."""
    return [name for name, is_there in _needed().items() if not is_there]


def no_promise(promise: str) -> str:
    """Say that this machine cannot keep a promise."""
    return f"this machine cannot promise that {promise}"


def no_bubblewrap() -> str:
    """Say why bubblewrap cannot be used here; empty if it can, or if this is not Linux."""
    if sys.platform != "linux" or BUBBLEWRAP in layers():
        return ""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed; with it, submissions cannot even see your files"
    complaints = _report((BUBBLEWRAP,))[1] or ["?"]
    return f"bubblewrap does not work here: {clean(complaints[-1])}"


def layers() -> tuple[str, ...]:
    """Return the locks that work here, bubblewrap included; they are tried once."""
    if not _layers:
        remember(_tried())
    return _layers[0]


def remember(layers: Iterable[str]) -> None:
    """Spare this process the trial: they work in another one of this machine and user."""
    _layers[:] = [tuple(layers)]


def confined(command: list[str], readable: Sequence[Path]) -> list[str]:
    """Wrap a command in bubblewrap, where only Python and the readable paths exist.

    Where bubblewrap does not work, the command unchanged; give it `environment()` either way. It is
    killed when the thread that starts it ends. Open descriptors can be inherited.
    """
    walls = _walls(readable, layers(), environment()) if BUBBLEWRAP in layers() else []
    return [*walls, *command]


def environment() -> dict[str, str]:
    """Return all variables of a process that runs submissions: none of yours."""
    core = _core(os.getpid()) if sys.platform == "linux" else ""
    return {**_variables(), locks.CORE: core}


def _variables() -> dict[str, str]:
    packages = [folder for folder in sys.path if Path(folder).name in PACKAGES]
    return {
        **{name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ},
        "HOME": os.sep,
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(packages),
        "TORCHINDUCTOR_CACHE_DIR": os.sep,  # torch would create one, which is not possible there
        # More would wait for one core; and where one cannot be started, OpenMP ends the process.
        "OMP_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",
        # With memory in large pages, forking and killing take a seventh of the time.
        "PYTHONMALLOC": "malloc",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    }


@cache
def _core(process: int) -> str:
    """Return the core for all workers of this process: one that no other process has taken.

    It is taken by a name, which exists until the process ends.
    """
    cores = sorted(os.sched_getaffinity(process))
    for seat, core in product(range(SEATS), cores):
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with suppress(OSError):
            name.bind(f"\0kata-core-{core}-{seat}")
            name.detach()  # it stays open
            return str(core)
        name.close()
    return str(cores[process % len(cores)])


def python_folders() -> list[Path]:
    """List the folders where Python and its packages are installed."""
    base = Path(sys.base_prefix)
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {
        *(Path(sysconfig.get_path(name)) for name in names), base / "lib", base / "lib64",
        *(folder for folder in map(Path, sys.path) if folder.name in PACKAGES),
    }  # fmt: skip
    return _outermost(filter(Path.is_dir, folders))


def _promises_kept(layers: Iterable[str]) -> set[str]:
    return {name for name, enough in KEPT_BY.items() if enough & set(layers)}


def _needed() -> dict[str, bool]:
    """Return what starting and stopping processes needs, and whether it is there."""
    return {
        "os.fork": hasattr(os, "fork"),
        "select.poll": hasattr(select, "poll"),
        "socket.send_fds": hasattr(socket, "send_fds") and hasattr(socket.socket, "sendmsg"),
        "socket.SOCK_SEQPACKET": _pairs(),
        "subprocess.Popen(pass_fds=…)": find_spec("_posixsubprocess") is not None,
    }


def _pairs() -> bool:
    """Return whether two sockets can be connected that keep messages apart."""
    try:
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    except (AttributeError, OSError, ValueError):
        return False
    for end in pair:
        end.close()
    return True


def _tried() -> tuple[str, ...]:
    """Try walls until all promises are kept, and return the locks that keep the most."""
    best: tuple[str, ...] = ()
    for walls in _walls_to_try() if sys.platform == "linux" else ():
        parts = _report(walls)[0]
        names = (*parts, *walls) if parts else ()
        if len(_promises_kept(names)) > len(_promises_kept(best)):
            best = names
        if len(_promises_kept(best)) == len(KEPT_BY):
            break
    return best


def _walls_to_try() -> Iterator[tuple[str, ...]]:
    """Yield the walls to try, the better ones first."""
    if shutil.which("bwrap"):
        if os.geteuid() == 0:
            yield BUBBLEWRAP, OF_ROOT
        yield (BUBBLEWRAP,)
    yield ()


@cache
def _report(walls: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Return the locks that a process behind these walls reports, and its lines on stderr."""
    command = [sys.executable, "-I", "-S", "-B", "-c", RUN_CODE, *map(str, python_folders())]
    variables = _variables()
    if walls:
        command = [*_walls([], walls, variables), *command]
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, input=_code(), env=variables, capture_output=True,
                              timeout=PATIENCE, check=False)  # fmt: skip
        parts = done.stdout.decode("utf-8", "replace").split()
        return tuple(parts), done.stderr.decode("utf-8", "replace").splitlines()
    return (), []


def _code() -> bytes:
    """Return the locks, compiled: in most cases when the kata was installed."""
    loader = SourceFileLoader(locks.__name__, locks.__file__)  # pytest may have imported it itself
    return marshal.dumps(loader.get_code(locks.__name__))


def _walls(readable: Sequence[Path], walls: Iterable[str], variables: dict[str, str]) -> list[str]:
    """Return the first words of a command that runs inside bubblewrap."""
    becoming = BECOMING if OF_ROOT in walls else []  # a worker becomes another user, and is killed
    namespaces = WITHOUT_USERS if OF_ROOT in walls else NAMESPACES
    settings = (f"{name}={value}" for name, value in variables.items())
    folders = [*python_folders(), *_libraries(), *readable]
    paths = _outermost([*folders, *(folder.resolve() for folder in folders)])
    return [
        *("env", "-i", *settings),  # if it were cleared inside, /proc/1/environ would still show it
        *(shutil.which("bwrap") or "bwrap", *namespaces, *ENDING, *becoming, *_system(), *PLACES),
        *(word for path in paths if not _within(path, SYSTEM) for word in _reach(path)),
        *_interpreter([*SYSTEM, *paths]),
        *(_hidden(readable) if _within(PACKAGE, [*SYSTEM, *paths]) else ()),
    ]


def _system() -> Iterator[str]:
    """Show the system's libraries; on most systems, /lib is a link into /usr."""
    for folder in SYSTEM:
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.exists():
            yield from _reach(folder)
    for path in (*map(Path, SYSTEM_FILES), *_added()):
        yield from (*_folders_to(path), "--ro-bind-try", str(path), str(path))


def _added() -> Iterator[Path]:
    """List single libraries of other folders: /usr/local/lib may hold more than libraries."""
    for file in (LOADER, *LOADER.with_suffix(".conf.d").glob("*.conf")):
        with suppress(OSError):
            for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
                folder = Path(line.strip())
                if folder.is_absolute() and not _within(folder, SYSTEM):
                    yield from sorted(folder.glob("*.so*"))


def _interpreter(paths: list[Path]) -> Iterator[str]:
    """Show Python itself and the links to it, by which it finds its libraries."""
    path = Path(sys.executable)
    while path.is_symlink():
        target = path.readlink()
        if not _within(path, paths):
            yield from ("--symlink", str(target), str(path))
        path = Path(os.path.normpath(path.parent / target))
    for file in _outermost([path, path.resolve(), Path(sys.prefix, "pyvenv.cfg")]):
        if file.exists() and not _within(file, paths):
            yield from _show(file)


def _libraries() -> set[Path]:
    """Return the folders of the libraries that this Python has loaded."""
    added = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
    lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    loaded = {line.split(maxsplit=5)[5] for line in lines if ".so" in line}
    folders = {*map(Path, added), *(Path(path).parent for path in loaded)}
    return {folder for folder in folders if folder.is_dir()}


def _hidden(readable: Sequence[Path]) -> Iterator[str]:
    """Hide a kata that lies among the libraries, except for these paths: no solutions."""
    yield from ("--perms", "0755", "--tmpfs", str(PACKAGE))
    yield from (word for path in readable for word in _show(path))


def _reach(path: Path) -> list[str]:
    return [*_folders_to(path), *_show(path)]


def _folders_to(path: Path) -> list[str]:
    """Make folders that everybody may enter; into bubblewrap's own, only their owner may."""
    folders = reversed(path.parents[:-1])
    return [word for folder in folders for word in ("--dir", str(folder))]


def _show(path: Path) -> tuple[str, str, str]:
    return "--ro-bind", str(path), str(path)


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Leave out the paths that are inside another one."""
    outermost: list[Path] = []
    for path in sorted(set(paths)):
        if not _within(path, outermost):
            outermost.append(path)
    return outermost


def _within(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
