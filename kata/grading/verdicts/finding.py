"""One claim about a submission whose code runs in a worker."""

import time
from functools import partial

from kata.diagnosis.observe import Finding, called
from kata.diagnosis.trace import sights
from kata.grading.sandbox.channel import StoppedError
from kata.grading.sandbox.remote import RemoteAttempt
from kata.judging.case import Case
from kata.judging.judge import Claim, case_of, check, inputs
from kata.verdict import ClaimVerdict, Message


def find(claim: Claim, attempt: RemoteAttempt) -> Finding:
    """The verdict, and what was seen, also if the worker has to be stopped."""
    case = case_of(claim, attempt.exercise)
    start = time.perf_counter()
    try:
        return _found(check(claim, attempt, case), case)
    except StoppedError as stop:
        seconds = time.perf_counter() - start
        message = Message(claim.sentence, inputs(case), stop.text, leads=True)
        return _found(ClaimVerdict(claim.id, stop.state, message, seconds, claim.device), case)


def made(claim: Claim, attempt: RemoteAttempt) -> Finding:
    """The same for a worker that goes on; raises StoppedError if it has to be stopped."""
    case = case_of(claim, attempt.exercise)
    return _found(check(claim, attempt, case), case)


def _found(verdict: ClaimVerdict, case: Case) -> Finding:
    """What came from a worker stays as it is, so that it can be brought into its form later."""
    return Finding(verdict, called(case), partial(sights, case.events))
