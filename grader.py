"""Grade what a class has handed in: `python grader.py SUBMISSIONS`.

Nothing that is handed in runs in this process, and nothing of it can change a mark but by being
right. The grades are in `grades/`; an interrupted run goes on where it was.
"""

import sys

from kata.grading.cli import main

if __name__ == "__main__":  # the processes of the judges import this file, too
    sys.exit(main(sys.argv[1:]))
