"""What a learner's tests see of an implementation that runs in another process."""

import math
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from kata.inside.handing_over import UnavailableError
from kata.inside.proving.peer import Peer
from kata.words import say

PACKAGE = "exercises"
# What the files of exercises import themselves, and so hand on to `import *`.
BESIDE = {"torch": torch, "nn": nn, "Tensor": Tensor, "F": functional, "np": np, "math": math}
Names = Mapping[str, Iterable[str]]  # of functions and classes, by exercise


class StandIn(nn.Module):
    """A module of the other process: its parameters, its parts, and what it computes."""

    _where: Any = None  # the exercise and the name of a class; None for other modules
    _peer: Peer

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._be(self._peer)
        self._peer.call(self._where, args, kwargs, into=self)

    def _be(self, peer: Peer) -> None:
        nn.Module.__init__(self)
        vars(self)["_peer"] = peer

    @property
    def _number(self) -> int:
        found = self._peer.mirror.number(self)
        if found is None:
            raise UnavailableError(say("inside.forgotten"))
        return found

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computed there."""
        return self._peer.call(self._number, args, kwargs, self)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_"):
                raise
        return self._peer.attribute(self._number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        inner = isinstance(value, nn.Module) and name in self._modules
        here = name in OWN or value is None or isinstance(value, Tensor)
        if not here:
            self._peer.set(self._number, name, value)
        if here or inner:
            super().__setattr__(name, value)

    def __deepcopy__(self, known: Any) -> Any:
        made = type(self).__new__(type(self))
        made._be(self._peer)
        known[id(self)] = made
        self._peer.copied(self._number, made)
        return made

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise UnavailableError(say("inside.no-pickle"))


OWN = frozenset(vars(nn.Module())) | {"_peer"}


def some_module(peer: Peer, kind: type[nn.Module], where: Any) -> nn.Module:
    """A stand-in for a module of a class of an exercise, or of one derived from PyTorch's."""
    found = CLASSES.get(tuple(where)) if where else None
    if found is None:
        found = StandIn if kind is nn.Module else type(kind.__name__, (StandIn, kind), {})
    made = found.__new__(found)
    made._be(peer)
    return made


CLASSES: dict[tuple[str, ...], type[StandIn]] = {}


def module(peer: Peer, slug: str, functions: Iterable[str], classes: Iterable[str]) -> ModuleType:
    """A module that looks like the file of an exercise, with these names in it."""
    made = ModuleType(f"{PACKAGE}.{slug}")
    made.__package__ = PACKAGE
    made.__file__ = f"{PACKAGE}/{slug}.py"
    vars(made).update(BESIDE)
    for name in functions:
        setattr(made, name, _function(peer, slug, name))
    for name in classes:
        setattr(made, name, _class(peer, slug, name))
    return made


def _function(peer: Peer, slug: str, name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        return peer.call((slug, name), args, kwargs)

    return _named(function, slug, name)


def _class(peer: Peer, slug: str, name: str) -> type[StandIn]:
    made = type(name, (StandIn,), {"_where": (slug, name), "_peer": peer})
    CLASSES[slug, name] = made
    return _named(made, slug, name)  # type: ignore[no-any-return]


def _named(made: Any, slug: str, name: str) -> Any:
    made.__name__ = made.__qualname__ = name
    made.__module__ = f"{PACKAGE}.{slug}"
    return made
