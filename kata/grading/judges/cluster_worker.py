"""What a worker of a cluster has: judges, as many as it has threads, in processes of their own."""

from queue import SimpleQueue
from typing import Any
from uuid import uuid4

from distributed import Worker, WorkerPlugin, get_worker

from kata.errors import HostError
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.fingerprint import versions
from kata.grading.judges.judge_process import JudgeProcess
from kata.grading.judges.options import Options
from kata.grading.judges.pool import MOST_TRIES
from kata.grading.sandbox import sandbox
from kata.verdict import SubmissionVerdict, submission_to_dict
from kata.words import say


class ClusterPlugin(WorkerPlugin):
    """Sent to every worker, also to those that come later; each of them opens its own.

    Args:
        options: how submissions are judged.
        trusted: whether a machine will do that cannot lock submissions in.
    """

    def __init__(self, options: Options, *, trusted: bool) -> None:
        self.name = f"kata-{uuid4().hex}"  # two runs may use the same cluster
        self._options = options
        self._trusted = trusted
        self._versions = versions(options)

    def setup(self, worker: Worker) -> None:
        """Let the judges come, if this machine will do."""
        self._seats: list[JudgeProcess] = []
        self._free: SimpleQueue[JudgeProcess] = SimpleQueue()
        self._complaint = self._trouble(worker.address)
        if self._complaint:
            raise HostError(self._complaint)
        self._seats += (JudgeProcess(self._options) for _ in range(worker.state.nthreads))
        for seat in self._seats:
            self._free.put(seat)

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002  # dask says who asks
        """Send the judges home, whatever they do."""
        for seat in self._seats:
            seat.close()

    def judge(self, handed: HandedIn) -> dict[str, Any]:
        """The verdict, by a judge who has nothing else to do."""
        if self._complaint:  # of a worker that came later: nobody has heard it yet
            raise HostError(self._complaint)
        seat = self._free.get()
        try:
            for _ in range(MOST_TRIES):
                if found := seat.ask(handed):
                    return found
        finally:
            self._free.put(seat)
        lost = say("judges.judge-died", count=MOST_TRIES)
        return submission_to_dict(SubmissionVerdict(handed.student, problem=lost))

    def _trouble(self, address: str) -> str:
        """Why this machine cannot grade; empty if it can."""
        try:
            here = versions(self._options)
        except OSError as error:  # no reference lies where the instructor's lies
            return say("judges.worker", worker=address, reason=error)
        for what, theirs in here.items():
            if (ours := self._versions[what]) != theirs:
                return say("judges.other", worker=address, what=what, theirs=theirs, ours=ours)
        missing = [] if self._trusted else sandbox.missing()
        return say("judges.no-promise", worker=address, promise=missing[0]) if missing else ""


def judged(name: str, handed: HandedIn) -> dict[str, Any]:
    """The verdict of the office of this name, on the worker that runs this."""
    office = get_worker().plugins[name]
    assert isinstance(office, ClusterPlugin)
    return office.judge(handed)
