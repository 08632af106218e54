"""What a cluster does with a submission at which workers die; its scheduler here is pretended."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from kata.class_verdict import SubmissionVerdict, submission_to_dict
from kata.errors import HostError
from kata.grading.collecting.submissions import Submission
from kata.grading.options import Options

LOOP, EARLY, LATE = (Submission(name, {}) for name in ("loop", "early", "late"))
Outcome = Callable[[Submission, int], Any]  # of a submission that is sent for the nth time


class Client:
    """A client of dask with one worker, at which everything has come to an end once it is sent."""

    status = "closed"

    def __init__(self, outcome: Outcome) -> None:
        self.sent: list[str] = []
        self._outcome = outcome

    def submit(self, _: object, __: str, submission: Submission, *, pure: bool) -> SimpleNamespace:
        assert not pure
        self.sent.append(submission.student)
        count, key = self.sent.count(submission.student), len(self.sent)
        future = SimpleNamespace(key=key, result=lambda: self._outcome(submission, count))
        future.add_done_callback = lambda call: call(future)
        return future

    def nthreads(self) -> dict[str, int]:
        return {"tcp://here": 1}

    def ignore(self, *_: object, **__: object) -> None:
        """Do nothing."""

    wait_for_workers = register_plugin = close = ignore


def graded(
    monkeypatch: pytest.MonkeyPatch, work: Iterator[Submission], outcome: Outcome
) -> tuple[list[str], dict[str, str]]:
    """Who was sent, in this order, and everybody's problem."""
    module = pytest.importorskip("kata.grading.cluster")
    client = Client(outcome)
    monkeypatch.setattr(module.Cluster, "_connected", lambda *_: client)
    crew = module.Cluster(Options(("ex01_softmax",), {}), "tcp://here:1", 1)
    found = {submission.student: verdict.problem for submission, verdict in crew.grade(work)}
    crew.end()
    return client.sent, found


def right(submission: Submission) -> tuple[dict[str, Any], bool]:
    return submission_to_dict(SubmissionVerdict(submission.student)), False


def test_who_was_alone_with_a_worker_that_died_is_to_blame_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those that only waited at a worker which died are judged again, after everybody else."""
    killed = pytest.importorskip("distributed").KilledWorker("task", None, 0)

    def outcome(submission: Submission, count: int) -> Any:
        if submission is LOOP or (submission is EARLY and count == 1):
            raise killed
        return right(submission)

    sent, found = graded(monkeypatch, iter([EARLY, LOOP, LATE]), outcome)

    assert sent == ["early", "loop", "late", "early", "loop"]
    assert found == {
        "late": "",
        "early": "",
        "loop": "could not be graded: 1 workers of the cluster crashed on this submission",
    }


def test_who_had_no_time_beside_others_is_judged_once_more_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def outcome(submission: Submission, count: int) -> Any:
        verdict, _ = right(submission)
        return verdict, submission is LOOP and count <= 2

    sent, found = graded(monkeypatch, iter([LOOP, LATE]), outcome)

    assert sent == ["loop", "late", "loop"]
    assert found == {"late": "", "loop": ""}


@pytest.mark.parametrize("error", [OSError("gone"), ZeroDivisionError("a fault")])
def test_a_fault_of_the_cluster_ends_the_run_in_one_line(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def outcome(*_: object) -> Any:
        raise error

    with pytest.raises(HostError) as caught:
        graded(monkeypatch, iter([EARLY]), outcome)

    reason = f"{type(error).__name__}: {error}"
    lost = "the connection to the scheduler tcp://here:1 was lost; what was graded before is kept"
    broken = f"the cluster cannot grade: {reason}"
    assert str(caught.value) == (broken if isinstance(error, ZeroDivisionError) else lost)
