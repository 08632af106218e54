"""What the grader sees of a text, beside what is seen in one's own process: for the gates."""

import atexit
import os
import time
from functools import cache

from kata.catalogue import target_of
from kata.curriculum import Exercise
from kata.grading.host import Nursery
from kata.grading.judging import MIB, find
from kata.grading.options import MEMORY
from kata.grading.remote import SUBMISSION, RemoteAttempt
from kata.judge import suite
from kata.limits import TIME_LIMIT
from kata.observation import Observation, observe
from kata.target import Target

LONG = 3600  # seconds for all


def graded(exercise: Exercise, text: str) -> Observation:
    """All claims on this text, whose code runs in a worker; here, where there is no fork."""
    if not hasattr(os, "fork"):
        return observe(exercise, target_of(exercise, text))
    target = Target(SUBMISSION, {exercise.slug: text})
    attempt = RemoteAttempt(exercise, target, _nursery(), TIME_LIMIT, time.monotonic() + LONG)
    claims = (claim for claim in suite(exercise) if claim.device != "cuda")
    try:
        return Observation(exercise.slug, {each.id: find(each, attempt) for each in claims})
    finally:
        attempt.close()


@cache
def _nursery() -> Nursery:
    nursery = Nursery(MEMORY * MIB, LONG)
    nursery.warm_up()
    atexit.register(nursery.end)
    return nursery
