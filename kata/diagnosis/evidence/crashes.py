"""Error messages that have one cause in any code."""

from typing import Any

from kata.diagnosis.evidence.causes import cause_of
from kata.diagnosis.observe import Finding
from kata.diagnosis.trace import is_error
from kata.verdict import Diagnosis, Fit


def crash(first: Finding) -> Diagnosis | None:
    """The cause of the error that made this claim fail, if its text has only one."""
    outcome: Any = first.sights[-1].outcome if first.sights else None
    if not is_error(outcome):
        return None
    found = cause_of("crashes", outcome[2])
    return Diagnosis(Fit.CRASH, (found,), 1) if found else None
