"""Grade what a class has handed in.

Submissions never run in this process, and can affect a mark only by being correct. The grades are
in `grades/`; an interrupted run resumes where it stopped. `python grader.py` of a checkout does the
same.
"""

from kata.grading.cli import arguments, run

__all__ = ["arguments", "run"]
