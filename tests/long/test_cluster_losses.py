"""Judges and workers that die again and again, in a pool and in a cluster; and Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from kata.grading.options import CRASHES
from kata.grading.pool import JUDGE_DIED, JudgePool
from tests.helpers.processes import descendants, seconds, without_progress
from tests.helpers.processes import workers as in_workers
from tests.system.test_cluster import (
    GRADER,
    LONG,
    LOOP,
    OPTIONS,
    PATIENT,
    RESULTS,
    ROOT,
    SIZE,
    Cluster,
    Remote,
    dask,
    end,
    gone,
    graded,
    journal,
    kill,
    lonely,  # noqa: F401  # a fixture
    module,
    named,
    problems,
    reference,  # noqa: F401  # a fixture
    remote,  # noqa: F401  # a fixture
    remote_in,
    right,
    run,
    school,  # noqa: F401  # a fixture
    until,
    workers,
)

INTERRUPTED = 130


def judges(process: int) -> list[int]:
    return named("kata.grading.pool", descendants(process))


def busy(process: int) -> bool:
    """Whether a submission runs that computes for longer than any right answer."""
    return any(seconds(each) > 1 for each in in_workers(process))


def test_who_kills_every_judge_is_reported_and_the_rest_goes_on() -> None:
    pool = JudgePool(PATIENT, 1)
    killer = Thread(target=kill_judges, daemon=True)
    killer.start()
    found = graded(pool, iter([LOOP, *right(3)]))

    lost = JUDGE_DIED
    assert problems(found) == {"loop": lost, "s0": "", "s1": "", "s2": ""}


def kill_judges() -> None:
    """The one that works on the loop, and who takes its place; once more when it is alone."""
    for _ in range(2 * CRASHES):
        until(lambda: busy(os.getpid()))
        kill(judges(os.getpid()))
        until(lambda: not busy(os.getpid()))


def test_who_kills_every_worker_is_reported_and_the_rest_goes_on() -> None:
    """Those that only waited at a worker which died are not to blame."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        crew = Cluster(PATIENT, "local", 1)
    killer = Thread(target=kill_workers, args=[crew], daemon=True)
    killer.start()
    found = graded(crew, iter([LOOP, *right(3)]))

    died = "could not be graded: 1 workers of the cluster crashed on this submission"
    assert problems(found) == {"loop": died, "s0": "", "s1": "", "s2": ""}


def test_a_worker_that_starts_again_slowly_is_not_given_up() -> None:
    """dask gives a worker up that is not there at one moment, 15 s after any of its deaths."""
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "50ms"}):
        crew = Cluster(PATIENT, "local", 1)
        Thread(target=kill_once, args=[crew], daemon=True).start()
        found = graded(crew, iter(right(4)))

    assert problems(found) == {"s0": "", "s1": "", "s2": "", "s3": ""}


def kill_once(crew: Cluster) -> None:
    until(lambda: any(crew._client.processing().values()))
    kill(workers(os.getpid()))


def kill_workers(crew: Cluster) -> None:
    """The one that has the loop, together with others and alone."""
    for _ in range(2):
        until(
            lambda: (
                loops(crew) & {key for keys in crew._client.processing().values() for key in keys}
            )
        )
        kill(workers(os.getpid()))
        until(lambda: not loops(crew))


def loops(crew: Cluster) -> set[str]:
    """What the loop is called on its way."""
    return {key for key, (submission, _) in [*crew._sent.items()] if submission is LOOP}


def test_who_is_done_waits_for_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    with remote_in(tmp_path) as cluster:
        worker = cluster.worker()
        crew = Cluster(OPTIONS, cluster.address, 0, cluster.tls)
        try:
            for submission, _ in crew.grade(iter(right(1))):
                found.append(submission.student)
                monkeypatch.setattr(module, "NO_WORKER_TIMEOUT", 1)
                end(worker)
                until(lambda: not crew._client.nthreads())
                time.sleep(module.PAUSE)
        finally:
            crew.end()

    assert found == ["s0"]


def test_ctrl_c_leaves_no_process_and_another_cluster_goes_on(
    school: Path,  # noqa: F811
    reference: Path,  # noqa: F811
    remote: Remote,  # noqa: F811
    tmp_path: Path,
) -> None:
    command = [sys.executable, *GRADER, str(school), "--grades", str(tmp_path)]
    process = subprocess.Popen([*command, "--cluster", "local"], cwd=ROOT, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
    until(lambda: len(journal(tmp_path)) >= SIZE // 4)
    theirs = descendants(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    errors = without_progress(process.communicate(timeout=LONG)[1].decode())

    interrupted = len(journal(tmp_path))
    assert (process.returncode, errors.count("\n")) == (INTERRUPTED, 1)
    gone(theirs)
    assert interrupted < SIZE
    assert run(school, tmp_path, *remote.words) == (0, "")
    for name in RESULTS:
        assert (tmp_path / name).read_bytes() == (reference / name).read_bytes()
