"""Imports of torch and of every suite ahead of time, in the process that `kata watch` forks.

Each suite runs once on the solutions, so that the first save of a learner does not pay for what
libraries put off until they are first used. Once the watcher has ended, nobody waits for this
process: a fork for it would only write a traceback below the prompt.
"""

import gc
import os
from contextlib import suppress

from kata.course.curriculum import exercises
from kata.course.target import reference
from kata.judging.judge import judge

_watcher = os.getppid()
for _exercise in exercises().values():
    if os.getppid() != _watcher:
        os._exit(0)
    # Without torch, the exercises that need none are judged all the same.
    with suppress(Exception):
        judge(_exercise, reference())
gc.collect()
# A fork that never walks these objects never copies their pages.
gc.freeze()
