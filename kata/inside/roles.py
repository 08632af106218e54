"""The two processes of a proof: one runs the tests, the other one what they test.

`worker` plays one of the two roles when the judge asks for it. The first has no text of any
implementation: it knows the names that an exercise defines, and asks for everything else.
"""

import math
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from socket import socket
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from kata.inside import wire
from kata.inside.conditions import UnavailableError, begin_chance, cases, without_entropy
from kata.inside.execution import Part, execute, raised, remember_lines
from kata.inside.orders import AGAIN
from kata.inside.peer import Peer

USUAL: Any = np.geterr()
LIKE = ("empty", "empty_like")
PROOFS, EXERCISES = "proofs", "exercises"  # packages
# What the files of exercises import themselves, and so hand on to `import *`.
BESIDE = {"torch": torch, "nn": nn, "Tensor": Tensor, "F": functional, "np": np, "math": math}


class Tested:
    """The process with an implementation, which answers what tests ask of it.

    Args:
        channel: to the judge.
        order: the texts to execute, and the names that may be called.
    """

    def __init__(self, channel: socket, order: bytes) -> None:
        parts, names = wire.decode(order)[0]
        functions = {}
        for part in parts:
            execute(Part(*part))
        for slug, module, name in names:
            if hasattr(sys.modules[module], name):
                functions[slug, name] = getattr(sys.modules[module], name)
        self._peer = Peer(channel, stand_in, functions, draws=False)

    def work(self) -> None:
        """Answer until the judge closes the connection."""
        self._peer.connection.tell(True)
        while True:
            self._peer.connection.reply(self._peer.connection.order()[1:])


class Tester:
    """The process that runs the tests of one proof, one by one as the judge says.

    Args:
        channel: to the judge.
        order: the exercises with what they define, the proof with its path, and the seed.
    """

    def __init__(self, channel: socket, order: bytes) -> None:
        exercises, self._slug, self._path, self._text, self._seed = wire.decode(order)[0]
        self._peer = Peer(channel, stand_in, {}, draws=True)
        package = ModuleType(EXERCISES)
        package.__path__ = []
        sys.modules[EXERCISES] = package
        for slug, functions, classes in exercises:
            module = _file_of_stand_ins(self._peer, slug, functions, classes)
            sys.modules[module.__name__] = module
            setattr(package, slug, module)
        self._names: dict[str, Any] = {}

    def work(self) -> None:
        """Execute the proof, then call the tests that the judge names."""
        _fill_what_is_empty()
        with without_entropy():
            self._begin()
            while True:
                name, *seed = wire.decode(self._peer.connection.order())[0]
                if name == AGAIN:
                    (self._seed,) = seed
                    self._begin()
                else:
                    self._report(partial(self._test, name))

    def _begin(self) -> None:
        self._report(self._execute)
        self._peer.keep()

    def _report(self, do: Callable[[], None]) -> None:
        """Do it, and tell the judge how it ended."""
        _begin(self._seed)
        self._peer.forget()
        try:
            do()
            ending: Any = [True, [], "", 0]
        except BaseException as error:  # what ends a test is its verdict, whatever it is
            ending = [False, *_as_data(error, self._path)]
        with suppress(Exception):
            sys.stdout.flush()
        self._peer.connection.tell(*ending)

    def _execute(self) -> None:
        remember_lines(self._path, self._text)
        module = ModuleType(f"{PROOFS}.{self._slug}")
        module.__file__ = self._path
        sys.modules[module.__name__] = module
        self._names = vars(module)
        exec(compile(self._text, self._path, "exec"), self._names)

    def _test(self, name: str) -> None:
        """Run a test with all the cases that its decorators give it; any case may be skipped."""
        test = self._names[name]
        for arguments in cases(test):
            _begin(self._seed)
            try:
                test(**arguments)
            except BaseException as error:
                pytest = sys.modules.get("pytest")
                if pytest is None or not isinstance(error, pytest.skip.Exception):
                    raise


def _begin(seed: int) -> None:
    """Restore the state in which every test begins, whatever ran before it."""
    warnings.simplefilter("ignore")
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    np.seterr(**USUAL)
    begin_chance(seed)


def _as_data(error: BaseException, path: str) -> tuple[Sequence[str], str, int]:
    """Return the classes of an error, its text, and the last line of the proof on its way."""
    error = raised(error)
    lines = [frame.line for frame in error.frames if frame.file == path]
    text = error.text.encode("utf-8", "backslashreplace").decode()
    return error.kinds, text, lines[-1] if lines else 0


def _fill_what_is_empty() -> None:
    """Fill new memory with zeros, in every run, instead of what happens to be in it."""
    for owner, names in ((torch, LIKE), (torch.Tensor, ("new_empty",)), (np, LIKE)):
        for name in names:
            setattr(owner, name, _filled(getattr(owner, name)))


def _filled(make: Callable[..., Any]) -> Callable[..., Any]:
    def empty(*args: Any, **kwargs: Any) -> Any:
        array = make(*args, **kwargs)
        if isinstance(array, Tensor):
            array.detach().zero_()
        elif array.dtype != object:
            array[...] = 0
        return array

    return empty


# What tests see of an implementation that runs in the other process.


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
        number = self._peer.mirror.number(self)
        if number is None:
            raise UnavailableError("a proof cannot use a module that another of its tests has made")
        return number

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute it in the other process."""
        return self._peer.call(self._number, args, kwargs, self)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("_"):
                raise
        return self._peer.ask("attribute", self._number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        inner = isinstance(value, nn.Module) and name in self._modules
        here = name in OWN or value is None or isinstance(value, Tensor)
        if not here:
            self._peer.ask("set", self._number, name, value)
        if here or inner:
            super().__setattr__(name, value)

    def __deepcopy__(self, memo: Any) -> Any:
        copy = type(self).__new__(type(self))
        copy._be(self._peer)
        memo[id(self)] = copy
        self._peer.ask("copied", self._number, into=copy)
        return copy

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise UnavailableError(
            "a proof cannot pickle a module, or copy it in part: copy.deepcopy and state_dict work"
        )


OWN = frozenset(vars(nn.Module())) | {"_peer"}
CLASSES: dict[tuple[str, ...], type[StandIn]] = {}


def stand_in(peer: Peer, kind: type[nn.Module], where: Any) -> nn.Module:
    """Make one for a module of a class of an exercise, or of one derived from PyTorch's."""
    own = CLASSES.get(tuple(where)) if where else None
    if own is None:
        own = StandIn if kind is nn.Module else type(kind.__name__, (StandIn, kind), {})
    module = own.__new__(own)
    module._be(peer)
    return module


def _file_of_stand_ins(
    peer: Peer, slug: str, functions: Iterable[str], classes: Iterable[str]
) -> ModuleType:
    """Make a module that looks like the file of an exercise, with these names in it."""
    module = ModuleType(f"{EXERCISES}.{slug}")
    module.__package__ = EXERCISES
    module.__file__ = f"{EXERCISES}/{slug}.py"
    vars(module).update(BESIDE)
    for name in functions:
        setattr(module, name, _named(_function(peer, slug, name), slug, name))
    for name in classes:
        kind = type(name, (StandIn,), {"_where": (slug, name), "_peer": peer})
        CLASSES[slug, name] = kind
        setattr(module, name, _named(kind, slug, name))
    return module


def _function(peer: Peer, slug: str, name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        return peer.call((slug, name), args, kwargs)

    return function


def _named(value: Any, slug: str, name: str) -> Any:
    value.__name__ = value.__qualname__ = name
    value.__module__ = f"{EXERCISES}.{slug}"
    return value
