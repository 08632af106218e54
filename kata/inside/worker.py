"""The processes in which submissions run: forks of one that is warm.

A program of its own, which `kata.grading.workers` starts with an empty environment. It holds
nothing in memory but Python, its libraries, this folder and what lies directly in `kata/`, and is
sent the texts to execute. Every fork puts on its locks before it reads one. The judge is at the
other end of a socket.
"""

import gc
import os
import signal
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import NoReturn

if __name__ == "__main__":
    gc.disable()  # until all is imported: it would walk through torch again and again

import torch
from torch.nn import functional as F

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from kata.inside import audit, orders, session, wire  # noqa: E402  # the path comes first
from kata.inside.locks import Locks  # noqa: E402
from kata.inside.roles import Tested, Tester  # noqa: E402

# Files that Python reads by itself: its own, and those from which tracebacks quote lines.
OWN = (sys.prefix, sys.base_prefix, str(ROOT / "kata"), "submission", "<", os.devnull)
COURSE = str(ROOT / "kata" / "course")  # with the solutions, if the kata was installed
CLOSED = "it closed its connection"  # a process that runs on all the same
CPU_OF_A_PROCESS = 2  # the kind of a clock: the time that the scheduler counts for a process
PATIENCE = 100  # milliseconds for a process that has closed its socket to exit

# Whether the kata was installed, and so lies among the libraries that a submission may read.
INSTALLED = Path(torch.__file__).resolve().parents[1] == ROOT.resolve()

Scripts = Mapping[str, session.Script]


class Forker:
    """The process that starts and stops the workers of one judge, one at a time."""

    def __init__(self, control: socket.socket, locks: Locks, seconds: int) -> None:
        self._control = control
        self._locks = locks
        self._seconds = seconds
        self._scripts: dict[str, session.Script] = {}
        self._child = 0

    def run(self) -> None:
        """Obey the judge until it closes the connection."""
        while True:
            order, descriptors, *_ = socket.recv_fds(self._control, orders.SHORT, 2)
            if not order:
                break
            self._control.send(self._obey(order, descriptors) or order)
        self._stop()

    def _obey(self, order: bytes, descriptors: list[int]) -> bytes:
        """Return the answer; nothing if it is only that the order was obeyed."""
        if order == orders.START:
            self._start(*descriptors)
        elif order == orders.STOP:
            self._stop()
        elif order == orders.REASON:
            answer = _end_of(self._child)
            self._stop()
            return answer.encode()
        elif order == orders.SECONDS:
            return f"{_seconds_of(self._child)}".encode()
        elif order.startswith(orders.PROOFS):
            get_ready_for_proofs(order.removeprefix(orders.PROOFS).decode().split())
        else:
            self._learn(order.decode(), *descriptors)
        return b""

    def _learn(self, name: str, channel: int) -> None:
        """Take in a script, before a worker is forked that is to answer it."""
        with socket.socket(fileno=channel) as source:
            self._scripts[name] = session.script(wire.receive(source))
        gc.freeze()

    def _start(self, channel: int, printed: int) -> None:
        self._stop()
        self._child = os.fork()
        if self._child == 0:
            _until_the_end(partial(self._become_worker, channel, printed))
        os.close(channel)
        os.close(printed)

    def _become_worker(self, channel: int, printed: int) -> None:
        os.setsid()
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        _lock_in(partial(self._locks.enter, self._seconds, [0, 1, 2, channel]))
        work(channel, self._scripts)

    def _stop(self) -> None:
        """Kill the worker, and all that it may have started."""
        for process in {self._child, *_children()} - {0}:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            while True:
                os.wait()
        self._child = 0


class Nursery:
    """The warm process, of which the forkers of all judges are forks."""

    def __init__(self, control: socket.socket, memory: int, seconds: int) -> None:
        self._control = control
        self._locks = Locks(readable(), memory)
        self._seconds = seconds

    def run(self) -> None:
        """Start a forker for each connection that arrives, until the grader closes its own."""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # forkers that end leave nothing behind
        self._control.send(" ".join([orders.READY, *self._locks.parts]).encode())
        while True:
            order, descriptors, *_ = socket.recv_fds(self._control, orders.SHORT, 1)
            if not order:
                return
            self._fork(*descriptors)
            if order != orders.FORK_BESIDE:
                self._locks.next_core()
            self._control.send(order)

    def _fork(self, control: int) -> None:
        if os.fork() == 0:
            self._control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _until_the_end(Forker(socket.socket(fileno=control), self._locks, self._seconds).run)
        os.close(control)


def _until_the_end(work: Callable[[], object]) -> NoReturn:
    """Do this, and exit: a fork must never return to what it was forked from."""
    try:
        work()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _end_of(child: int) -> str:
    """Say how a process has ended, and wait a moment for one that is just exiting."""
    for _ in range(PATIENCE):
        with suppress(ChildProcessError):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                return f"exit {code}" if code >= 0 else signal.strsignal(-code) or f"{-code}"
        time.sleep(0.001)
    return CLOSED


def _children() -> list[int]:
    """List the children of this process, including orphans that it has adopted."""
    with suppress(OSError):
        path = Path(f"/proc/self/task/{os.getpid()}/children")
        return [*map(int, path.read_text().split())]
    return []


def _seconds_of(child: int) -> float:
    """Return the CPU time of a process, which no other process can tell by a clock of the wall."""
    try:
        return time.clock_gettime(~child << 3 | CPU_OF_A_PROCESS)
    except OSError:  # it has ended
        return 0.0


def _lock_in(enter: Callable[[], None]) -> None:
    """Put on the locks; if that fails, end as no submission can end: none is to blame."""
    try:
        enter()
    except BaseException:
        traceback.print_exc()
        os.kill(os.getpid(), signal.SIGKILL)


def work(channel: int, scripts: Scripts) -> None:
    """Answer requests, locked in or not, until the judge closes the connection or kills it."""
    sys.stdout = sys.stderr = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115  # until the process ends
    warnings.simplefilter("ignore")
    folders = [folder for folder in sys.path if folder not in {"", str(ROOT)}]
    audit.watch((*OWN, *folders), but=COURSE)
    judge, desk = socket.socket(fileno=channel), session.Session()
    with suppress(EOFError, OSError):
        while True:
            _answer(judge, desk, scripts, wire.receive(judge))


def _answer(judge: socket.socket, desk: session.Session, scripts: Scripts, message: bytes) -> None:
    """Send a frame for a request, or one for each claim of a script; or play a role in a proof."""
    for name, role in ((orders.TESTER, Tester), (orders.TESTED, Tested)):
        if message.startswith(name):
            role(judge, message.removeprefix(name)).work()
    if not message.startswith(orders.SCRIPTED):
        wire.send(judge, desk.reply(session.request(message)))
        return
    for replies in desk.replies(scripts[message.removeprefix(orders.SCRIPTED).decode()]):
        wire.send(judge, wire.frame(replies))


def readable() -> list[str]:
    """Return the paths that Python imports from, without the kata, which may hold solutions."""
    folders = [folder for folder in map(Path, sys.path) if folder.is_dir()]
    libraries = [folder for folder in folders if folder.resolve() != ROOT.resolve()]
    beside = [path for path in ROOT.iterdir() if path.name != "kata"] if INSTALLED else []
    return [*map(str, libraries), *map(str, beside)]


def forget_the_kata() -> None:
    """Import nothing more from the folder of the kata, unless other libraries lie there."""
    if not INSTALLED:
        sys.path[:] = [folder for folder in sys.path if folder != str(ROOT)]


def warm_up(modules: Sequence[str] = ()) -> None:
    """Import torch and these modules, and run once what torch initialises lazily."""
    for module in walk_packages([str(Path(__file__).parent)], "kata.inside."):
        import_module(module.name)  # a locked worker can read no file
    for name in modules:
        import_module(name)
    torch.set_num_threads(1)  # a fork would inherit the locks of further threads
    x = torch.ones(1, 2, 4, requires_grad=True)
    layer = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    F.scaled_dot_product_attention(x, x, x).sum().backward()  # type: ignore[no-untyped-call]
    layer(x, x, x)[0].sum().backward()
    layer.zero_grad()
    torch.linalg.norm(x.softmax(-1) @ x.transpose(1, 2))


def get_ready_for_proofs(modules: Sequence[str]) -> None:
    """Import what tests use, and run once what torch imports for it."""
    for name in modules:
        with suppress(ImportError):
            import_module(name)
    x = torch.ones(1, requires_grad=True)
    torch.autograd.grad(x * x, x, torch.ones(1))
    gc.freeze()


def main(control: str, memory: str, seconds: str, *modules: str) -> None:
    """Run the warm process.

    Args:
        control: the descriptor of the connection.
        memory: the limit of a worker, in bytes.
        seconds: its limit of CPU time.
        modules: what exercises import.
    """
    warm_up(modules)
    forget_the_kata()
    gc.freeze()  # a fork that never walks these objects never copies their pages
    gc.enable()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    Nursery(socket.socket(fileno=int(control)), int(memory), int(seconds)).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
