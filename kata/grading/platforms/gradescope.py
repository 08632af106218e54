"""What Gradescope's run_autograder does: one submission becomes one results.json.

`python -m kata.grading.platforms.gradescope PREFIX`, where PREFIX holds `submission`, `source` and
`results`, as Gradescope lays them out.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kata.grading.platforms.bundle import OPTIONS, options_in, text
from kata.grading.platforms.one_submission import SingleError, graded
from kata.grading.reports.gradescope import FORM, HIDDEN
from kata.grading.reports.tables import replacing
from kata.grading.reports.text import clean
from kata.words import say

NO_RESULTS = "no-results.json"


def no_results(most: float) -> str:
    """What counts as long as there is nothing better: no points, of so many."""
    results = json.loads(text("gradescope/no-results.json"))
    results["extra_data"] = {"form": FORM, "max_score": most}
    return f"{json.dumps(results, indent=1)}\n"


def main(prefix: Path) -> None:
    """Write results that Gradescope can read, whatever happens."""
    try:
        results = _results(prefix)
    except Exception as error:  # a fault of the grader, too, is told, and nobody is left waiting
        results = _fault(prefix, error)
    with replacing(prefix / "results" / "results.json") as file:
        json.dump(results, file, indent=1)


def _results(prefix: Path) -> dict[str, Any]:
    options = options_in(prefix / "source" / OPTIONS)
    with graded(prefix / "submission", ["gradescope"], options) as outcome:
        results: dict[str, Any] = json.loads(outcome.report("gradescope", "json"))
    results["tests"].append(_hidden(outcome.told))
    return results


def _hidden(lines: Iterable[str]) -> dict[str, str]:
    """A row that only the instructor sees."""
    return {"name": say("platforms.machine"), "output": "\n".join(map(clean, lines)), **HIDDEN}


def _fault(prefix: Path, error: Exception) -> dict[str, Any]:
    """No points; what it was is told to the instructor alone."""
    reason = str(error) if isinstance(error, SingleError) else repr(error)
    results = json.loads((prefix / "source" / NO_RESULTS).read_text(encoding="utf-8"))
    return {**results, "output": say("platforms.fault"), "tests": [_hidden([reason])]}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
