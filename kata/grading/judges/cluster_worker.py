"""What a worker of a cluster runs: a pool of judges, as many as it has threads."""

from uuid import uuid4

from distributed import Worker, WorkerPlugin, get_worker

from kata.errors import HostError
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.answer import Answer
from kata.grading.judges.fingerprint import versions
from kata.grading.judges.pool import JudgePool
from kata.grading.options import Options
from kata.grading.sandbox import sandbox
from kata.words import say


class ClusterPlugin(WorkerPlugin):
    """Sent to every worker, also to those that join later; each starts its own pool.

    Args:
        options: how submissions are judged.
        trusted: whether a machine qualifies that cannot lock submissions in.
    """

    def __init__(self, options: Options, *, trusted: bool) -> None:
        self.name = f"kata-{uuid4().hex}"  # two runs may use the same cluster
        self._options = options
        self._trusted = trusted
        self._versions = versions(options)

    def setup(self, worker: Worker) -> None:
        """Start the judge processes if this machine qualifies."""
        self._complaint = self._trouble(worker.address)
        self._pool = JudgePool(self._options, 0 if self._complaint else worker.state.nthreads)
        if self._complaint:
            raise HostError(self._complaint)

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002  # dask says who asks
        """End all judge processes, whatever they are doing."""
        self._pool.end()

    def judge(self, handed: HandedIn) -> Answer:
        """The verdict as plain data, and whether to judge again, alone."""
        if self._complaint:  # of a worker that joined later: nobody has read it yet
            raise HostError(self._complaint)
        return self._pool.judge(handed)

    def _trouble(self, address: str) -> str:
        """Why this machine cannot grade; empty if it can."""
        try:
            here = versions(self._options)
        except OSError as error:  # the folder of the reference does not exist here
            return say("judges.worker", worker=address, reason=error)
        for what, theirs in here.items():
            if (ours := self._versions[what]) != theirs:
                return say("judges.other", worker=address, what=what, theirs=theirs, ours=ours)
        missing = [] if self._trusted else sandbox.missing()
        return say("judges.no-promise", worker=address, promise=missing[0]) if missing else ""


def judged(name: str, handed: HandedIn) -> Answer:
    """The verdict of the plugin of this name, on the worker that runs this."""
    plugin = get_worker().plugins[name]
    assert isinstance(plugin, ClusterPlugin)
    return plugin.judge(handed)
