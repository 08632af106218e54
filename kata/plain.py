"""Dataclasses as plain data, which crosses to other processes and to disks; and back.

Plain data is what JSON holds. A number that is not finite becomes text, because JSON has no other
way to write it.
"""

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Kind = TypeVar("Kind")
Decoder = Callable[[Any], Any]


def encode(value: Any) -> Any:
    """Return a value as plain data: a dataclass becomes a dictionary."""
    if is_dataclass(value):
        return {name: encode(getattr(value, name)) for name in _hints(value.__class__)}
    if isinstance(value, list | tuple):
        return [encode(element) for element in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def decode(kind: Callable[..., Kind], data: Any) -> Kind:
    """Return plain data as a value of this type; unknown keys are ignored."""
    decoded: Kind = _decoder(kind)(data)
    return decoded


# Reading the type hints takes longer than decoding.
@cache
def _decoder(kind: Any) -> Decoder:
    if is_dataclass(kind):
        return _decoder_of_fields(kind)
    if not (origin := get_origin(kind)):
        return kind if issubclass(kind, StrEnum) else _number if kind is float else _same
    inner = _decoder(get_args(kind)[0])
    if origin is UnionType:  # X | None
        return lambda data: None if data is None else inner(data)
    return lambda data: origin(map(inner, data))  # list[X] or tuple[X, ...]


def _decoder_of_fields(kind: Any) -> Decoder:
    decoders = {name: _decoder(hint) for name, hint in _hints(kind).items()}
    return lambda data: kind(
        **{name: decoders[name](value) for name, value in data.items() if name in decoders}
    )


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """Return the type hints of the fields: other names of the class are no data."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _number(data: Any) -> Any:
    return float(data) if isinstance(data, str) else data


def _same(data: Any) -> Any:
    return data
