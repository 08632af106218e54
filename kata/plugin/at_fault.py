"""Where `--pdb` stops: in the learner's function if it raised, otherwise in the claim."""

from pathlib import Path

from kata.course.curriculum import GRADED


def raise_for_debugger(error: BaseException | None, folder: Path) -> None:
    """Raise the error of a claim again, so that its last frame is one that a learner wants to see.

    Args:
        error: what ended the claim; nothing is raised if nobody debugs.
        folder: the learner's files.
    """
    if error is None:
        return
    last = None
    trace = error.__traceback__
    while trace:
        if Path(trace.tb_frame.f_code.co_filename).parent in {folder, GRADED}:
            last = trace
        trace = trace.tb_next
    if last:
        last.tb_next = None  # what a library or the kata did below it is of no interest
        raise error
