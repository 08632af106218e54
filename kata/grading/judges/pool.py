"""Judges in processes of their own, as many as there are cores; one that crashes is replaced."""

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Any

from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.judge_process import JudgeProcess
from kata.grading.judges.options import Options
from kata.verdict import SubmissionVerdict, submission_from_dict, submission_to_dict
from kata.words import say

MOST_TRIES = 3  # of a submission whose judge crashes
Found = dict[str, Any]  # a verdict as plain data


class JudgePool:
    """So many judges, on this machine: the grader's own, or those of a worker of a cluster."""

    def __init__(self, options: Options, count: int) -> None:
        self._judges = [JudgeProcess(options) for _ in range(count)]
        self._free: SimpleQueue[JudgeProcess] = SimpleQueue()
        for judge in self._judges:
            self._free.put(judge)

    def grade(
        self, submissions: Iterator[HandedIn]
    ) -> Iterator[tuple[HandedIn, SubmissionVerdict]]:
        """Every submission with its verdict, in the order in which they are done."""
        threads = ThreadPoolExecutor(len(self._judges))
        sent: dict[Future[Found], HandedIn] = {}
        try:
            for handed in submissions:
                sent[threads.submit(self.judge, handed)] = handed
                if len(sent) == len(self._judges):  # no submission is read before a judge is free
                    yield from _done(sent)
            while sent:
                yield from _done(sent)
        finally:
            threads.shutdown(wait=False)

    def judge(self, handed: HandedIn) -> Found:
        """The verdict, from a judge that is free; several threads may ask at a time."""
        judge = self._free.get()
        try:
            for _ in range(MOST_TRIES):
                if found := judge.ask(handed):
                    return found
        finally:
            self._free.put(judge)
        problem = say("judges.judge-died", count=MOST_TRIES)
        return submission_to_dict(SubmissionVerdict(handed.student, problem=problem))

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        for judge in self._judges:
            judge.close()


def _done(sent: dict[Future[Found], HandedIn]) -> Iterator[tuple[HandedIn, SubmissionVerdict]]:
    """Wait until a judge is done; the results of all that are."""
    for each in wait(sent, return_when=FIRST_COMPLETED).done:
        yield sent.pop(each), submission_from_dict(each.result())
