"""What Gradescope's run_autograder runs: it grades one submission and writes results.json.

`python -m kata.grading.platforms.gradescope PREFIX`, where PREFIX contains Gradescope's folders
`submission`, `source` and `results`.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kata.grading.platforms.bundle import OPTIONS, options_in, text
from kata.grading.platforms.one_submission import NotGradedError, graded
from kata.grading.reports.gradescope import FORM, HIDDEN
from kata.grading.reports.tables import replacing
from kata.text import clean
from kata.words import say

NO_RESULTS = "no-results.json"


def no_results(max_score: float) -> str:
    """The results that count until there are better ones: no points."""
    results = json.loads(text("gradescope/no-results.json"))
    results["extra_data"] = {"form": FORM, "max_score": max_score}
    return f"{json.dumps(results, indent=1)}\n"


def main(prefix: Path) -> None:
    """Write results that Gradescope can read, even if the grader fails."""
    try:
        results = _results(prefix)
    except Exception as error:  # also a bug of the grader: the student always gets results
        results = _fault(prefix, error)
    with replacing(prefix / "results" / "results.json") as file:
        json.dump(results, file, indent=1)


def _results(prefix: Path) -> dict[str, Any]:
    options = options_in(prefix / "source" / OPTIONS)
    with graded(prefix / "submission", ["gradescope"], options) as outcome:
        results: dict[str, Any] = json.loads(outcome.report("gradescope", "json"))
    results["tests"].append(_hidden(outcome.notes))
    return results


def _hidden(lines: Iterable[str]) -> dict[str, str]:
    """A row that only the instructor sees."""
    return {"name": say("platforms.machine"), "output": "\n".join(map(clean, lines)), **HIDDEN}


def _fault(prefix: Path, error: Exception) -> dict[str, Any]:
    """No points, and the reason in a row that only the instructor sees."""
    reason = str(error) if isinstance(error, NotGradedError) else repr(error)
    results = json.loads((prefix / "source" / NO_RESULTS).read_text(encoding="utf-8"))
    return {**results, "output": say("platforms.fault"), "tests": [_hidden([reason])]}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
