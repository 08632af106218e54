"""What can go wrong for somebody who uses the kata; the text is for them."""

from kata.text import clean


class UserError(Exception):
    """What was asked for cannot be done; the text may hold a stranger's words and is made safe."""

    def __init__(self, text: str) -> None:
        super().__init__(clean(text))


def unwritable(error: OSError, path: object = None) -> UserError:
    """What is raised where this file cannot be written, or the one that the error names."""
    return UserError(f"cannot write {path or error.filename}: {error.strerror}")


class HostError(Exception):
    """This machine cannot run submissions."""


class FaultError(HostError):
    """The kata itself has a fault: it fails on its own reference, and so on everybody's work."""


class LostError(BaseException):
    """The grader's own side failed, which says nothing about the submission.

    A BaseException, so that no handler takes it for an error of the learner's code.
    """
