"""The reference passes its own suites, as a learner would run them; a GPU may be missing."""

from kata.course.curriculum import ROOT, exercises
from tests.helpers.learner_folder import run_python


def test_every_claim_holds_for_the_solutions() -> None:
    """The gates of the fast tier judge those again whose suite or solution has changed."""
    words = ["exercises", "--solutions", "-q", "-p", "no:cacheprovider"]

    run = run_python("pytest", words, ROOT, COLUMNS="200")

    assert run.status == 0, run.out[-3000:]
    assert "every claim that was run holds" in run.out
    assert run.out.count(" claims hold") == len(exercises())
    assert " failed" not in run.out
