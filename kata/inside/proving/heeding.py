"""What a test says of warnings and of NumPy's errors, where the answer that it tests runs."""

import builtins
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

MODES = ("ignore", "warn", "raise")  # of NumPy
ACTIONS = ("default", "error", "ignore", "always", "module", "once")
MOST = 20  # filters, and warnings
LONGEST_TEXT = 300


def heeded() -> tuple[dict[str, str], list[tuple[str, str]]]:
    """What there is to heed now: modes of NumPy, and filters of warnings, the first one first."""
    errors = {name: mode for name, mode in np.geterr().items() if mode in MODES}
    plain: list[tuple[str, str]] = []
    for action, message, category, module, line in warnings.filters:
        if (message, module, line) == (None, None, 0):
            plain.append((action, str(getattr(category, "__name__", ""))))
            if category is Warning:  # what comes after it is never asked
                break
    return errors, plain[:MOST]


@contextmanager
def heeding(
    errors: dict[str, str], filters: list[tuple[str, str]]
) -> Iterator[Callable[[], list[tuple[str, str]]]]:
    """Heed it; gives the warnings that were raised meanwhile, once that is over."""
    with warnings.catch_warnings(record=True) as seen, np.errstate(**_modes(errors)):
        warnings.resetwarnings()
        for action, name in reversed(filters[:MOST]):
            if action in ACTIONS and (category := _category(name)):
                warnings.simplefilter(action, category)  # type: ignore[arg-type]  # one of them
        yield lambda: [(each.category.__name__, str(each.message)[:LONGEST_TEXT])
                       for each in seen[:MOST]]  # fmt: skip


def warn_again(warned: list[tuple[str, str]]) -> None:
    """Warn here, as the other process did there."""
    for name, text in warned[:MOST]:
        warnings.warn(text, _category(name) or UserWarning, stacklevel=3)


def _modes(errors: dict[str, str]) -> Any:
    return {name: mode for name, mode in errors.items() if mode in MODES and name in np.geterr()}


def _category(name: str) -> type[Warning] | None:
    """A kind of warning that Python itself has."""
    found = getattr(builtins, str(name), None)
    return found if isinstance(found, type) and issubclass(found, Warning) else None
