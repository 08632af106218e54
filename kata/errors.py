"""Errors whose text is for the user."""

from kata.text import clean


class UserError(Exception):
    """A request that cannot be met; a stranger's words in the text are made safe."""

    def __init__(self, text: str) -> None:
        super().__init__(clean(text))


def unwritable(error: OSError, path: object = None) -> UserError:
    """Return the error about a file that cannot be written: this one, or the one in the error."""
    return UserError(f"cannot write {path or error.filename}: {error.strerror}")


class HostError(Exception):
    """This machine cannot run submissions."""


class FaultError(HostError):
    """A fault of the kata itself, which fails on its own reference, and so on everybody's work."""


class LostError(BaseException):
    """A failure on the grader's own side, which says nothing about the submission.

    It is a BaseException, so that no handler takes it for an error of the learner's code.
    """
