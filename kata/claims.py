"""The helpers that every claim of a graded suite asserts through.

They look in this order, and stop at the first thing that is wrong: returned at all, type, shape,
dtype, finite, values.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from kata.attempt import LearnerError
from kata.case import Event, current
from kata.draw import numpy
from kata.show import number
from kata.submission import ModuleHandle, Opaque
from kata.verdict import Picture

WIDEST = 12  # rows and columns of a picture; two with more would not fit beside one another

# A right answer may be off by its own roundings: a root taken in float32 shifts a float64 result by
# 1e-7, and right styles of attention lie within 4e-7 of one another in float32. Both rtol and atol.
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-6}


class ClaimFailedError(Exception):
    """A claim does not hold; the evidence is for the learner to read."""

    def __init__(self, evidence: str, cause: str = "", picture: Picture | None = None) -> None:
        super().__init__(evidence)
        self.evidence = evidence
        self.cause = cause
        self.picture = picture


def equal(
    got: Any,
    expected: Any,
    *,
    dtype: str = "",
    where: Any = None,
    what: str = "",
    cause: str = "",
    picture: bool = False,
) -> None:
    """What came back is what was expected.

    Args:
        got: what the learner's code returned.
        expected: array, tensor or nested list of the right values.
        dtype: the name of the dtype that the contract promises, if it promises one.
        where: boolean array: compare only there.
        what: the name of the value, where a call returns several.
        cause: the one mistake that this evidence points to, if there is only one.
        picture: show both as heat maps (weights and masks).
    """
    is_array(got, what)
    right = numpy(expected)
    _same_shape(got, right.shape, what)
    _same_dtype(got, dtype or ("bool" if right.dtype == bool else ""), what)
    mine = numpy(got)
    _finite(mine, right, what)
    wrong = ~_close(mine, right, got)
    if where is not None:
        wrong &= np.broadcast_to(numpy(where), wrong.shape)
    if wrong.any():
        drawn = _picture(mine, right, wrong) if picture and mine.ndim >= 2 else None
        raise ClaimFailedError(_worst(mine, right, wrong, what), cause, drawn)


def raises(
    kind: str, call: Callable[[], Any], mentions: Sequence[object] = (), cause: str = ""
) -> None:
    """The call raises this kind of error, and its message contains these."""
    try:
        got = call()
    except LearnerError as error:
        _right_error(error, kind, mentions)
        return
    raise ClaimFailedError(f"no error was raised, expected {kind}; it returned {_kind(got)}", cause)


def _right_error(error: LearnerError, kind: str, mentions: Sequence[object]) -> None:
    if kind not in error.kinds:
        raise ClaimFailedError(f"expected {kind}, got {error}")
    if missing := [str(each) for each in mentions if str(each) not in error.text]:
        raise ClaimFailedError(
            f"the message of {kind} should name {' and '.join(missing)}; it says: {error.text!r}"
        )


def arguments_kept(cause: str = "") -> None:
    """No call of this claim changed what it was given."""
    for event in current().events:
        for name, before, after in zip(event.names, event.before, event.after, strict=False):
            if not _is_array(before):
                continue
            first, second = numpy(before), numpy(after)
            if first.shape != second.shape or not np.array_equal(first, second, equal_nan=True):
                raise ClaimFailedError(f"`{name}` was changed by {event.label}", cause)


def is_pair(got: Any, what: str = "(output, weights)") -> None:
    """A tuple of two came back."""
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        missing = " (is a `return` missing?)" if got is None else ""
        raise ClaimFailedError(f"returned {_kind(got)}, expected a tuple {what}{missing}")


def is_array(got: Any, what: str = "") -> None:
    """An array of the exercise's library came back, and not None or a list."""
    library = current().library
    kind = "a numpy array" if library == "numpy" else "a torch tensor"
    if got is None and not what:
        raise ClaimFailedError(f"returned None, expected {kind} (is a `return` missing?)")
    right = isinstance(got, np.ndarray) if library == "numpy" else hasattr(got, "detach")
    if not right:
        subject = f"{what} is" if what else "returned"
        raise ClaimFailedError(f"{subject} {_kind(got)}, expected {kind}")


def has_shape(got: Any, shape: Sequence[int], what: str = "") -> None:
    """An array of this shape came back, whatever it holds."""
    is_array(got, what)
    _same_shape(got, tuple(shape), what)


def is_module(got: Any) -> None:
    """A constructor gave an nn.Module."""
    if not isinstance(got, ModuleHandle):
        raise ClaimFailedError(f"got {_kind(got)}, expected an nn.Module")


def has_parameters(module: ModuleHandle, shapes: Mapping[str, Sequence[int]]) -> None:
    """These parameters are there, by name and shape, and none is another one's twin."""
    is_module(module)
    own = {name: list(value.shape) for name, value in module.parameters().items()}
    for name, shape in shapes.items():
        if name not in own:
            found = ", ".join(own) or "none at all"
            raise ClaimFailedError(f"no parameter `{name}`; there are: {found}")
        if own[name] != list(shape):
            raise ClaimFailedError(
                f"parameter `{name}` has shape {tuple(own[name])}, expected {tuple(shape)}"
            )
    if shared := [names for names in module.shared() if len(set(names) & set(shapes)) > 1]:
        raise ClaimFailedError(f"{' and '.join(shared[0])} are one and the same parameter")


def known_mistake(got: Any, mistakes: Mapping[str, Any]) -> str:
    """The cause whose wrong numbers are exactly these, if one is; for the `cause` of a claim."""
    if not _is_array(got):
        return ""
    mine = numpy(got)
    fits = {cause: numpy(wrong) for cause, wrong in mistakes.items()}
    return next((c for c, w in fits.items() if w.shape == mine.shape and np.allclose(mine, w)), "")


def between(value: float, low: float, high: float, what: str, cause: str = "") -> None:
    """A measured share or size lies in its bounds."""
    if not low <= value <= high:
        right = number(low) if low == high else f"{number(low)} to {number(high)}"
        raise ClaimFailedError(f"{what}: expected {right}, got {number(value)}", cause)


def gradients(output: Any, *inputs: Any) -> list[Any]:
    """The gradients of a fixed weighted sum of the output, one for each input.

    The weights are not all the same: a plain sum would hide what a softmax does.
    """
    import torch  # only claims of torch exercises come here

    with _way_back(output):
        found = list(torch.autograd.grad(_weighted(output).sum(), inputs, allow_unused=True))
    for each in found:
        current().events.append(Event("gradient", outcome=each))
    return found


def backward(output: Any) -> Any:
    """Send gradients to everything that the output came from; returns what was sent."""
    with _way_back(output):
        _weighted(output).sum().backward()
    return _steps(output)


def equal_gradient(got: Any, expected: Any, name: str, where: Any = None) -> None:
    """This gradient came back, and is the right one."""
    current().events.append(Event(f"gradient of {name}", outcome=got))
    if got is None:
        raise ClaimFailedError(f"no gradient flows back to {name}", "every way to it is cut off")
    equal(got, expected, what=f"the gradient of {name}", where=where)


@contextmanager
def _way_back(output: Any) -> Iterator[None]:
    """What goes wrong in a backward pass is the learner's, like an error in a call."""
    is_array(output)
    if not output.requires_grad:
        cause = "`.detach()`, `.item()`, `.data`, `torch.no_grad()` or a trip through NumPy"
        raise ClaimFailedError("no gradient flows back: the output is cut off", cause)
    try:
        yield
    except RuntimeError as error:
        current().events.append(Event("gradient", outcome=str(error)))
        inplace = "an in-place operation on a tensor that its own gradient needs"
        text = f"no gradient can be computed: {str(error).split(':')[0]}"
        raise ClaimFailedError(text, inplace if "inplace" in str(error) else "") from None


def _weighted(output: Any) -> Any:
    return output * _steps(output)


def _steps(output: Any) -> Any:
    import torch

    steps = torch.linspace(-1, 1, output.numel(), dtype=output.dtype, device=output.device)
    return steps.view(output.shape)


def _same_shape(got: Any, expected: tuple[int, ...], what: str) -> None:
    if tuple(got.shape) != expected:
        subject = f"{what}: " if what else ""
        raise ClaimFailedError(f"{subject}shape {tuple(got.shape)}, expected {expected}")


def _same_dtype(got: Any, expected: str, what: str) -> None:
    name = str(got.dtype).removeprefix("torch.")
    subject = f"{what}: " if what else ""
    if name == "object" or (expected and name != expected):
        raise ClaimFailedError(f"{subject}dtype {name}, expected {expected or 'numbers'}")


def _finite(mine: Any, right: Any, what: str) -> None:
    if mine.dtype != np.float64 or right.dtype != np.float64:
        return
    bad = ~np.isfinite(mine) & np.isfinite(right)
    if bad.any():
        where = _index(bad, bad)
        subject = f" of {what}" if what else ""
        raise ClaimFailedError(
            f"{bad.sum()} of {bad.size} values{subject} are not finite; first at {list(where)}: "
            f"expected {number(right[where])}, got {number(mine[where])}"
        )


def _close(mine: Any, right: Any, got: Any) -> Any:
    if "f" not in {right.dtype.kind, mine.dtype.kind}:
        return mine == right
    limit = TOLERANCE.get(str(got.dtype).removeprefix("torch."), 1e-6)
    with np.errstate(invalid="ignore"):  # inf − inf; equal infinities are equal all the same
        near = np.abs(mine - right) <= limit * (1 + np.abs(right))
    return near | (mine == right)


def _worst(mine: Any, right: Any, wrong: Any, what: str) -> str:
    with np.errstate(invalid="ignore"):
        gap = np.abs(mine.astype(np.float64) - right.astype(np.float64))
    where = _index(wrong, np.where(np.isfinite(gap), gap, np.inf))
    subject = f" of {what}" if what else ""
    return (
        f"{wrong.sum()} of {wrong.size} values{subject} differ; worst at {list(where)}: "
        f"expected {number(right[where])}, got {number(mine[where])}"
    )


def _index(among: Any, size: Any) -> tuple[int, ...]:
    flat = np.argmax(np.where(among, size, -np.inf))
    return tuple(int(each) for each in np.unravel_index(flat, among.shape))


def _picture(mine: Any, right: Any, wrong: Any) -> Picture:
    """The last two dimensions, at the place of the worst value."""
    gap = np.abs(np.nan_to_num(mine.astype(np.float64) - right.astype(np.float64), nan=np.inf))
    *slab, row, column = _index(wrong, gap)
    rows, columns = _window(row, wrong.shape[-2]), _window(column, wrong.shape[-1])
    window = (*slab, rows, columns)
    return Picture(
        expected=right[window].astype(float).tolist(),
        got=mine[window].astype(float).tolist(),
        wrong=wrong[window].tolist(),
        where=", ".join(map(str, slab)),
        row=rows.start,
        column=columns.start,
    )


def _window(place: int, length: int) -> slice:
    """The part of an axis round a place that fits into a picture."""
    start = max(0, min(place - WIDEST // 2, length - WIDEST))
    return slice(start, start + WIDEST)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "detach")


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, Opaque):
        return f"a {value.kind}"
    if isinstance(value, ModuleHandle):
        return "a module"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if _is_array(value):
        kind = "a numpy array" if isinstance(value, np.ndarray) else "a torch tensor"
        return f"{kind} of shape {tuple(value.shape)}"
    return f"a {type(value).__name__}"
