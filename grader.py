"""Grade what a class has handed in: `python grader.py SUBMISSIONS`.

Submissions never run in this process, and can affect a mark only by being correct. The grades are
in `grades/`; an interrupted run resumes where it stopped.
"""

import sys

if __name__ == "__main__":
    # The processes beside it import this file, too, and need little of the rest.
    from kata.grading.cli import main

    sys.exit(main(sys.argv[1:]))
