"""The conditions under which a test meets the answer that it tests, in one process or across two.

The test's random numbers begin with a seed that the judge has chosen; it is called once for each of
its cases; it may pass only some values to the answer; and it learns only of errors that the answer
raises itself. `kata.proofs` keeps these conditions at home, `peer` and `roles` in class: all of
them call this module, which therefore imports neither torch nor NumPy before a call needs them.
"""

import builtins
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dis import opmap
from itertools import count, product
from types import SimpleNamespace
from typing import Any

from kata.text import clean

BITS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64", "SeedSequence")
LARGEST = 2**32  # of the seeds that NumPy takes
MOST_NUMBERS = 2 * 2**20  # in one call: each may become a double
RAISES = opmap["RAISE_VARARGS"]  # what `raise` and `assert` are compiled to
ORIGIN = "__kata_origin__"  # an attribute of an error that a test's own function has raised
SEEDS = 2**62
MODES = ("ignore", "warn", "raise")  # of NumPy's errors
ACTIONS = ("default", "error", "ignore", "always", "module", "once")
MOST_WARNINGS = 20  # and filters of them
LONGEST_WARNING = 300
Change = tuple[Any, str, Any]  # an owner, a name, what it is to stand for
Warned = list[tuple[str, str]]  # the name of a kind of warning, and its text

_seeds: Iterator[int] = count()


def begin_chance(seed: int) -> None:
    """Begin the random numbers anew, wherever a test may get them from."""
    global _seeds  # noqa: PLW0603  # as the generators that it seeds are the process' own
    _seeds = count(seed + 1)
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed % LARGEST)
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(seed)


@contextmanager
def without_entropy() -> Iterator[None]:
    """Seed generators that are made without a seed, in the same way in every run."""
    changes = [*_seeded_generators()]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    try:
        for change in changes:
            setattr(*change)
        yield
    finally:
        for change in before:
            setattr(*change)


def _seeded_generators() -> Iterator[Change]:
    usual, seed_python = random.Random, random.seed

    class Random(usual):  # type: ignore[misc, valid-type]  # the class as it was before
        def seed(self, a: Any = None, version: int = 2) -> None:
            super().seed(_next(a), version)

    yield random, "Random", Random
    yield random, "seed", lambda a=None, version=2: seed_python(_next(a), version)
    if numpy := sys.modules.get("numpy"):
        owner = numpy.random
        make, seed_numpy = owner.default_rng, owner.seed
        yield owner, "default_rng", lambda seed=None: make(_next(seed))
        yield owner, "seed", lambda seed=None: seed_numpy(_next(seed))
        for name in ("RandomState", *BITS):
            yield owner, name, _seeded(getattr(owner, name))
    if torch := sys.modules.get("torch"):
        generator = torch.default_generator
        yield torch, "seed", lambda: generator.manual_seed(_next(None)).initial_seed()


def _seeded(kind: Any) -> Any:
    """Derive a class that takes the next seed if it gets none."""

    class Seeded(kind):  # type: ignore[misc]  # NumPy has several of them
        def __init__(self, seed: Any = None, *more: Any, **named: Any) -> None:
            own = seed if more or named else _next(seed)
            super().__init__(own, *more, **named)

    Seeded.__name__ = kind.__name__
    return Seeded


def _next(seed: Any) -> Any:
    return next(_seeds) % LARGEST if seed is None else seed


def cases(test: Any) -> Iterator[dict[str, Any]]:
    """Yield the arguments that `pytest.mark.parametrize` gives a test, combined as pytest does."""
    for rows in product(*parameters(test)):
        yield {name: value for row in rows for name, value in row.items()}


def parameters(test: Any) -> list[list[dict[str, Any]]]:
    """Return the rows of arguments of every `pytest.mark.parametrize`; raise if they do not fit."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    return [[*_rows(mark)] for mark in marks]


def _rows(mark: Any) -> Iterator[dict[str, Any]]:
    names, rows = mark.args[:2]
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    for row in rows:
        values = getattr(row, "values", row)  # of a `pytest.param`
        several = len(names) > 1 or values is not row
        yield dict(zip(names, values if several else [values], strict=True))


class UnavailableError(Exception):
    """A test asks for what no test can have, whatever the answer that it tests."""


def not_handed_over(value: Any) -> UnavailableError:
    """Return the error of a test that passes a value that no test may pass."""
    return UnavailableError(
        f"a proof cannot hand over a {clean(type(value).__name__)}: numbers, texts, lists, arrays, "
        "tensors, modules and functions can be handed over"
    )


def check_handed_over(*values: Any) -> None:
    """Raise UnavailableError for what no test may give to an answer."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    numbers, single = _counted(values)
    for value in single:
        is_plain = value is None or isinstance(value, (bool, int, float, str)) or callable(value)
        is_plain = is_plain or bool(numpy and isinstance(value, numpy.generic))
        if not (is_plain or (torch and isinstance(value, torch.dtype))):
            raise not_handed_over(value)
    if numbers > MOST_NUMBERS:
        raise UnavailableError(
            f"a proof hands over at most {MOST_NUMBERS:,} numbers in one call, and not {numbers:,}"
        )


def check_result(value: Any) -> None:
    """Raise UnavailableError for a result that is too large for a test."""
    numbers, _ = _counted((value,))
    if numbers > MOST_NUMBERS:
        raise UnavailableError(
            f"a result of {numbers:,} numbers: at most {MOST_NUMBERS:,} reach a proof"
        )


def _counted(values: Sequence[Any]) -> tuple[int, list[Any]]:
    """Count the numbers in all arrays, and list the values that are no array."""
    pending, numbers, single = [*values], 0, []
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    while pending:
        value = pending.pop()
        if isinstance(value, (list, tuple)):
            pending += value
        elif isinstance(value, SimpleNamespace):
            pending += vars(value).values()
        elif torch and isinstance(value, torch.Tensor):
            numbers += value.numel()
        elif numpy and isinstance(value, numpy.ndarray):
            numbers += value.size
        else:
            single.append(value)
    return numbers, single


class OutsideContractError(Exception):
    """An error of a library, in a call that the contract does not mention.

    The complaint of PyTorch or NumPy about arguments that no contract allows tells how an answer is
    written, and nothing of what it promises.
    """


@contextmanager
def own_errors() -> Iterator[None]:
    """Let errors pass that are raised by hand, or come from the test; replace all others."""
    try:
        yield
    except Exception as error:
        if _is_by_hand(error) or hasattr(error, ORIGIN):
            raise
        raise OutsideContractError(
            "an error that the contract does not name: "
            "what it says is nothing that an answer promises"
        ) from error


def _is_by_hand(error: BaseException) -> bool:
    """Return whether a `raise` or an `assert` of somebody's own raised it, and no library."""
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    if last is None:
        return False
    code = last.tb_frame.f_code
    installed = ("site-packages", "dist-packages", "<frozen")
    is_own = not any(part in code.co_filename for part in installed)
    return code.co_code[last.tb_lasti] == RAISES and is_own


# What a computation depends on beside its arguments. What a test sets for warnings and for NumPy's
# errors also holds in the process of the answer.


def surroundings(*, draws: bool) -> Any:
    """Return gradient mode, a seed, the usual dtype, modes of NumPy and filters of warnings."""
    import numpy as np
    import torch

    seed = int(torch.randint(SEEDS, ())) if draws else None
    dtype = str(torch.get_default_dtype()).removeprefix("torch.")
    modes = {name: mode for name, mode in np.geterr().items() if mode in MODES}
    filters: list[tuple[str, str]] = []
    for action, message, kind, module, line in warnings.filters:
        if (message, module, line) == (None, None, 0):
            filters.append((action, str(getattr(kind, "__name__", ""))))
            if kind is Warning:  # what comes after it is never asked
                break
    return torch.is_grad_enabled(), seed, dtype, modes, filters[:MOST_WARNINGS]


@contextmanager
def surrounded_by(
    grads: bool, seed: int | None, dtype: str, modes: dict[str, str], filters: list[Any]
) -> Iterator[Callable[[], Warned]]:
    """Apply the caller's settings within the block; yield a function that returns its warnings."""
    import numpy as np
    import torch

    if seed is not None:
        torch.default_generator.manual_seed(seed)
    torch.set_default_dtype(getattr(torch, dtype))
    usual = np.geterr()
    errors: Any = {name: mode for name, mode in modes.items() if mode in MODES and name in usual}
    with (
        torch.set_grad_enabled(grads),
        warnings.catch_warnings(record=True) as caught,
        np.errstate(**errors),
    ):
        warnings.resetwarnings()
        for action, name in reversed(filters[:MOST_WARNINGS]):
            if action in ACTIONS and (kind := category(name)):
                warnings.simplefilter(action, kind)
        yield lambda: [(warning.category.__name__, str(warning.message)[:LONGEST_WARNING])
                       for warning in caught[:MOST_WARNINGS]]  # fmt: skip


def category(name: str) -> type[Warning] | None:
    """Return the kind of warning of this name, if it is one that Python itself has."""
    kind = getattr(builtins, str(name), None)
    return kind if isinstance(kind, type) and issubclass(kind, Warning) else None
