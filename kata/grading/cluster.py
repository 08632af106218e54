"""Judges on other machines, or on this one, through dask.distributed: both ends.

Called by `run`, and only with --cluster, because dask is optional; used like a `JudgePool`, of
which every worker of the cluster has one. It never reads a class ahead: only a few more submissions
are sent than there are judges. What a scheduler and its workers send is unpickled, so they have to
be yours; what they pass on from a judge is plain data.
"""

import logging
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any
from uuid import uuid4

from kata.class_verdict import SubmissionVerdict, submission_from_dict
from kata.errors import HostError
from kata.grading import sandbox
from kata.grading.collecting.submissions import Submission
from kata.grading.options import Options, versions
from kata.grading.pool import Answer, JudgePool
from kata.text import clean

# dask has types for some of its functions and none for the others:
# mypy: allow-untyped-calls


try:
    import dask
    from distributed import (
        Client,
        Future,
        KilledWorker,
        LocalCluster,
        Security,
        Worker,
        WorkerPlugin,
        get_worker,
    )
    from distributed.versions import VersionMismatchWarning
except ImportError:
    raise HostError('--cluster needs dask.distributed: pip install -e ".[cluster]"') from None

LOCAL = "local"
CONNECT_TIMEOUT = 5  # seconds for a scheduler to answer
NO_WORKER_TIMEOUT = 60  # seconds without any worker
PER_JUDGE = 2  # submissions: one that is judged, and the next one
PROGRESS_KEPT = "what was graded before is kept"
PAUSE = 1  # seconds between two looks at the workers


class Cluster:
    """All judges of a cluster.

    Args:
        options: how submissions are judged.
        address: of the scheduler, its file, or `local` for processes of this machine.
        count: of judges, if the cluster is local; another has as many as its workers have threads.
        tls: the files of the authority, of the certificate, and of its key.
        trusted: whether machines qualify that cannot lock submissions in.
    """

    def __init__(
        self,
        options: Options,
        address: str,
        count: int,
        tls: Sequence[Path] = (),
        *,
        trusted: bool = False,
    ) -> None:
        _be_quiet()
        self._address = address
        self._plugin = ClusterPlugin(options, trusted=trusted)
        self._local: LocalCluster | None = None
        self._sent: dict[Any, tuple[Submission, Future[Any]]] = {}
        self._back: SimpleQueue[Future[Any]] = SimpleQueue()
        self._next: Submission | None = None  # sent when there is room
        self._suspects: deque[Submission] = deque()  # on a worker that crashed, or had no time
        self._alone = False  # whether a single one of them is being judged, after everything else
        self._judges, self._last_look, self._last_judges = 0, 0.0, 0.0
        try:
            self._client = self._connected(count, tls)
        except (OSError, ValueError, TypeError, RuntimeError) as error:  # dask has no one kind
            reason = clean(str(error))
            raise HostError(f"the scheduler {address} cannot be reached: {reason}") from None

    def _connected(self, count: int, tls: Sequence[Path]) -> Client:
        security = _security(tls) if tls else None
        if self._address == LOCAL:
            with undisturbed():
                self._local = _local(count, security)
            place: dict[str, Any] = {"address": self._local}
        elif "://" in self._address:
            place = {"address": self._address}
        elif Path(self._address).is_file():
            place = {"scheduler_file": self._address}
        else:
            raise HostError(
                f"{self._address} is not a scheduler: expected an address such as tcp://… or"
                " tls://…, a scheduler file, or the word local"
            )
        return Client(**place, security=security, timeout=CONNECT_TIMEOUT, set_as_default=False)

    def grade(
        self, submissions: Iterator[Submission]
    ) -> Iterator[tuple[Submission, SubmissionVerdict]]:
        """Yield every submission with its verdict, in the order in which they are done."""
        self._open()
        self._next = next(submissions, None)
        while self._sent or self._suspects or self._next:
            self._fill(submissions)
            with suppress(Empty):
                future = self._back.get(timeout=PAUSE)
                submission, _ = self._sent.pop(future.key)
                if verdict := self._verdict(submission, future):
                    yield submission, verdict

    def _fill(self, submissions: Iterator[Submission]) -> None:
        """Send as much as there is room for, and suspects alone, after everything else."""
        self._look()
        while self._next and len(self._sent) < self._judges * PER_JUDGE:
            self._send(self._next)
            self._next = next(submissions, None)
        if self._judges and not self._sent and self._suspects:
            self._send(self._suspects.popleft())
            self._alone = True

    def _open(self) -> None:
        """Prepare the workers that are there; dask does it for those that join later."""
        try:
            self._client.wait_for_workers(1, timeout=NO_WORKER_TIMEOUT)
            self._client.register_plugin(self._plugin)
        except HostError:
            raise
        except TimeoutError:
            raise self._no_worker() from None
        except Exception as error:  # whatever a worker with another kata raises
            raise _broken(error) from None

    def _look(self) -> None:
        """Count the judges, at most once a second."""
        now = time.monotonic()
        if now < self._last_look + PAUSE:
            return
        try:
            self._judges = sum(self._client.nthreads().values())
        except (OSError, RuntimeError, CancelledError):
            raise self._lost() from None
        self._last_look = now
        if self._judges or not self._last_judges:
            self._last_judges = now
        elif now > self._last_judges + NO_WORKER_TIMEOUT:
            raise self._no_worker()

    def _send(self, submission: Submission) -> None:
        try:
            future = self._client.submit(judged, self._plugin.name, submission, pure=False)
        except (OSError, RuntimeError, CancelledError):
            raise self._lost() from None
        self._sent[future.key] = submission, future
        future.add_done_callback(self._back.put)

    def _verdict(self, submission: Submission, future: Future[Any]) -> SubmissionVerdict | None:
        """Return the verdict; None if another submission may be to blame, and this one waits."""
        try:
            verdict, is_suspect = future.result()
            if is_suspect and not self._alone:
                self._suspects.append(submission)
                return None
            return submission_from_dict(verdict)
        except KilledWorker as error:
            if not self._alone:  # it may only have been waiting there
                self._suspects.append(submission)
                return None
            count = error.allowed_failures + 1
            text = f"could not be graded: {count} workers of the cluster crashed on this submission"
            return SubmissionVerdict(submission.student, problem=text)
        except HostError:
            raise
        except (CancelledError, OSError):
            raise self._lost() from None
        except Exception as error:
            raise _broken(error) from None

    def _lost(self) -> HostError:
        return HostError(
            f"the connection to the scheduler {self._address} was lost; {PROGRESS_KEPT}"
        )

    def _no_worker(self) -> HostError:
        return HostError(
            f"the scheduler {self._address} has had no worker for {NO_WORKER_TIMEOUT} seconds;"
            f" {PROGRESS_KEPT}"
        )

    def end(self) -> None:
        """End all judge processes."""
        if self._client.status == "running":
            with suppress(Exception):  # of any kind: an unreachable worker needs no shutdown
                self._client.cancel([future for _, future in self._sent.values()], force=True)
                self._client.unregister_worker_plugin(self._plugin.name)
        with suppress(OSError, RuntimeError, TimeoutError, CancelledError):
            self._client.close()
        if self._local:
            self._local.close()


def _broken(error: Exception) -> HostError:
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    return HostError(f"the cluster cannot grade: {clean(reason)}")


def _local(count: int, security: Security | None) -> LocalCluster:
    # A worker that died is started again. If it happens to be away when this time is over, because
    # a second submission has ended it, dask would give it up and stop whoever takes its place.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "52 weeks"})
    return LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        memory_limit=0,  # submissions have limits of their own
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # else all runs want the same port
        silence_logs=logging.CRITICAL,
        security=security,
    )


def _security(tls: Sequence[Path]) -> Security:
    """Use the same files for all roles."""
    authority, certificate, key = map(str, tls)
    files = {f"tls_{role}_{part}": file for role in ("client", "scheduler", "worker")
             for part, file in (("cert", certificate), ("key", key))}  # fmt: skip
    return Security(require_encryption=True, tls_ca_file=authority, **files)


def _be_quiet() -> None:
    """Silence the logs of dask: this module reports problems of a cluster in one line."""
    warnings.simplefilter("ignore", VersionMismatchWarning)  # `versions` looks more closely
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.split(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C interrupt this process only: those started in this block ignore it."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # starting it later would unblock the signal
    caught: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: caught.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # child processes inherit it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if caught:
        raise KeyboardInterrupt


# -- on a worker


class ClusterPlugin(WorkerPlugin):
    """The plugin of all workers, also of those that join later, in which it starts a pool.

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

    def judge(self, submission: Submission) -> Answer:
        """Return the verdict as plain data, and whether to judge again, alone."""
        if self._complaint:  # of a worker that joined later: nobody has read it yet
            raise HostError(self._complaint)
        return self._pool.judge(submission)

    def _trouble(self, address: str) -> str:
        """Return why this machine cannot grade; empty if it can."""
        try:
            local = versions(self._options)
        except OSError as error:  # the folder of the reference does not exist here
            return f"the worker {address} cannot grade: {clean(str(error))}"
        for name, theirs in local.items():
            if (ours := self._versions[name]) != theirs:
                difference = f"{theirs} instead of {ours}; all machines need the same"
                return f"the worker {address} has another version of {name}: {difference}"
        for promise in [] if self._trusted else sandbox.missing():
            trust = "use --trusted if you trust these submissions"
            return f"the worker {address} cannot promise that {promise}; {trust}"
        return ""


def judged(name: str, submission: Submission) -> Answer:
    """Return the verdict of the plugin of this name, on the worker that runs this."""
    plugin = get_worker().plugins[name]
    assert isinstance(plugin, ClusterPlugin)
    return plugin.judge(submission)
