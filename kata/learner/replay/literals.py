"""Arrays and tensors as Python code that makes exactly the same numbers."""

from typing import Any

import numpy as np

WIDEST = 96  # columns of a line, unless a number alone is longer
SHORT = 60


def literal(value: Any, margin: str = "") -> str:
    """Code for a plain value, an array or a tensor; it needs `np` or `torch`, and `inf` and `nan`.

    Args:
        value: what is to be written.
        margin: what the lines after the first one are indented by.
    """
    if hasattr(value, "detach"):
        return _tensor(value, margin)
    if isinstance(value, np.ndarray):
        return _array(value, margin)
    if isinstance(value, tuple | list):
        inner = ", ".join(literal(element, margin) for element in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def _array(value: Any, margin: str) -> str:
    dtype = f"dtype=np.{value.dtype.name}"
    if not value.size:
        return f"np.zeros({value.shape}, {dtype})"
    order = _order(value.strides)
    made = f"np.array({_nested(value.transpose(order), margin)}, {dtype})"
    return made if _is_sorted(order) else f"{made}.transpose({_back(order)})"


def _tensor(value: Any, margin: str) -> str:
    about = f"dtype={value.dtype}" + (", requires_grad=True" if value.requires_grad else "")
    if value.is_meta:
        return f"torch.empty({tuple(value.shape)}, {about}, device='meta')"
    about += "" if value.device.type == "cpu" else f", device={str(value.device)!r}"
    if not value.numel():
        return f"torch.zeros({tuple(value.shape)}, {about})"
    order = _order(value.stride())
    plain = value.detach().cpu().permute(order)
    plain = plain.float() if plain.dtype.itemsize == 2 and plain.is_floating_point() else plain
    made = f"torch.tensor({_nested(plain.numpy(), margin)}, {about})"
    return made if _is_sorted(order) else f"{made}.permute({_back(order)})"


def _order(strides: tuple[int, ...]) -> list[int]:
    """The axes in the order in which they lie in memory: some code works for one order only."""
    return sorted(range(len(strides)), key=lambda axis: -strides[axis])


def _is_sorted(order: list[int]) -> bool:
    return order == sorted(order)


def _back(order: list[int]) -> str:
    return ", ".join(str(order.index(axis)) for axis in range(len(order)))


def _nested(values: Any, margin: str) -> str:
    """The numbers in lists, one row on a line if they are many."""
    if values.ndim == 0:
        return _number(values[()])
    inner = margin + "    "
    rows = [_nested(row, inner) if values.ndim > 1 else _number(row) for row in values]
    line = ", ".join(rows)
    if "\n" not in line and len(line) <= SHORT:
        return f"[{line}]"
    if values.ndim > 1:
        return f"[\n{inner}" + f",\n{inner}".join(rows) + f",\n{margin}]"
    return f"[\n{inner}" + f",\n{inner}".join(_filled(rows, inner)) + f",\n{margin}]"


def _filled(numbers: list[str], margin: str) -> list[str]:
    """As many numbers on a line as it holds."""
    lines: list[str] = []
    for number in numbers:
        if lines and len(margin) + len(lines[-1]) + len(number) + 3 <= WIDEST:
            lines[-1] += f", {number}"
        else:
            lines.append(number)
    return lines


def _number(value: Any) -> str:
    """The shortest text that gives this number again in its own precision."""
    return str(value)
