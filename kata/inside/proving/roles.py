"""What the two processes of a proof do: one runs the tests, the other one what they test.

The first one has no text of any implementation. It is told the names that an exercise defines, and
asks for everything else.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from socket import socket
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from kata.inside import chance, wire
from kata.inside.exceptions import raised
from kata.inside.execute import Part, execute, remember_lines
from kata.inside.proving import stand_ins
from kata.inside.proving.connection import AGAIN
from kata.inside.proving.peer import Peer

USUAL: Any = np.geterr()
LIKE = ("empty", "empty_like")
PACKAGE = "proofs"


class Tester:
    """Runs the tests of one proof, one by one as the judge says.

    Args:
        channel: to the judge.
        order: the exercises with what they define, the proof with its path, and the seed.
    """

    def __init__(self, channel: socket, order: bytes) -> None:
        exercises, self._slug, self._path, self._text, self._seed = wire.decode(order)[0]
        self._peer = Peer(channel, stand_ins.some_module, {}, draws=True)
        package = ModuleType(stand_ins.PACKAGE)
        package.__path__ = []
        sys.modules[stand_ins.PACKAGE] = package
        for slug, functions, classes in exercises:
            module = stand_ins.module(self._peer, slug, functions, classes)
            sys.modules[module.__name__] = module
            setattr(package, slug, module)
        self._names: dict[str, Any] = {}

    def work(self) -> None:
        """Execute the proof, then call the tests that the judge names."""
        _fill_what_is_empty()
        with chance.without_entropy():
            self._begin()
            while True:
                name, *seed = wire.decode(self._peer.connection.order())[0]
                if name == AGAIN:
                    (self._seed,) = seed
                    self._begin()
                else:
                    self._told(partial(self._test, name))

    def _begin(self) -> None:
        self._told(self._execute)
        self._peer.keep()

    def _told(self, do: Callable[[], None]) -> None:
        """Do it, and tell the judge how it ended."""
        _begin(self._seed)
        self._peer.forget()
        try:
            do()
            outcome: Any = [True, [], "", 0]
        except BaseException as error:  # what ends a test is its verdict, whatever it is
            outcome = [False, *_error(error, self._path)]
        with suppress(Exception):
            sys.stdout.flush()
        self._peer.connection.tell(*outcome)

    def _execute(self) -> None:
        remember_lines(Part(PACKAGE, self._slug, self._path, self._text))
        made = ModuleType(f"{PACKAGE}.{self._slug}")
        made.__file__ = self._path
        sys.modules[made.__name__] = made
        self._names = vars(made)
        exec(compile(self._text, self._path, "exec"), self._names)

    def _test(self, name: str) -> None:
        """One test, with all the cases that its decorators give it; each may be skipped."""
        test = self._names[name]
        for values in _cases(test):
            _begin(self._seed)
            try:
                test(**values)
            except BaseException as error:
                if not _is_skip(error):
                    raise


class Tested:
    """Has an implementation, and answers what tests ask of it.

    Args:
        channel: to the judge.
        order: the texts to execute, and the names that may be called.
    """

    def __init__(self, channel: socket, order: bytes) -> None:
        parts, names = wire.decode(order)[0]
        functions = {}
        for package, slug, path, text, needs in parts:
            execute(Part(package, slug, path, text, tuple(map(tuple, needs))))
        for slug, module, name in names:
            if hasattr(sys.modules[module], name):
                functions[slug, name] = getattr(sys.modules[module], name)
        self._peer = Peer(channel, stand_ins.some_module, functions, draws=False)

    def work(self) -> None:
        """Answer until the judge closes the connection."""
        self._peer.connection.tell(True)
        while True:
            self._peer.connection.reply(self._peer.connection.order()[1:])


def _cases(test: Any) -> Iterator[dict[str, Any]]:
    """The arguments of `pytest.mark.parametrize`, combined as pytest does; else none."""
    marks = [each for each in getattr(test, "pytestmark", ()) if each.name == "parametrize"]
    for chosen in product(*(each.args[1] for each in marks)):
        found: dict[str, Any] = {}
        for mark, values in zip(marks, chosen, strict=True):
            names = mark.args[0]
            names = [each.strip() for each in names.split(",")] if isinstance(names, str) else names
            given = getattr(values, "values", values)  # pytest.param has them inside
            several = len(names) > 1 or given is not values
            found |= dict(zip(names, given if several else [given], strict=True))
        yield found


def _begin(seed: int) -> None:
    """Every test finds the same state, whatever ran before it."""
    warnings.simplefilter("ignore")
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    np.seterr(**USUAL)
    chance.begin(seed)


def _is_skip(error: BaseException) -> bool:
    pytest = sys.modules.get("pytest")
    return pytest is not None and isinstance(error, pytest.skip.Exception)


def _fill_what_is_empty() -> None:
    """Memory that nobody has written to holds whatever it holds: here zeros, in every run."""
    for owner, names in ((torch, LIKE), (torch.Tensor, ("new_empty",)), (np, LIKE)):
        for name in names:
            setattr(owner, name, _filled(getattr(owner, name)))


def _filled(make: Callable[..., Any]) -> Callable[..., Any]:
    def empty(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        if isinstance(made, Tensor):
            made.detach().zero_()
        elif made.dtype != object:
            made[...] = 0
        return made

    return empty


def _error(error: BaseException, path: str) -> tuple[Sequence[str], str, int]:
    """The classes of an error, its text, and the last line of the proof that it went through."""
    found = raised(error)
    lines = [each.line for each in found.frames if each.file == path]
    text = found.text.encode("utf-8", "backslashreplace").decode()
    return found.kinds, text, lines[-1] if lines else 0
