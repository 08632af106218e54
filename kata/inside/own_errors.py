"""What a test learns of an error of the answer that it tests: those that the answer raises itself.

How PyTorch or NumPy complain about arguments that no contract allows tells how an answer is
written, and nothing of what it promises.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dis import opmap

from kata.words import say

RAISES = opmap["RAISE_VARARGS"]  # what `raise` and `assert` are compiled to
ORIGIN = "__kata_origin__"  # an attribute of an error that a test's own function has raised


class OutsideContractError(Exception):
    """An error of a library, in a call that the contract does not speak of."""


@contextmanager
def own_errors() -> Iterator[None]:
    """Let errors pass that are raised by hand, or come from the test; replace all others."""
    try:
        yield
    except Exception as error:
        if is_by_hand(error) or hasattr(error, ORIGIN):
            raise
        raise OutsideContractError(say("inside.outside-contract")) from error


def is_by_hand(error: BaseException) -> bool:
    """Whether a `raise` or an `assert` of somebody's own raises it, and no library."""
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    if last is None:
        return False
    code = last.tb_frame.f_code
    return code.co_code[last.tb_lasti] == RAISES and not _is_installed(code.co_filename)


def _is_installed(path: str) -> bool:
    return any(each in path for each in ("site-packages", "dist-packages", "<frozen"))
