"""A pool of judges in processes of their own; one that crashes is replaced.

Called by `run`, and by `cluster` on all of its workers. All judges are forks of one process, which
runs this module as a program: it imports what judges need, once, starts the warm process of which
workers are forks, and never sees a submission. The pool itself imports no torch.
If the grader's own code raises, the judge also grades the reference: where that fails too, no
submission is to blame, and the run ends.

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
import traceback
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from kata.class_verdict import SubmissionVerdict, submission_from_dict, submission_to_dict
from kata.course.curriculum import CODE, exercises
from kata.errors import FaultError, HostError, LostError
from kata.grading import sandbox
from kata.grading.collecting.submissions import Submission
from kata.grading.options import CRASHES, STARTS, Options
from kata.grading.workers import Ancestor, Launcher, WarmProcess, warm_process
from kata.inside import orders
from kata.interpreter import beside_the_code
from kata.plain import encode
from kata.text import clean, line
from kata.verdict import State

if TYPE_CHECKING:
    from kata.grading.judge import Judge  # with it comes torch


WARMING = 300  # seconds for all imports
PATIENCE = 600  # seconds without work after which a judge exits
SHORT = 4096  # bytes of an order to the first judge, or of its answer
LONGEST_OPTIONS = 1 << 16  # bytes
READY = "ready"
FORK, END = b"fork", b"end "  # the second with the number of a process
FAULT = "fault"  # the key of an answer that is no verdict
Answer = tuple[dict[str, Any], bool]  # a verdict as plain data, and whether to judge again, alone
JUDGE_DIED = f"could not be graded: the judge process crashed {CRASHES} times on this submission"


class JudgePool:
    """A number of judges on this machine: the grader's own, or those of a cluster's worker."""

    def __init__(self, options: Options, count: int) -> None:
        self._first = FirstJudge(options) if count else None
        self._works = False  # whether any judge has ever answered
        self._free: SimpleQueue[JudgeProcess] = SimpleQueue()
        self._judges = [JudgeProcess(options, self._first) for _ in range(count) if self._first]
        for judge in self._judges:
            self._free.put(judge)

    def grade(
        self, submissions: Iterator[Submission]
    ) -> Iterator[tuple[Submission, SubmissionVerdict]]:
        """Yield every submission with its verdict, in the order in which they are done.

        Those that were not judged, or had too little of the machine, are judged again at the end,
        when nobody is beside them.
        """
        waiting: list[Submission] = []
        for submission, (verdict, alone) in self._answers(submissions):
            if alone:
                waiting.append(submission)
            else:
                yield submission, submission_from_dict(verdict)
        for submission in waiting:
            yield submission, submission_from_dict(self.judge(submission)[0])

    def _answers(self, submissions: Iterator[Submission]) -> Iterator[tuple[Submission, Answer]]:
        """Read a submission whenever a judge is free, and no sooner."""
        threads = ThreadPoolExecutor(len(self._judges))
        sent: dict[Future[Answer], Submission] = {}
        try:
            for submission in submissions:
                sent[threads.submit(self.judge, submission)] = submission
                if len(sent) == len(self._judges):
                    yield from _finished(sent)
            while sent:
                yield from _finished(sent)
        finally:
            threads.shutdown(wait=False)

    def judge(self, submission: Submission) -> Answer:
        """Return the answer of a judge that is free; several threads may ask at a time.

        Raises FaultError if the kata itself has a fault.
        """
        judge = self._free.get()
        try:
            return checked(self._answer(judge, submission))
        except FaultError:
            raise
        except HostError as error:
            if not self._works:  # there is something wrong with this machine
                raise
            return lost(submission, not_their_doing(error)), True
        finally:
            self._free.put(judge)

    def _answer(self, judge: "JudgeProcess", submission: Submission) -> Answer:
        for _ in range(CRASHES):
            if answer := judge.ask(submission):
                self._works = True
                return answer
        return lost(submission, JUDGE_DIED), True

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        for judge in self._judges:
            judge.end()
        if self._first:
            self._first.end()


def _finished(sent: dict[Future[Answer], Submission]) -> Iterator[tuple[Submission, Answer]]:
    """Wait until some are done."""
    for future in wait(sent, return_when=FIRST_COMPLETED).done:
        yield sent.pop(future), future.result()


class JudgeProcess:
    """A judge that is replaced whenever it has crashed."""

    def __init__(self, options: Options, first: "FirstJudge") -> None:
        self._options = options
        self._first = first
        self._pipe: Connection[Any, Any] | None = None
        self._process = 0
        self._patience = 0.0

    def ask(self, submission: Submission) -> Answer | None:
        """Return the judge's answer; None if it crashed, or takes too long.

        Raises HostError if no judge can be started.
        """
        pipe = self._pipe or self._connect()
        with suppress(EOFError, OSError):
            pipe.send(submission)
            if pipe.poll(self._patience + self._options.patience_for(len(submission.proofs))):
                self._patience = 2 * self._options.patience + 10  # what is lazy is done
                return pipe.recv()  # type: ignore[no-any-return]
        self.end()
        return None

    def _connect(self) -> "Connection[Any, Any]":
        self._pipe, self._process = self._first.fork()
        self._patience = WARMING + self._options.patience
        return self._pipe

    def end(self) -> None:
        """End it, whatever it is doing."""
        if self._pipe:
            self._pipe.close()
            self._first.end_judge(self._process)
        self._pipe = None


class FirstJudge(Ancestor):
    """The process of which all judges are forks, as the pool sees it."""

    def __init__(self, options: Options) -> None:
        super().__init__(WARMING)
        self._options = options
        self._lock = Lock()  # several threads may need a judge
        self.begin()

    def begin(self) -> socket.socket:
        """Start the process, without waiting until it is ready."""
        control = super().begin()
        with suppress(OSError):  # a crash is noticed when the answer is read
            control.send(pickle.dumps((self._options, sandbox.layers())))
        return control

    def _started(self, descriptor: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", __name__, str(descriptor)],
            stdin=subprocess.DEVNULL,
            pass_fds=[descriptor],
            cwd=CODE,  # so that it imports this kata
            env=beside_the_code(),
            start_new_session=True,  # Ctrl-C is for the process that gives out the work
        )

    def fork(self) -> tuple["Connection[Any, Any]", int]:
        """Return a connection to a new judge, and the number of its process.

        Raises HostError if there can be none.
        """
        with self._lock:
            for _ in range(STARTS):
                if self._has_ended:
                    break
                control = self._control or self.begin()
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
        if process := self._process:
            process.kill()  # whoever waits for it holds the lock, and waits no longer
        with self._lock:
            self._kill()


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
        while True:
            order, descriptors, *_ = socket.recv_fds(control, SHORT, 1)
            if order == FORK:
                control.send(_forked_judge(control, options, warm, *descriptors))
            elif order:
                _end(int(order.removeprefix(END)))
                control.send(order)
            else:  # whoever gives out the work has closed the connection
                break
    warm.end()


def _get_ready(options: Options) -> str:
    """Import everything, and return in one line what is wrong with the course."""
    from kata.grading.judge import SuiteError, check_references, get_ready  # and torch

    try:
        get_ready(options)
        check_references(options)
    except SuiteError as error:
        return str(error)
    except Exception as error:  # of any kind
        return own_fault(error)
    return ""


def _greeting(warm: WarmProcess) -> str:
    """Say that all is ready, or why there is no warm process."""
    try:
        warm.wait()
    except HostError as error:
        return str(error)
    return READY


def _forked_judge(control: socket.socket, options: Options, warm: WarmProcess, pipe: int) -> bytes:
    """Fork a judge, and return its number, or why there can be none."""
    try:
        tests, answers = warm.connect(orders.FORK_BESIDE), warm.connect()
        process = os.fork()
    except (HostError, OSError) as error:
        os.close(pipe)
        return str(error).encode()
    if process == 0:
        control.close()
        _become_judge(pipe, options, Launcher(warm.copy(), answers), Launcher(warm.copy(), tests))
    for connection in (answers, tests):
        connection.close()
    os.close(pipe)
    return str(process).encode()


def _become_judge(pipe: int, options: Options, workers: Launcher, tests: Launcher) -> None:
    """Serve, and never return: a fork must not go on with the work of its parent."""
    from kata.grading.judge import judge_for

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


# -- what a judge answers


def serve(pipe: "Connection[Any, Any]", judge: "Judge") -> None:
    """Judge one submission after the other, until nobody asks any more."""
    with suppress(EOFError, OSError):
        while pipe.poll(PATIENCE):  # a client of a cluster may vanish without a word
            pipe.send(answer(judge, pipe.recv()))


def answer(judge: "Judge", submission: Submission) -> Answer:
    """Judge a submission; whatever goes wrong here is not its doing, and costs no mark."""
    try:
        verdict = judge.grade(submission)
    except (LostError, HostError, OSError) as error:
        return lost(submission, not_their_doing(error)), True
    except Exception as error:
        if _fails_on_the_reference(judge, submission):
            return {FAULT: own_fault(error)}, False
        fault = f"the grader itself has a fault ({_where(error)})"
        return lost(submission, not_their_doing(fault)), True
    works = {"works": encode(verdict.works)}
    return submission_to_dict(verdict) | works, judge.starved


def _fails_on_the_reference(judge: "Judge", submission: Submission) -> bool:
    """Return whether the reference, submitted in the same way, fails as well."""
    right = {slug: exercises()[slug].solution.read_bytes() for slug in submission.files}
    try:
        verdict = judge.grade(Submission(submission.student, right))
    except (LostError, HostError, OSError):
        return False  # which says nothing about the code
    except Exception:
        return True
    return any(
        exercise.state is not State.PASSED
        for exercise in verdict.exercises
        if exercise.slug in right
    )


def checked(answer: Answer) -> Answer:
    """Return the same answer; raise FaultError if it says that the grader has a fault."""
    if fault := answer[0].get(FAULT):
        raise FaultError(fault)
    return answer


def not_their_doing(reason: object) -> str:
    """Say why a submission was not graded, and that its student is not to blame."""
    return f"could not be graded, which is not this student's doing: {clean(str(reason))}"


def lost(submission: Submission, problem: str) -> dict[str, Any]:
    """Say that there is no verdict, and why."""
    return submission_to_dict(
        SubmissionVerdict(submission.student, (), (), submission.notes, problem)
    )


def own_fault(error: Exception) -> str:
    """Say that this is a fault of the kata itself."""
    return own_fault_at(_where(error), str(error))


def own_fault_at(place: str, reason: str) -> str:
    """Say the same of a file of the course."""
    return (
        f"the grader itself has a fault, and no submission is to blame: {clean(place)}:"
        f" {line(reason)}; what was graded so far is kept"
    )


def _where(error: Exception) -> str:
    """Say what was raised, and where, for the maintainers."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}, {Path(last.filename).name}:{last.lineno}"


if __name__ == "__main__":
    main(int(sys.argv[1]))
