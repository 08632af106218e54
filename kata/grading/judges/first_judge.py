"""The process of which all judges of a pool are forks: it has imported all that they need.

It starts the warm process of which workers are forked beside its own imports, and then does as it
is told: forks a judge for a connection, and ends one. It never sees a submission.
"""

import gc
import os
import pickle
import select
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from socket import recv_fds, socket
from threading import Thread
from typing import TYPE_CHECKING, Any

from kata.errors import HostError
from kata.grading.sandbox import sandbox
from kata.inside import orders

if TYPE_CHECKING:
    from kata.grading.options import Options
    from kata.grading.sandbox.workers import WarmProcess
    from kata.grading.verdicts.judge import Judge

SHORT = 4096  # bytes of an order, or of an answer
LONGEST_OPTIONS = 1 << 16  # bytes
READY = "ready"
FORK, END = b"fork", b"end "  # the second with the number of a process
IDLE = 600  # seconds without work after which a judge process exits


class FirstJudge:
    """Forks judges, until the process that gives out the work closes the connection.

    Args:
        control: where orders come from.
        options: how submissions are judged.
        warm: the process of which workers are forked.
    """

    def __init__(self, control: socket, options: "Options", warm: "WarmProcess") -> None:
        self._control = control
        self._options = options
        self._warm = warm

    def run(self) -> None:
        """Obey."""
        while True:
            order, descriptors, *_ = recv_fds(self._control, SHORT, 1)
            if order == FORK:
                self._control.send(self._forked(*descriptors))
            elif order:
                _end(int(order.removeprefix(END)))
                self._control.send(order)
            else:
                return

    def _forked(self, pipe: int) -> bytes:
        """The number of a new judge, or why there can be none."""
        try:
            beside = self._warm.connect(orders.FORK_BESIDE)
            control = self._warm.connect()
            process = os.fork()
        except (HostError, OSError) as error:
            os.close(pipe)
            return str(error).encode()
        if process == 0:
            self._become_judge(pipe, control, beside)
        control.close()
        beside.close()
        os.close(pipe)
        return str(process).encode()

    def _become_judge(self, pipe: int, control: socket, beside: socket) -> None:
        """Never returns."""
        from kata.grading.sandbox.workers import Launcher
        from kata.grading.verdicts.judge import judge_for

        try:
            self._control.close()
            Thread(target=_exit_with, args=[pipe], daemon=True).start()
            workers = Launcher(self._warm.copy(), control)
            tests = Launcher(self._warm.copy(), beside)
            with Connection(pipe) as connection:
                serve(connection, judge_for(self._options, workers, tests))
        finally:
            os._exit(0)


def _end(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(process, 0)


def _exit_with(descriptor: int) -> None:
    """Exit when the process at the other end has gone, also in the middle of a submission."""
    hung_up = select.poll()
    hung_up.register(descriptor, 0)  # no event but that it is closed
    hung_up.poll()
    os._exit(1)


def serve(pipe: "Connection[Any, Any]", judge: "Judge") -> None:
    """Judge one submission after the other."""
    from kata.grading.judges.answer import answer

    with suppress(EOFError, OSError):
        while pipe.poll(IDLE):  # a client of a cluster may vanish without a word
            pipe.send(answer(judge, pipe.recv()))


def packed(options: "Options", found: tuple[str, ...]) -> bytes:
    """The first message; `found` are the locks that work on this machine."""
    return pickle.dumps((options, found))


def main(descriptor: int) -> None:
    """What the process does."""
    gc.disable()  # until all is imported: it would walk through torch again and again
    os.environ["OMP_NUM_THREADS"] = "1"
    from kata.grading.sandbox.workers import warm_process

    control = socket(fileno=descriptor)
    options, found = pickle.loads(control.recv(LONGEST_OPTIONS))  # from who started this process
    sandbox.remember(found)
    warm = warm_process(options)
    warm.begin()
    from kata.grading.judges.answer import own_fault
    from kata.grading.verdicts.judge import SuiteError, check_references, get_ready

    try:
        get_ready(options)
        check_references(options)
    except SuiteError as error:
        control.send(str(error).encode()[:SHORT])
        return
    except Exception as error:  # a fault of the course, of which the grader tells in one line
        control.send(own_fault(error).encode()[:SHORT])
        return
    gc.freeze()
    gc.enable()
    with suppress(ConnectionError):  # the grader has ended
        control.send(_state(warm))
        FirstJudge(control, options, warm).run()
    warm.end()


def _state(warm: "WarmProcess") -> bytes:
    """That all is ready, or why there is no warm process."""
    try:
        warm.wait()
    except HostError as error:
        return str(error).encode()
    return READY.encode()


if __name__ == "__main__":
    main(int(sys.argv[1]))
