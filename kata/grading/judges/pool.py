"""Judges in processes of their own, as many as there are cores; one that crashes is replaced."""

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue

from kata.class_verdict import SubmissionVerdict, submission_from_dict
from kata.errors import FaultError, HostError
from kata.grading.collecting.submissions import HandedIn
from kata.grading.judges.answer import Answer, checked, lost
from kata.grading.judges.judge_process import FirstJudgeProcess, JudgeProcess
from kata.grading.options import Options
from kata.words import say

MOST_TRIES = 3  # of a submission whose judge crashes


class JudgePool:
    """So many judges, on this machine: the grader's own, or those of a worker of a cluster."""

    def __init__(self, options: Options, count: int) -> None:
        self._first = FirstJudgeProcess(options) if count else None
        self._works = False  # whether any judge has ever answered
        self._free: SimpleQueue[JudgeProcess] = SimpleQueue()
        self._judges = [JudgeProcess(options, self._first) for _ in range(count) if self._first]
        for judge in self._judges:
            self._free.put(judge)

    def grade(
        self, submissions: Iterator[HandedIn]
    ) -> Iterator[tuple[HandedIn, SubmissionVerdict]]:
        """Every submission with its verdict, in the order in which they are done.

        Those that were not judged, or had too little of the machine, are judged again at the end,
        when nobody is beside them.
        """
        again: list[HandedIn] = []
        for handed, (found, alone) in self._all(submissions):
            if alone:
                again.append(handed)
            else:
                yield handed, submission_from_dict(found)
        for handed in again:
            yield handed, submission_from_dict(self.judge(handed)[0])

    def _all(self, submissions: Iterator[HandedIn]) -> Iterator[tuple[HandedIn, Answer]]:
        """No submission is read before a judge is free."""
        threads = ThreadPoolExecutor(len(self._judges))
        sent: dict[Future[Answer], HandedIn] = {}
        try:
            for handed in submissions:
                sent[threads.submit(self.judge, handed)] = handed
                if len(sent) == len(self._judges):
                    yield from _done(sent)
            while sent:
                yield from _done(sent)
        finally:
            threads.shutdown(wait=False)

    def judge(self, handed: HandedIn) -> Answer:
        """The answer of a judge that is free; several threads may ask at a time.

        Raises FaultError if the kata itself has a fault.
        """
        judge = self._free.get()
        try:
            return checked(self._answer(judge, handed))
        except FaultError:
            raise
        except HostError as error:
            if not self._works:  # there is something wrong with this machine
                raise
            return lost(handed, say("judges.host", reason=error)), True
        finally:
            self._free.put(judge)

    def _answer(self, judge: JudgeProcess, handed: HandedIn) -> Answer:
        for _ in range(MOST_TRIES):
            if found := judge.ask(handed):
                self._works = True
                return found
        return lost(handed, say("judges.judge-died", count=MOST_TRIES)), True

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        for judge in self._judges:
            judge.close()
        if self._first:
            self._first.close()


def _done(sent: dict[Future[Answer], HandedIn]) -> Iterator[tuple[HandedIn, Answer]]:
    """Wait until a judge is done; the results of all that are."""
    for each in wait(sent, return_when=FIRST_COMPLETED).done:
        yield sent.pop(each), each.result()
