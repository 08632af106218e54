"""Modules of an answer, with numbers of our own in them."""

from collections.abc import Mapping, Sequence
from typing import Any

from kata.upkeep.fuzz.given import Draw, Given

SHIFTS = (".beta", ".bias")


def numbers(draw: Draw, shapes: Mapping[str, Sequence[int]], dtype: str) -> list[Given]:
    """Random numbers for parameters of these shapes, of a size that keeps features in bounds."""
    return [
        Given((draw.rng.standard_normal(shape) * shape[-1] ** -0.5).astype(dtype))
        for shape in shapes.values()
    ]


def linears(sizes: Mapping[str, tuple[int, int]], *, bias: bool) -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters of nn.Linear layers: (out, in) by name."""
    found: dict[str, tuple[int, ...]] = {f"{name}.weight": size for name, size in sizes.items()}
    if bias:
        found |= {f"{name}.bias": size[:1] for name, size in sizes.items()}
    return found


def loaded(module: Any, names: Sequence[str], values: Sequence[Any]) -> Any:
    """The module with these numbers, in their dtype."""
    import torch

    own = dict(module.to(values[0].dtype).named_parameters(remove_duplicate=False))
    with torch.no_grad():
        for name, value in zip(names, values, strict=True):
            own[_own_name(name, own)].copy_(value)
    return module


def _own_name(name: str, own: Mapping[str, Any]) -> str:
    """A norm may be nn.LayerNorm or another class: its scale comes first, and then its shift."""
    if name in own:
        return name
    part, _, kind = name.rpartition(".")
    inside = sorted((text for text in own if text.startswith(f"{part}.")), key=_is_shift)
    return inside[0] if kind == "gamma" else inside[-1]


def _is_shift(name: str) -> bool:
    return name.endswith(SHIFTS)
