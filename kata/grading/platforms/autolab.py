"""What Autolab's Makefile does: one submission becomes the two lines that Autolab reads.

`python -m kata.grading.platforms.autolab WORK OPTIONS`. Nothing else is ever printed; if nothing
can be, the exit status is 1 and the last line of the errors says why.
"""

import sys
from pathlib import Path

from kata.grading.platforms.bundle import options_in
from kata.grading.platforms.one_submission import graded


def main(work: Path, options: Path) -> None:
    """Print feedback, and below it the scores."""
    with graded(work, ["autolab"], options_in(options)) as outcome:
        report = outcome.report("autolab", "txt")
    print(report, end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
