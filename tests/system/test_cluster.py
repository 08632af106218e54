"""A class graded by a real scheduler and real workers, some of which die."""

import gc
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kata.class_verdict import SubmissionVerdict, submission_to_dict, timeless
from kata.course.curriculum import ROOT, exercises
from kata.errors import HostError
from kata.grading import sandbox
from kata.grading.collecting.submissions import Submission
from kata.grading.options import Options
from kata.grading.pool import JudgePool
from tests.helpers.classroom import answers
from tests.helpers.grader import grader
from tests.helpers.processes import children, command, descendants, until, without_progress
from tests.helpers.sampling import everything, release

WHOLE = everything()
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
from kata.grading import cluster as module  # noqa: E402  # which needs dask
from kata.grading.cluster import Cluster, ClusterPlugin  # noqa: E402

EX01, EX05 = "ex01_softmax", "ex05_causal_masks"
POINTS = {slug: float(exercises()[slug].points) for slug in (EX01, EX05)}
OPTIONS = Options((EX01, EX05), POINTS, seed=7)
PATIENT = replace(OPTIONS, slugs=(EX01,), timeout=100.0)
WORDS = ["--only", "ex01", "--only", "ex05", "--seed", "7", "--workers", "2"]
GRADER = ["grader.py", *WORDS]
SIZE = 24 if WHOLE else 8
LOOP = Submission("loop", {EX01: b"while True:\n    pass\n"})
LONG = 120  # seconds for what takes two, on a machine that is busy
RESULTS = ("grades.csv", "results.json")
Found = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many right answers as wrong ones; no two are equal, and one name is no text."""
    folder = tmp_path_factory.mktemp("class")
    decks = {slug: answers(exercises()[slug]) for slug in OPTIONS.slugs}
    pairs = {slug: cycle(zip(deck["right"], deck["wrong"], strict=False))
             for slug, deck in decks.items()}  # fmt: skip
    for number in range(SIZE):
        home = folder / ("Zo\udcbe" if number == SIZE // 2 else f"s{number:02}")
        home.mkdir()
        for slug, deck in pairs.items():
            (home / f"{slug}.py").write_bytes(next(deck)[number % 2] + b"\n# %d\n" % number)
    return folder


@pytest.fixture(scope="module")
def reference(school: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The grades that this process gives, without a cluster."""
    home = tmp_path_factory.mktemp("grades")
    assert grader(home, str(school), *WORDS).status == 0
    return home / "grades"


def run(school: Path, grades: Path, *words: str) -> tuple[int, str]:
    program = [sys.executable, *GRADER, str(school), "--grades", str(grades), *words]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, without_progress(done.stderr)


def journal(grades: Path) -> Found:
    with suppress(FileNotFoundError):
        lines = (grades / "journal.jsonl").read_bytes().splitlines(keepends=True)
        found = [json.loads(line)["verdict"] for line in lines if line.endswith(b"\n")]
        return {each["student"]: each for each in found}
    return {}


def plain(verdict: SubmissionVerdict) -> dict[str, Any]:
    return timeless(submission_to_dict(verdict))


def problems(found: Found) -> dict[str, str]:
    return {student: verdict["problem"] for student, verdict in found.items()}


def graded(pool: Cluster | JudgePool, work: Iterator[Submission]) -> Found:
    try:
        return {submission.student: plain(verdict) for submission, verdict in pool.grade(work)}
    finally:
        pool.end()


def right(count: int) -> list[Submission]:
    text = exercises()[EX01].solution.read_bytes()
    return [Submission(f"s{number}", {EX01: text + b"\n#%d\n" % number}) for number in range(count)]


# -- processes


def named(name: str, processes: list[int]) -> list[int]:
    """Those that run Python with this in their command."""
    return [each for each in processes
            if command(each).startswith(sys.executable) and name in command(each)]  # fmt: skip


def kill(processes: list[int]) -> None:
    """And see them gone."""
    for each in processes:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
    gone(processes)


def gone(processes: list[int]) -> None:
    until(lambda: not any(map(command, processes)))


def workers(process: int) -> list[int]:
    return named("spawn_main", children(process))


# -- a scheduler and workers, behind TLS


class Remote:
    """What an administrator starts by hand."""

    def __init__(self, home: Path) -> None:
        self.file = home / "scheduler.json"
        self.tls = certificates(home)
        self._home, self._processes = home, list[subprocess.Popen[bytes]]()

    def scheduler(self) -> subprocess.Popen[bytes]:
        found = self._start("scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", "0")
        until(lambda: self.file.exists() and self.file.read_text().endswith("}"))
        return found

    def worker(self, cwd: Path = ROOT) -> subprocess.Popen[bytes]:
        words = ["--no-nanny", "--nthreads", "1", "--memory-limit", "0"]
        return self._start("worker", *words, "--local-directory", str(self._home), cwd=cwd)

    def _start(self, what: str, *words: str, cwd: Path = ROOT) -> subprocess.Popen[bytes]:
        names = ("--tls-ca-file", "--tls-cert", "--tls-key")
        files = [str(each) for pair in zip(names, self.tls, strict=True) for each in pair]
        self._processes.append(subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard",
             "--scheduler-file", str(self.file), *files, *words],
            cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))  # fmt: skip
        return self._processes[-1]

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"])

    @property
    def words(self) -> list[str]:
        names = ("--tls-ca", "--tls-cert", "--tls-key")
        files = [str(each) for pair in zip(names, self.tls, strict=True) for each in pair]
        return ["--cluster", self.address, *files]

    def end_worker(self) -> list[int]:
        """End one; the processes that it has started."""
        worker = self._processes[1].pid
        theirs = descendants(worker)
        kill([worker])
        return theirs

    def end_scheduler(self) -> None:
        kill([self._processes[0].pid])

    def end(self) -> None:
        for each in self._processes:
            end(each)


def certificates(home: Path) -> tuple[Path, Path, Path]:
    """One for everybody, which is its own authority."""
    certificate, key = home / "cert.pem", home / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=kata", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)  # fmt: skip
    return certificate, certificate, key


def end(process: subprocess.Popen[bytes]) -> None:
    kill([*descendants(process.pid), process.pid])
    process.wait()


@contextmanager
def remote_in(home: Path) -> Iterator[Remote]:
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificates")
    found = Remote(home)
    try:
        found.scheduler()
        yield found
    finally:
        found.end()


@pytest.fixture(scope="module")
def lonely(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    """A scheduler without any worker."""
    with remote_in(tmp_path_factory.mktemp("remote")) as found:
        yield found


@pytest.fixture(scope="module")
def remote(lonely: Remote) -> Remote:
    """With two workers, of which one does not live long."""
    lonely.worker()
    lonely.worker()
    return lonely


# -- what is found


def test_nobody_waits_for_workers_for_ever(lonely: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first test of this cluster."""
    monkeypatch.setattr(module, "NO_WORKER_TIMEOUT", 1)
    assert "has had no worker for 1 seconds; what" in complaint(lonely.address, lonely.tls)


def test_a_killed_worker_loses_nothing_and_the_command_writes_what_it_writes_without_a_cluster(
    school: Path, reference: Path, remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is anything read long before there is somebody to judge it."""
    read, done, left = [], [], []

    def reading(work: Iterator[Submission]) -> Iterator[Submission]:
        for submission in work:
            read.append(submission.student)
            assert len(read) <= len(done) + 2 * module.PER_JUDGE + 1
            yield submission

    def grade(crew: Cluster, work: Iterator[Submission]) -> Iterator[Any]:
        for outcome in graded_by(crew, reading(work)):
            done.append(outcome)
            if len(done) == SIZE // 3:
                left.extend(remote.end_worker())
            yield outcome

    graded_by = Cluster.grade
    monkeypatch.setattr(Cluster, "grade", grade)
    assert grader(tmp_path, str(school), *WORDS, *remote.words).status == 0

    gone(left)  # its judges go with it
    assert left
    assert len(read) == len(done) == SIZE
    assert journal(tmp_path / "grades") == journal(reference)
    for name in RESULTS:
        assert (tmp_path / "grades" / name).read_bytes() == (reference / name).read_bytes()
    assert len({each["marks"][1]["score"] for each in journal(reference).values()}) > 2


# -- what ends a run


def complaint(address: str, tls: tuple[Path, ...] = ()) -> str:
    # A client that could not connect closes itself when it is collected. If that happens while
    # another one begins, dask waits for itself for ever.
    gc.collect()
    with pytest.raises(HostError) as caught:
        graded(Cluster(OPTIONS, address, 1, tls), iter(right(9)))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@release
def test_a_wrong_address_is_one_line(school: Path, tmp_path: Path) -> None:
    status, errors = run(school, tmp_path, "--cluster", "tcp://127.0.0.1:1")

    assert (status, errors.count("\n")) == (2, 1)
    assert "tcp://127.0.0.1:1 cannot be reached" in errors


@pytest.mark.parametrize("address", ["nowhere.json", "127.0.0.1:8786", ""])
def test_what_is_no_address_is_said_to_be_none(address: str) -> None:
    assert complaint(address) == (
        f"{address} is not a scheduler: expected an address such as tcp://… or tls://…, a"
        " scheduler file, or the word local"
    )


def test_who_has_no_certificate_is_told(remote: Remote, tmp_path: Path) -> None:
    assert "cannot be reached" in complaint(remote.address)
    assert "cannot be reached" in complaint(remote.address.replace("tls", "tcp"), remote.tls)
    assert "cannot be reached" in complaint(remote.address, (tmp_path / "none",) * 3)


@release
def test_a_worker_with_another_kata_is_refused(remote: Remote, tmp_path: Path) -> None:
    for each in ("kata", "exercises", "solutions", "bugs", "tests/graded"):
        shutil.copytree(ROOT / each, tmp_path / each)
    with (tmp_path / "kata" / "judging" / "limits.py").open("a") as file:
        file.write("# changed\n")
    other = remote.worker(cwd=tmp_path)
    try:
        with distributed.Client(remote.address, security=module._security(remote.tls)) as client:
            until(lambda: len(client.nthreads()) == 2)
        told = complaint(remote.address, remote.tls)
    finally:
        end(other)

    assert "has another version of kata" in told


def test_a_lost_scheduler_is_one_line(remote: Remote) -> None:
    """The last test of this cluster."""

    def losing() -> Iterator[Submission]:
        yield LOOP
        remote.end_scheduler()

    with pytest.raises(HostError, match="was lost"):
        graded(Cluster(PATIENT, remote.address, 1, remote.tls), losing())


# -- a worker that comes later


HERE = SimpleNamespace(address="tcp://here", state=SimpleNamespace(nthreads=0))


def arrived(monkeypatch: pytest.MonkeyPatch, *, trusted: bool = False) -> ClusterPlugin:
    """An office on a machine without walls."""
    monkeypatch.setattr(sandbox, "missing", lambda: ["nobody reads"])
    office: ClusterPlugin = pickle.loads(pickle.dumps(ClusterPlugin(OPTIONS, trusted=trusted)))
    return office


def test_a_worker_without_walls_grades_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    office = arrived(monkeypatch)

    with pytest.raises(HostError, match="tcp://here cannot promise that nobody reads"):
        office.setup(HERE)
    with pytest.raises(HostError, match="tcp://here cannot promise that nobody reads"):
        office.judge(LOOP)


def test_a_worker_without_walls_will_do_if_all_are_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived(monkeypatch, trusted=True).setup(HERE)


def test_a_worker_without_the_reference_grades_nothing(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "solutions", tmp_path / "mine")
    office = ClusterPlugin(replace(OPTIONS, solutions=tmp_path / "mine"), trusted=True)
    shutil.rmtree(tmp_path / "mine")

    with pytest.raises(HostError, match=r"tcp://here cannot grade: .*mine"):
        office.setup(HERE)
