"""Forks processes that lock themselves in and then attempt things. A script, also for bubblewrap.

It prints the outcome of each attempt as JSON: "done", or the name of the error. `--torch` as the
first word adds what needs torch, which takes seconds.
"""

import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from kata.inside import locks as under_test  # noqa: E402  # the path comes first
from kata.inside.locks import LANDLOCK, PARTS, REFUSED, SECCOMP, WEIGHED, Locks, numbers  # noqa: E402

WITH_TORCH = sys.argv[1:2] == ["--torch"]
if WITH_TORCH:
    import torch

MEMORY = 1 << 30
MANY = 400  # threads: more than are allowed
CROWDED = 1_899_999_999  # the number of a user
READABLE = ["/usr/lib"]  # a folder that every user may read
LIBC = ctypes.CDLL(None, use_errno=True)
MACHINE = under_test.MACHINES.get(os.uname().machine, (0, 0))[1]
NUMBERS = {name: number for table in (*REFUSED.values(), WEIGHED)
           for name, number in numbers(table, MACHINE).items()}  # fmt: skip
Attempt = Callable[[], object]


def call(name: str, *arguments: int | bytes | None) -> int:
    """A system call by its name."""
    wide = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    result = int(LIBC.syscall(NUMBERS[name], *wide))
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def own_fork() -> None:
    """Without the C library."""
    if call("clone", signal.SIGCHLD, 0, 0, 0, 0) == 0:
        os._exit(0)


def signal_through_a_pipe(who: int) -> None:
    """Ask the kernel to send a signal when the pipe becomes readable."""
    there, _ = os.pipe()
    fcntl.fcntl(there, fcntl.F_SETOWN, who)


def raise_limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def raise_limit_of(who: int) -> None:
    resource.prlimit(who, resource.RLIMIT_NOFILE, (5, 5))


def raise_limit_of_threads() -> None:
    resource.setrlimit(resource.RLIMIT_NPROC, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def rights_again() -> None:
    everything = under_test.struct.pack("6I", 0xFFFFFFFF, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    if LIBC.capset(under_test.CAPABILITIES, everything):
        raise OSError(ctypes.get_errno(), "capset")


def in_real_time() -> None:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def user_namespace() -> None:
    """In which it would be root."""
    if call("clone", 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        os._exit(0)


def many_files() -> None:
    for _ in range(100):
        os.pipe()


def big_tensor() -> None:
    torch.ones(1 << 30)


def attempts(own: Path) -> dict[str, Attempt]:
    """What must fail; `own` is a file that is readable and belongs to the same user."""
    parent, file = os.getppid(), os.fspath(own)
    memory = ctypes.create_string_buffer(64)
    here = ctypes.addressof(memory)
    piece = ctypes.create_string_buffer(here.to_bytes(8, "little") + (8).to_bytes(8, "little"))
    vector = ctypes.addressof(piece)
    return {
        "read /etc/passwd": Path("/etc/passwd").read_text,
        "read a solution": (ROOT / "solutions" / "ex01_softmax.py").read_text,
        "list /": lambda: list(Path("/").iterdir()),
        "list the repository": lambda: list(ROOT.iterdir()),
        "read its own memory as a file": lambda: Path("/proc/self/maps").read_text(),
        "write to /tmp": lambda: Path("/tmp/kata-was-here").write_text("x"),
        "write to its folder": lambda: Path("kata-was-here").write_text("x"),
        "write to a readable file": lambda: own.open("r+").close(),
        "make a readable file": lambda: own.with_name("new").touch(),
        "empty a readable file by opening it": lambda: os.open(own, os.O_RDONLY | os.O_TRUNC),
        "truncate a readable file": lambda: os.truncate(own, 0),
        "chmod": lambda: own.chmod(0o777),
        "chown": lambda: os.chown(own, os.getuid(), os.getgid()),
        "change the time of a file": lambda: os.utime(own),
        "label a file": lambda: os.setxattr(own, "user.kata", b"x"),
        "rename": lambda: own.rename(own.with_name("other")),
        "unlink": own.unlink,
        "symlink": lambda: own.with_name("link").symlink_to(own),
        "watch a file": lambda: call("inotify_init1", 0),
        "lease a file": lambda: fcntl.fcntl(os.open(file, 0), fcntl.F_SETLEASE, fcntl.F_RDLCK),
        "socket": socket.socket,
        "socket of unix": lambda: socket.socket(socket.AF_UNIX),
        "socketpair": socket.socketpair,
        "connect": lambda: call("connect", 0, bytes(16), 16),
        "connect with TCP": lambda: socket.create_connection(("127.0.0.1", 9), 2),
        "subprocess": lambda: subprocess.run(["/bin/true"], check=True),
        "exec": lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "fork": fork,
        "fork without the C library": own_fork,
        "kill the parent": lambda: os.kill(parent, 0),
        "kill everybody": lambda: os.kill(-1, 0),
        "signal the parent through a pipe": lambda: signal_through_a_pipe(parent),
        "trace the parent": lambda: call("ptrace", 16, parent, 0, 0),
        "read the parent": lambda: call("process_vm_readv", parent, vector, 1, vector, 1, 0),
        "open the parent's memory": lambda: os.open(f"/proc/{parent}/mem", os.O_RDONLY),
        "read the parent's environment": lambda: Path(f"/proc/{parent}/environ").read_bytes(),
        "slow the parent down": lambda: os.setpriority(os.PRIO_PROCESS, parent, 19),
        "limit the parent": lambda: raise_limit_of(parent),
        "outlive the parent": lambda: call("prctl", 1, 0, 0, 0, 0),
        "memory as a file": lambda: call("memfd_create", b"x", 0),
        "shared memory": lambda: call("shmget", 0, 4096, 0o1600),
        "type into the terminal": lambda: fcntl.ioctl(0, 0x5412, b"x"),
        "namespace": lambda: call("unshare", 0x10000000),
        "raise a limit": raise_limit,
        "raise the limit of threads": raise_limit_of_threads,
        "be less nice": lambda: os.nice(-1),
        "be less nice as a group": lambda: os.setpriority(os.PRIO_PGRP, 0, 0),
        "slow down its neighbours": lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
        "move to another core": lambda: os.sched_setaffinity(0, range(1024)),
        "move the parent to this core": lambda: os.sched_setaffinity(parent, {0}),
        "be real-time": in_real_time,
        "a share of its own": lambda: Path("/proc/self/autogroup").write_text("-20"),
        "survive when memory runs out": lambda: Path("/proc/self/oom_score_adj").write_text("-9"),
        "another group of processes": lambda: Path("/sys/fs/cgroup/cgroup.procs").write_text("0"),
        "a user namespace": user_namespace,
        "be root again": lambda: os.setuid(0),
        "be a neighbour": lambda: os.setresuid(CROWDED, CROWDED, CROWDED),
        "have rights again": rights_again,
        "signal its group": lambda: os.killpg(0, signal.SIGCONT),
        "signal its session": lambda: os.kill(-os.getsid(0), signal.SIGCONT),
        "read /usr/share": lambda: list(Path("/usr/share").iterdir()),
        "list the processes": lambda: list(Path("/proc").iterdir()),
        "read the first process": lambda: Path("/proc/1/status").read_text(),
        "open many files": many_files,
        "bytearray of 3 GiB": lambda: bytearray(3 << 30),
        **({"tensor of 4 GiB": big_tensor} if WITH_TORCH else {}),
    }  # fmt: skip


def thread() -> None:
    done: list[int] = []
    each = threading.Thread(target=lambda: done.append(1))
    each.start()
    each.join(10)
    assert done


def matmul() -> None:
    torch.randn(100, 100) @ torch.randn(100, 100)


def softmax() -> None:
    torch.randn(4, 6).softmax(-1)


def attention() -> None:
    torch.nn.functional.scaled_dot_product_attention(*torch.randn(3, 1, 2, 5, 8))


def training() -> None:
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    optimizer = torch.optim.AdamW(layer.parameters())
    layer(torch.randn(2, 5, 8)).sum().backward()
    optimizer.step()


def multi_head_attention() -> None:
    x = torch.randn(2, 5, 8, requires_grad=True)
    torch.nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)[0].sum().backward()


def more_threads() -> None:
    torch.set_num_threads(64)
    torch.randn(1000, 1000) @ torch.randn(1000, 1000)


def linear_algebra() -> None:
    draw = np.random.default_rng()
    np.linalg.svd(np.linalg.inv(draw.normal(size=(30, 30))) @ np.eye(30))


def late_imports() -> None:
    late = ("wave", "_decimal", "numpy.polynomial")  # the second one is a C extension
    assert not sys.modules.keys() & late
    for each in late:
        import_module(each)


def error_with_its_source() -> None:
    try:
        torch.nn.Linear(2, 3)(torch.ones(4))
    except RuntimeError:
        assert "return F.linear(" in traceback.format_exc()


def own_limits() -> None:
    for each in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        assert resource.getrlimit(each) == (0, 0)


def capabilities() -> str:
    sets = ctypes.create_string_buffer(24)
    LIBC.capget(under_test.CAPABILITIES, sets)
    return sets.raw.hex()


def own_rights() -> None:
    """The process can read at most, and other processes cannot read its memory."""
    assert capabilities() in (under_test.NO_RIGHTS.hex(), under_test.READING.hex())
    assert LIBC.prctl(3, 0, 0, 0, 0) == 0  # PR_GET_DUMPABLE


def sees_no_terminal() -> None:
    assert not os.isatty(0)


def abilities(own: Path) -> dict[str, Attempt]:
    """What must still work; training imports half of torch."""
    of_torch = (matmul, softmax, attention, training, multi_head_attention, more_threads,
                error_with_its_source)  # fmt: skip
    found = {each.__name__: each for each in (
        late_imports, thread, linear_algebra, own_limits, own_rights, sees_no_terminal,
        *(of_torch if WITH_TORCH else ()),
    )}  # fmt: skip
    return {**found, "read a readable file": own.read_text, "200 MB": lambda: bytearray(200 << 20)}


def outcome(attempt: Attempt) -> str:
    """The outcome of an attempt."""
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, type(error).__name__)
    except BaseException as error:  # any error is reported
        return type(error).__name__
    return "done"


def every_call() -> dict[str, str]:
    """All system calls that are always refused, with meaningless arguments."""
    return {name: outcome(lambda name=name: call(name, *[-1] * 6))  # type: ignore[misc]
            for table in REFUSED.values() for name in numbers(table, MACHINE)}  # fmt: skip


def child(work: Callable[[socket.socket], object], locks: Locks, seconds: int) -> tuple[int, str]:
    """The exit status and the output of a locked process, which says hello first."""
    ours, theirs = socket.socketpair()
    process = os.fork()
    if process == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for each in range(3):
            os.dup2(nothing, each)
        try:
            locks.enter(seconds, [0, 1, 2, theirs.fileno()])
            theirs.sendall(theirs.recv(5) + json.dumps(work(theirs)).encode())
        except BaseException as error:
            theirs.sendall(b"error" + json.dumps(str(error)).encode())
        os._exit(0)
    theirs.close()
    ours.sendall(b"hello")
    with ours.makefile("rb") as stream:
        said = stream.read()
    return os.waitpid(process, 0)[1], said.decode()


def told(work: Callable[[], object], locks: Locks, seconds: int = 20) -> object:
    """What a function returns in a locked process."""
    status, said = child(lambda _: work(), locks, seconds)
    return json.loads(said.removeprefix("hello")) if said else f"status {status}"


def without(locks: Locks, *parts: str) -> Locks:
    """The same locks, as on a machine that lacks some of them."""
    less = Locks.__new__(Locks)
    vars(less).update(vars(locks))
    less.parts = tuple(each for each in locks.parts if each not in parts)
    return less


def descriptors() -> list[int]:
    """The open file descriptors."""
    return [each for each in range(256) if outcome(lambda each=each: os.fstat(each)) == "done"]  # type: ignore[misc]


def burn() -> None:
    while time.process_time() < 5:
        pass


def enter_with_a_thread(locks: Locks) -> str:
    """Enter while another thread runs, which Landlock would not restrict."""

    def work() -> None:
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        locks.enter(5, [0, 1, 2])

    if process := os.fork():
        return f"status {os.waitpid(process, 0)[1]}"
    os._exit(0 if outcome(work) == "done" else 1)


def threads() -> int:
    """How many threads can be started."""
    threading.stack_size(1 << 16)
    for started in range(MANY):
        try:
            threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        except RuntimeError:
            return started
    return MANY


def tiny_threads() -> int:
    """How many threads the C library starts, when each takes next to no memory."""
    attributes, thread = ctypes.create_string_buffer(64), ctypes.c_ulong()
    LIBC.pthread_attr_init(attributes)
    LIBC.pthread_attr_setstacksize(attributes, ctypes.c_size_t(16384))
    pause = ctypes.cast(LIBC.pause, ctypes.c_void_p)
    for started in range(MANY):
        if LIBC.pthread_create(ctypes.byref(thread), attributes, pause, None):
            return started
    return MANY


def shares() -> list[object]:
    """The cores of this process, and of threads that want more."""
    seen: list[object] = []

    def look() -> None:
        outcome(lambda: os.sched_setaffinity(0, range(1024)))
        seen.append(sorted(os.sched_getaffinity(0)))

    look()
    for _ in range(2):
        each = threading.Thread(target=look)
        each.start()
        each.join()
    return seen


def on_the_next_core(locks: Locks) -> Locks:
    """The same locks, as the next judge has them."""
    others = without(locks)
    others.next_core()
    return others


def crowd(user: int) -> int:
    """A process of this user with many threads."""
    ready, told_ready = os.pipe()
    if process := os.fork():
        os.read(ready, 1)
        return process
    if os.getuid() != user:
        under_test._become(user)
    threads()
    os.write(told_ready, b"!")
    time.sleep(600)
    os._exit(0)


def in_a_crowd() -> list[object]:
    """As if the user ran many threads elsewhere."""
    user = os.getuid() or CROWDED
    others = crowd(user)
    found, under_test._stranger = under_test._stranger, lambda _: (user, under_test.NO_RIGHTS)
    locks = Locks(READABLE, MEMORY)
    under_test._stranger = found
    result = [locks.parts, told(threads, locks)]
    os.kill(others, signal.SIGKILL)
    return result


def aged(version: int, *readable: str) -> Locks:
    """The locks on a kernel with this version of Landlock."""
    found, under_test.landlock_version = under_test.landlock_version, lambda: version
    locks = Locks(readable, MEMORY)
    under_test.landlock_version = found
    return locks


def survivor(locks: Locks) -> int:
    """A locked process that would not exit by itself."""
    ready, told_ready = os.pipe()
    if process := os.fork():
        os.close(told_ready)
        os.read(ready, 1)
        return process
    for each in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), each)
    locks.enter(600, [told_ready])
    os.close(told_ready)
    time.sleep(600)
    os._exit(0)


def everything(own: Path, locks: Locks, old: Locks) -> dict[str, object]:
    """All outcomes, each from a process of its own."""

    def outcomes(of: Callable[[Path], dict[str, Attempt]]) -> Callable[[], object]:
        return lambda: {name: outcome(attempt) for name, attempt in of(own).items()}

    return {
        "abilities": told(outcomes(abilities), locks),
        "attempts": told(outcomes(attempts), locks),
        "a loop": told(burn, locks, seconds=1),
        "a thread": enter_with_a_thread(locks),
        "capabilities": told(capabilities, locks),
        "descriptors": told(descriptors, locks),
        "survivor": survivor(locks),
        "user": told(os.getuid, locks),
        "another user": told(os.getuid, locks),
        "threads": told(threads, locks),
        "tiny threads": told(tiny_threads, locks),
        "core": os.environ[under_test.CORE],
        "shares": told(shares, locks),
        "shares of the next": told(shares, on_the_next_core(locks)),
        "in a crowd": in_a_crowd(),
        "calls": told(every_call, locks),
        "old Landlock": told(outcomes(attempts), old),
        "seccomp alone": told(outcomes(attempts), without(locks, LANDLOCK)),
        "Landlock alone": told(outcomes(harmless), without(locks, SECCOMP)),
    }


def harmless(own: Path) -> dict[str, Attempt]:
    """Attempts that are safe without seccomp."""
    names = ("read /etc/passwd", "read a solution", "list /", "write to /tmp", "exec", "subprocess",
             "write to a readable file", "make a readable file", "kill the parent",
             "open the parent's memory", "trace the parent",
             "read /usr/share", "connect with TCP")  # fmt: skip
    return {name: attempts(own)[name] for name in names}


def main(own: str, *readable: str) -> None:
    """Print all outcomes on one line."""
    places = [*readable, str(Path(own).parent)]
    locks, old = Locks(places, MEMORY), aged(1, *places)
    if WITH_TORCH:
        torch.set_num_threads(1)
        for each in (matmul, softmax, attention):
            each()
    found = everything(Path(own), locks, old) if locks.parts == PARTS else {}
    print(json.dumps({"parts": locks.parts, **found}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1 + WITH_TORCH :])
