"""Grade what a class has handed in: `python grader.py SUBMISSIONS`.

Submissions never run in this process, and can affect a mark only by being correct. The grades are
in `grades/`; an interrupted run resumes where it stopped.
"""

import sys

from kata.grading.cli import main

if __name__ == "__main__":  # judge processes import this file, too
    sys.exit(main(sys.argv[1:]))
