"""What Autolab's Makefile runs: it prints the two lines about one submission that Autolab reads.

`python -m kata.grading.platforms.autolab WORK OPTIONS`. Nothing else is ever printed. If grading
fails, nothing is printed, the exit status is 1, and the last line on stderr says why.
"""

import sys
from pathlib import Path

from kata.grading.platforms.bundle import options_in
from kata.grading.platforms.one_submission import graded


def main(work: Path, options: Path) -> None:
    """Print the feedback, and on the last line the scores."""
    with graded(work, ["autolab"], options_in(options)) as outcome:
        report = outcome.report("autolab", "txt")
    print(report, end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
