"""Error messages that have one cause in any code."""

import re
from typing import Any

from kata.diagnosis.evidence.causes import cause_of
from kata.diagnosis.observe import Finding
from kata.diagnosis.trace import is_error
from kata.verdict import Diagnosis, Fit, State

ERROR = re.compile(r"(\w+): (.*)")


def crash(first: Finding) -> Diagnosis | None:
    """The cause of the error that made this claim fail, if its kind and text have only one."""
    outcome: Any = first.sights[-1].outcome if first.sights else None
    kind, text = (outcome[1][0], outcome[2]) if is_error(outcome) else _on_import(first)
    mistake = kind and (cause_of("crashes", text) or cause_of("crashes", f"{kind}: {text}"))
    return Diagnosis(Fit.CRASH, (mistake,), 1) if mistake else None


def _on_import(first: Finding) -> tuple[str, str]:
    """The error that was raised before anything was called; empty if there was none."""
    message = first.verdict.message if first.verdict.state is State.ERROR else None
    match = ERROR.fullmatch(message.evidence.partition("\n")[0]) if message else None
    return (match[1], match[2]) if match else ("", "")
