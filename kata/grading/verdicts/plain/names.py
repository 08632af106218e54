"""The names that a plain file may use of Python, NumPy and torch, and those that it may not."""

import builtins
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# What they return has numbers in it that lay in memory before, until it is filled.
UNFILLED = frozenset(["numpy.empty", "numpy.empty_like", "torch.empty", "torch.empty_like"])
FILLING = frozenset(["bernoulli_", "copy_", "fill_", "normal_", "uniform_", "zero_"])
WITHOUT_HOLES = frozenset(["numpy.average", "numpy.dot", "numpy.mean", "numpy.sum", "numpy.take"])
# What they return is the same object each time, and can be changed: it has to be read at once.
SHARED = frozenset(["numpy.finfo", "numpy.iinfo"])


@dataclass(frozen=True)
class Names:
    """What may be named, with its full path for all that is of a library.

    Attributes:
        builtins: what may be used of Python's own.
        call_first: what calls the function that it is given first, and gives it to nobody.
        attributes: what may be read of a value.
        calls: what may be called.
        values: what may stand anywhere, since nobody can change it.
        kinds: classes that a value may be asked for, and that annotations may name.
        contexts: what may stand after `with`, and as a decorator.
        modules: what may be imported.
    """

    builtins: frozenset[str]
    call_first: frozenset[str]
    attributes: frozenset[str]
    calls: frozenset[str]
    values: frozenset[str]
    kinds: frozenset[str]
    contexts: frozenset[str]
    modules: frozenset[str]

    def has(self, path: str) -> bool:
        """Whether a library may be asked for it."""
        places = (self.calls, self.values, self.kinds, self.contexts, self.modules)
        return any(path in each for each in places)


@cache
def names() -> Names:
    """What names.toml lists."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    libraries = table["libraries"]
    return Names(
        frozenset(table["builtins"].split()),
        frozenset(table["call_first"].split()),
        frozenset(table["attributes"].split()),
        frozenset([*_paths(libraries, "call"), *_paths(libraries, "class")]),
        frozenset(_paths(libraries, "value")),
        frozenset([*_paths(libraries, "kind"), *_paths(libraries, "class")]),
        frozenset(_paths(libraries, "context")),
        frozenset(libraries),
    )


def _paths(libraries: dict[str, dict[str, str]], role: str) -> Iterator[str]:
    for library, listed in libraries.items():
        yield from (f"{library}.{name}" for name in listed.get(role, "").split())


@cache
def of_libraries() -> frozenset[str]:
    """All attributes of the objects that libraries make: no name of a learner's own is among them.

    So an attribute that is none of these is the learner's, and leads to nothing of a library.
    """
    return frozenset(name for kind in _kinds() for name in dir(kind)) | _of_instances()


def _kinds() -> Iterator[Any]:
    """The types of all that the code of a plain file can get hold of, and many more."""
    import collections
    import functools
    import itertools
    import types

    import numpy as np
    import torch
    from torch.utils.hooks import RemovableHandle

    for place in (builtins, torch.nn, np, types, functools, itertools, collections):
        kinds = (each for each in vars(place).values() if isinstance(each, type))
        yield from (each for each in kinds if not each.__name__.startswith("Transformer"))
    yield from (torch.Tensor, torch.Size, torch.dtype, torch.device, torch.finfo, torch.Generator)
    yield from (torch.UntypedStorage, torch.optim.AdamW, torch.optim.Optimizer, RemovableHandle)
    yield from (type(np.s_), type(np.sum), type(np.ones(1).flags), *_of_autograd())


def _of_autograd() -> Iterator[Any]:
    """What a function with a backward pass of its own is given."""
    import torch

    class Own(torch.autograd.Function): ...

    yield from (Own, Own._backward_cls, torch._C.Node)


def _of_instances() -> frozenset[str]:
    """What each module of torch has for itself, and each hook: its number counts all hooks."""
    from collections import OrderedDict

    from torch import nn
    from torch.utils.hooks import RemovableHandle

    return frozenset([*vars(nn.Module()), *vars(RemovableHandle(OrderedDict()))])
