"""What the workflow of a GitHub Classroom runs: it grades one student's repository.

`python -m kata.grading.platforms.github WORK [OPTION OF THE GRADER …]`. The marks go to the next
step, the feedback to the summary of the run, and junit.xml to `results`. Nothing that a student
wrote is printed, because GitHub takes some printed lines for commands. If grading fails, the step
fails.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from kata.grading.platforms.one_submission import graded

REPORTS = ("classroom", "junit", "feedback")
LARGEST = 1_000_000  # bytes; GitHub accepts 1 MiB for the summary of a step


def main(work: Path, options: Sequence[str]) -> None:
    """Grade, and write everything to where GitHub looks for it."""
    with graded(work, REPORTS, options) as outcome:
        _add("GITHUB_OUTPUT", f"result={outcome.report('classroom', 'base64').strip()}\n")
        feedback = outcome.report("feedback", "md").encode()[:LARGEST]
        _add("GITHUB_STEP_SUMMARY", feedback.decode(errors="ignore"))
        results = Path("results")
        results.mkdir(exist_ok=True)
        shutil.copyfile(outcome.grades / "junit.xml", results / "junit.xml")
    print(*outcome.notes, sep="\n")


def _add(variable: str, text: str) -> None:
    """Append to the file that this environment variable names."""
    with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
