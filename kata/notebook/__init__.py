"""The notebook of a learner: `from kata import check`."""

from kata.notebook.kernel import listen


def mend(line: str, cell: str) -> object:
    """Judge the function below `%%mend ex05`."""
    # Late, because it imports numpy.
    from kata.notebook.hunts import mend

    return mend(line, cell)


listen(mend=mend)
