"""The assertions that every claim of a graded suite is made of.

They look in this order, and stop at the first thing that is wrong: returned at all, type, shape,
dtype, finite, values.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from kata.inside.execution import raised
from kata.inside.objects import Opaque
from kata.judging.arrays import both_in_full, close, picture_of, worst_place
from kata.judging.attempt import LearnerError
from kata.judging.case import Call, Comparison, current
from kata.judging.inputs import numpy
from kata.judging.letters import in_letters
from kata.judging.submission import (
    WITHHELD,
    ModuleHandle,
    form_of_array,
    form_of_pair,
    form_of_truth,
    is_any_array,
)
from kata.judging.values import number, numbers_apart

HALVES = {"float16", "bfloat16"}
CUTS = "`.detach()`, `.item()`, `.data`, `torch.no_grad()` or a trip through NumPy"
IN_PLACE = "an in-place operation on a tensor that its own gradient needs"


class ClaimFailedError(Exception):
    """A claim does not hold; the evidence is for the learner to read.

    `fields` are further fields of the message that says so. The evidence `leads` if there is no
    value that the claim could be about.
    """

    def __init__(self, evidence: str, cause: str = "", **fields: Any) -> None:
        super().__init__(evidence)
        self.evidence = evidence
        self.cause = cause
        self.fields = fields


def equal(
    got: Any,
    expected: Any,
    *,
    dtype: str = "",
    where: Any = None,
    what: object = "",
    start: Any = None,
) -> None:
    """Assert that a result has the expected shape, dtype and values.

    Args:
        got: the result of the learner's code.
        expected: an array, a tensor or a nested list of the right values.
        dtype: the name of the dtype that the contract promises, if it promises one.
        where: a boolean array: compare only there.
        what: the name of the value, where a call returns several.
        start: the values at first, of something that is to change.
    """
    if _is_withheld(got):
        return
    is_array(got, what)
    right = numpy(expected)
    _same_shape(got, right.shape, what)
    _same_dtype(got, dtype or ("bool" if right.dtype == bool else ""), what)
    mine = numpy(got)
    _finite(mine, right, what)
    current().valued = True
    wrong = ~close(mine, right, _grain(got, dtype))
    judged = wrong | True if where is None else np.broadcast_to(numpy(where), wrong.shape)
    wrong &= judged
    if wrong.any():
        # Where only some values count, the others are not expected; a mask is whole all the same.
        whole = judged.all() or right.dtype == bool
        picture = picture_of(mine, right, wrong) if whole else None
        text = _differing(mine, right, wrong, what, judged)
        text = _and_more(text, got, right, start, worst_place(mine, right, wrong))
        in_full = where is None and not (picture and right.dtype == bool)
        compared = both_in_full(right, mine, wrong) if in_full else ""
        raise ClaimFailedError(text, picture=picture, compared=compared)


def raises(kind: str, call: Callable[[], Any], mentions: Sequence[object] = ()) -> None:
    """Assert that a call raises this kind of error, and that its message mentions these."""
    try:
        got = call()
    except LearnerError as error:
        _right_error(error, kind, mentions)
        return
    raise ClaimFailedError(f"no error was raised, expected {kind}; it returned {_kind(got)}")


def _right_error(error: LearnerError, kind: str, mentions: Sequence[object]) -> None:
    if kind not in error.kinds:
        text = f"expected {kind}, got {error}"
        raise ClaimFailedError(text, frames=error.frames, line=error.line, file=error.file)
    if missing := [str(mention) for mention in mentions if str(mention) not in error.text]:
        names = " and ".join(missing)
        text = f"the message of {kind} should name {names}; it says: {error.text!r}"
        raise ClaimFailedError(text)


def moves_along(call: Callable[[], Any]) -> None:
    """Assert that a call meets no tensor that was left behind on another device.

    Other errors are for other claims to report: on the device "meta", which needs no GPU, tensors
    hold no numbers.
    """
    try:
        call()
    except LearnerError as error:
        if "expected" in error.text and "device" in error.text:
            raise


def arguments_kept() -> None:
    """Assert that no call of this claim changed its arguments."""
    for event in current().events:
        for name, before, after in zip(event.names, event.before, event.after, strict=False):
            if not all(map(_is_unchanged, _arrays_in(before), _arrays_in(after))):
                raise ClaimFailedError(f"`{name}` was changed by {event.label}")


def _is_unchanged(before: Any, after: Any) -> bool:
    first, second = numpy(before), numpy(after)
    return first.shape == second.shape and np.array_equal(first, second, equal_nan=True)


def _arrays_in(value: Any) -> list[Any]:
    """List the array itself, or all arrays of a tuple or list, such as a cache."""
    if isinstance(value, (tuple, list)):
        return [array for part in value for array in _arrays_in(part)]
    return [value] if is_any_array(value) else []


def is_pair(got: Any, what: str = "(output, weights)") -> None:
    """Assert that a tuple of two came back."""
    is_tuple(got, 2, what)


def is_tuple(got: Any, count: int, what: str) -> None:
    """Assert that a tuple of this length came back."""
    if not isinstance(got, (tuple, list)) or len(got) != count:
        current().form = form_of_pair(got, count)
        text = f"returned {_kind(got)}, expected a tuple {what}{_no_return(got)}"
        raise ClaimFailedError(text, leads=True)


def is_array(got: Any, what: object = "") -> None:
    """Assert that an array of the exercise's library came back, and not None or a list."""
    library = current().library
    right = isinstance(got, np.ndarray) if library == "numpy" else hasattr(got, "detach")
    if not right and not _is_withheld(got):
        current().form = form_of_array(got, what)
        text = f"{what} is {_kind(got)}" if what else f"returned {_kind(got)}"
        hint = "" if what else _no_return(got)
        raise ClaimFailedError(f"{text}, expected {_array(library)}{hint}", leads=True)


def has_shape(got: Any, shape: Sequence[int], what: object = "") -> None:
    """Assert that an array of this shape came back, whatever it holds."""
    is_array(got, what)
    if not _is_withheld(got):
        _same_shape(got, tuple(shape), what)


def has_dtype(got: Any, dtype: str, what: object = "") -> None:
    """Assert that an array of this dtype came back, whatever it holds."""
    is_array(got, what)
    if not _is_withheld(got):
        _same_dtype(got, dtype, what)


def is_exactly(got: Any, expected: object, what: str) -> None:
    """Assert that a plain value of the same type came back, and that it is exactly equal."""
    if type(got) is not type(expected):
        raise _other_kind(got, type(expected), what)
    if got != expected:
        raise ClaimFailedError(f"{what}: expected {expected!r}, got {got!r}")


def is_list(got: Any, kind: type, count: int, what: str) -> None:
    """Assert that a list of this length came back, of plain values of this type."""
    if not isinstance(got, list):
        text = f"returned {_kind(got)}, expected a list of {count} {kind.__name__}"
        raise ClaimFailedError(text, leads=True)
    if len(got) != count:
        raise ClaimFailedError(f"len({what}): expected {count}, got {len(got)}")
    for place, value in enumerate(got):
        if not isinstance(value, kind):
            raise _other_kind(value, kind, f"{what}[{place}]")


def is_module(got: Any) -> None:
    """Assert that a constructor returned an nn.Module."""
    if not isinstance(got, ModuleHandle):
        raise ClaimFailedError(f"got {_kind(got)}, expected an nn.Module", leads=True)


def has_parameters(module: ModuleHandle, shapes: Mapping[str, Sequence[int]]) -> None:
    """Assert that parameters of these names and shapes exist, and share no tensor."""
    is_module(module)
    own = {name: list(value.shape) for name, value in module.parameters(*shapes).items()}
    if missing := [f"`{name}`" for name in shapes if name not in own]:
        existing = ", ".join(own) or "none at all"
        text = f"no parameter {_listed(missing)}; there are: {existing}"
        raise ClaimFailedError(text, leads=True)
    for name, shape in shapes.items():
        if own[name] != list(shape):
            got, right = tuple(own[name]), tuple(shape)
            raise ClaimFailedError(f"parameter `{name}` has shape {got}, expected {right}")
    if shared := [names for names in module.shared() if len(set(names) & set(shapes)) > 1]:
        raise ClaimFailedError(f"{' and '.join(shared[0])} are one and the same parameter")


def between(value: float, low: float, high: float, what: str) -> None:
    """Assert that a measured share or size lies within its bounds."""
    if not low <= value <= high:
        raise ClaimFailedError(f"{what}: expected {_bounds(low, high)}, got {number(value)}")


def _bounds(low: float, high: float) -> str:
    if low == high:
        return number(low)
    if math.isinf(high):
        return f"at least {number(low)}"
    return f"at most {number(high)}" if math.isinf(low) else f"{number(low)} to {number(high)}"


def gradients(output: Any, *inputs: Any) -> list[Any]:
    """Return the gradients of a fixed weighted sum of the output, one per input.

    The weights are not all the same: a plain sum would hide what a softmax does.
    """
    import torch  # only claims of torch exercises come here

    current().collects = False
    with _way_back(output):
        tensors = list(torch.autograd.grad(_weighted(output).sum(), inputs, allow_unused=True))
    current().collects = True
    for tensor in tensors:
        current().events.append(Call("gradient", outcome=tensor))
    return tensors


def backward(output: Any) -> Any:
    """Send gradients to everything that the output came from, and return those that were sent."""
    with _way_back(output):
        _weighted(output).sum().backward()
    return _steps(output)


def equal_gradient(got: Any, expected: Any, name: str, where: Any = None) -> None:
    """Assert that a gradient came back, and that it is right."""
    current().events.append(Call(f"gradient of {name}", outcome=got))
    if got is None:
        text = f"no gradient flows back to {name}"
        raise ClaimFailedError(text, "every way to it is cut off")
    equal(got, expected, what=_GradientOf(name), where=where)


@dataclass(frozen=True)
class _GradientOf:
    """The name of a gradient, put into words only if something is wrong with it."""

    name: str

    def __str__(self) -> str:
        return f"the gradient of {self.name}"


@contextmanager
def _way_back(output: Any) -> Iterator[None]:
    """Ascribe an error in a backward pass to the learner, like an error in a call."""
    is_array(output)
    if not output.requires_grad:
        raise ClaimFailedError("no gradient flows back: the output is cut off", CUTS)
    try:
        yield
    except RuntimeError as error:
        text = raised(error).text
        current().events.append(Call("gradient", outcome=text))
        cause = IN_PLACE if "inplace" in text else ""
        reason = text.split(":")[0]
        raise ClaimFailedError(f"no gradient can be computed: {reason}", cause) from None


def _weighted(output: Any) -> Any:
    return output * _steps(output)


def _steps(output: Any) -> Any:
    import torch

    steps = torch.linspace(-1, 1, output.numel(), dtype=output.dtype, device=output.device)
    return steps.view(output.shape)


def _is_withheld(got: Any) -> bool:
    """Tell if this value did not come back; the claim is judged on the rest."""
    current().withheld |= got is WITHHELD
    return got is WITHHELD


def _same_shape(got: Any, expected: tuple[int, ...], what: object) -> None:
    if tuple(got.shape) != expected:
        right = f"{expected}{in_letters(got, expected)}"
        raise ClaimFailedError(f"{_named(what)}shape {tuple(got.shape)}, expected {right}")


def _same_dtype(got: Any, expected: str, what: object) -> None:
    name = _name(got)
    if name == "object" or (expected and name != expected):
        current().form = form_of_truth(got) if expected == "bool" else None
        raise ClaimFailedError(f"{_named(what)}dtype {name}, expected {expected or 'numbers'}")


def _named(what: object) -> str:
    return f"{what}: " if what else ""


def _grain(got: Any, promised: str) -> str:
    """Return the dtype for the tolerance: half precision only if the suite chose it."""
    name = _name(got)
    if name not in HALVES:
        return name
    chosen = {promised, *(_name(value) for event in current().events for value in event.before)}
    return name if name in chosen else "float32"


def _name(value: Any) -> str:
    return str(getattr(value, "dtype", "")).removeprefix("torch.")


def _finite(mine: Any, right: Any, what: object) -> None:
    if mine.dtype != np.float64 or right.dtype != np.float64:
        return
    bad = ~np.isfinite(mine) & np.isfinite(right)
    if bad.any():
        text = _values("are not finite; first", mine, right, bad, what, bad.size)
        raise ClaimFailedError(text, picture=picture_of(mine, right, bad))


def _differing(mine: Any, right: Any, wrong: Any, what: object, judged: Any) -> str:
    """Count the wrong values, among all or among those that are compared, and name the worst."""
    verb = "differ; worst" if judged.all() else "compared here differ; worst"
    return _values(verb, mine, right, wrong, what, judged.sum())


def _values(verb: str, mine: Any, right: Any, wrong: Any, what: object, size: int) -> str:
    where = worst_place(mine, right, wrong)
    current().compared = Comparison(right, str(what))
    expected, got = numbers_apart(right[where], mine[where])
    values = f"{size} values of {what}" if what else f"{size} values"
    return f"{wrong.sum()} of {values} {verb} at {list(where)}: expected {expected}, got {got}"


def _and_more(text: str, got: Any, right: Any, start: Any, where: tuple[int, ...]) -> str:
    """Add what else helps to see why the worst value is wrong."""
    if start is not None:
        text += f"; at the start it was {number(numpy(start)[where])}"
    if right.dtype.kind == "f" and numpy(got).dtype.kind in "iub":
        text += f"\nwhat came back is {_name(got)}, which can hold whole numbers only"
    return text


def _other_kind(got: Any, kind: type, what: str) -> ClaimFailedError:
    text = f"{what} is {_kind(got)}, expected a plain {kind.__name__}"
    return ClaimFailedError(text, leads=True)


def _no_return(got: Any) -> str:
    return " (is a `return` missing?)" if got is None else ""


def _listed(names: Sequence[str]) -> str:
    """List names in words, after a no: `a`, `b` or `c`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, Opaque):
        return f"a {value.kind}"
    if isinstance(value, ModuleHandle):
        return "a module"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if is_any_array(value):
        library = "numpy" if isinstance(value, np.ndarray) else "torch"
        return f"{_array(library)} of shape {tuple(value.shape)}"
    return f"a {type(value).__name__}"


def _array(library: str) -> str:
    return "a numpy array" if library == "numpy" else "a torch tensor"
