"""The process of which all judges of a pool are forks, from both sides.

Called by `judges.pool`. It imports what judges need, once, and starts the warm process of which
workers are forks; then it forks judges and ends them as it is told. It never sees a submission.
The forkserver of multiprocessing would do the same, but not in a worker of a cluster: those are
daemonic, and may start no process of multiprocessing's.
"""

import gc
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import Any

from kata.course.curriculum import CODE
from kata.errors import HostError
from kata.grading.options import STARTS, Options
from kata.grading.sandbox import sandbox
from kata.grading.sandbox.workers import Launcher, WarmProcess, warm_process
from kata.inside import orders
from kata.interpreter import beside_the_code

WARMING = 300  # seconds for all imports
SHORT = 4096  # bytes of an order, or of an answer
LONGEST_OPTIONS = 1 << 16  # bytes
READY = "ready"
FORK, END = b"fork", b"end "  # the second with the number of a process


class FirstJudge:
    """The process as the pool sees it; started again whenever it crashes."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lock = Lock()  # several threads may need a judge
        self._has_ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._is_ready = False
        self._begin()

    def _begin(self) -> socket.socket:
        """Start the process, without waiting until it is ready."""
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control.settimeout(WARMING)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                cwd=CODE,  # so that it imports this kata
                env=beside_the_code(),
                start_new_session=True,  # Ctrl-C is for the process that gives out the work
            )
        with suppress(OSError):  # a crash is noticed when the answer is read
            control.send(pickle.dumps((self._options, sandbox.layers())))
        self._control = control
        return control

    def fork(self) -> tuple["Connection[Any, Any]", int]:
        """Return a connection to a new judge, and the number of its process.

        Raises HostError if there can be none.
        """
        with self._lock:
            for _ in range(STARTS):
                if self._has_ended:
                    break
                control = self._control or self._begin()
                if (self._is_ready or self._greets(control)) and (judge := _forked(control)):
                    return judge
                self._kill()
        raise HostError("no judge process can be started: each one ends at once")

    def _greets(self, control: socket.socket) -> bool:
        with suppress(OSError):
            greeting = control.recv(SHORT).decode()
            if greeting and greeting != READY:
                raise HostError(greeting)
            self._is_ready = bool(greeting)
        return self._is_ready

    def end_judge(self, process: int) -> None:
        """Kill one of the judges, whatever it is doing."""
        with self._lock, suppress(OSError):
            if self._control:
                self._control.send(END + str(process).encode())
                self._control.recv(SHORT)

    def end(self) -> None:
        """End the process, and start no other; judges end when their connections are closed."""
        self._has_ended = True
        if self._process:
            self._process.kill()  # whoever waits for it holds the lock, and waits no longer
        with self._lock:
            self._kill()

    def _kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
        if self._control:
            self._control.close()
        self._control, self._is_ready = None, False


def _forked(control: socket.socket) -> tuple["Connection[Any, Any]", int] | None:
    mine, theirs = Pipe()
    with theirs, suppress(OSError, ValueError):
        socket.send_fds(control, [FORK], [theirs.fileno()])
        return mine, int(control.recv(SHORT))
    mine.close()
    return None


# -- in the process itself


def main(descriptor: int) -> None:
    """Get ready, say so, and obey."""
    gc.disable()  # until all is imported: it would walk through torch again and again
    os.environ["OMP_NUM_THREADS"] = "1"
    control = socket.socket(fileno=descriptor)
    options, locks = pickle.loads(control.recv(LONGEST_OPTIONS))  # from who started this process
    sandbox.remember(locks)
    warm = warm_process(options)
    warm.begin()
    if fault := _get_ready(options):
        control.send(fault.encode()[:SHORT])
        return
    gc.freeze()
    gc.enable()
    with suppress(ConnectionError):  # the grader has ended
        control.send(_greeting(warm).encode())
        _obey(control, lambda pipe: _forked_judge(pipe, control, options, warm))
    warm.end()


def _get_ready(options: Options) -> str:
    """Import everything; returns what is wrong with the course, in one line."""
    from kata.grading.judges.pool import own_fault  # with it comes torch
    from kata.grading.verdicts.judge import SuiteError, check_references, get_ready

    try:
        get_ready(options)
        check_references(options)
    except SuiteError as error:
        return str(error)
    except Exception as error:  # of any kind
        return own_fault(error)
    return ""


def _greeting(warm: WarmProcess) -> str:
    """That all is ready, or why there is no warm process."""
    try:
        warm.wait()
    except HostError as error:
        return str(error)
    return READY


def _obey(control: socket.socket, fork: Callable[[int], bytes]) -> None:
    """Fork and end judges, until whoever gives out the work closes the connection."""
    while True:
        order, descriptors, *_ = socket.recv_fds(control, SHORT, 1)
        if order == FORK:
            control.send(fork(*descriptors))
        elif order:
            _end(int(order.removeprefix(END)))
            control.send(order)
        else:
            return


def _forked_judge(pipe: int, control: socket.socket, options: Options, warm: WarmProcess) -> bytes:
    """The number of a new judge, or why there can be none."""
    try:
        beside, own = warm.connect(orders.FORK_BESIDE), warm.connect()
        process = os.fork()
    except (HostError, OSError) as error:
        os.close(pipe)
        return str(error).encode()
    if process == 0:
        control.close()
        _become_judge(pipe, options, Launcher(warm.copy(), own), Launcher(warm.copy(), beside))
    for descriptor in (own, beside):
        descriptor.close()
    os.close(pipe)
    return str(process).encode()


def _become_judge(pipe: int, options: Options, workers: Launcher, tests: Launcher) -> None:
    """Never returns: a fork must not go on with what it was forked from."""
    from kata.grading.judges.pool import serve
    from kata.grading.verdicts.judge import judge_for

    try:
        Thread(target=_exit_with, args=[pipe], daemon=True).start()
        with Connection(pipe) as connection:
            serve(connection, judge_for(options, workers, tests))
    finally:
        os._exit(0)


def _exit_with(descriptor: int) -> None:
    """Exit when the process at the other end has gone, also in the middle of a submission."""
    hung_up = select.poll()
    hung_up.register(descriptor, 0)  # no event but that it is closed
    hung_up.poll()
    os._exit(1)


def _end(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(process, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
