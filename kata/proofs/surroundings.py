"""What surrounds the tests: they say nothing, wait for no input, and leave everything as it was."""

import gc
import io
import random
import sys
import warnings
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from types import ModuleType
from typing import Any

from kata.inside.conditions import without_entropy
from kata.proofs.proof import PACKAGE

Switch = tuple[Callable[[], Any], Callable[[Any], Any], Any]  # read, set, usual value
# The libraries that a test could change, by their names in `sys.modules`.
SHARED = ("builtins", "math", "random", "numpy", "numpy.random", "torch", "torch.nn",
          "torch.nn.functional")  # fmt: skip


@contextmanager
def surroundings() -> Iterator["Shared"]:
    """Everything is quiet here, and afterwards as it was before."""
    with ExitStack() as stack:
        for each in (_quiet, without_garbage, _modules, _random, _numpy, _torch, without_entropy):
            stack.enter_context(each())
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        yield Shared()


class Shared:
    """What implementations and tests share: the switches of torch, and the names of libraries."""

    def __init__(self) -> None:
        self._names: list[tuple[Any, dict[str, Any]]] = []
        for name in filter(sys.modules.get, SHARED):
            self.keep(sys.modules[name])
        if torch := sys.modules.get("torch"):
            self.keep(torch.Tensor)
            self.keep(torch.nn.Module)

    def keep(self, owner: Any) -> None:
        """Remember what these names stand for."""
        self._names.append((owner, dict(vars(owner))))

    def restore(self) -> None:
        """Undo what a test has done to them."""
        for owner, known in self._names:
            put_back(owner, known)
        for switch in switches():
            turn(*switch)


def turn(get: Callable[[], Any], put: Callable[[Any], Any], value: Any) -> None:
    """Only if it changes anything: that of deterministic algorithms imports half of torch."""
    if get() != value:
        put(value)


def put_back(owner: Any, known: dict[str, Any]) -> None:
    """Let each name stand for what it stood for; modules that were imported meanwhile stay."""
    now = vars(owner)
    if _same(now, known):
        return
    for name, value in known.items():
        if now.get(name) is not value:
            setattr(owner, name, value)
    for name in [each for each in now if each not in known]:
        if not isinstance(now[name], ModuleType):
            delattr(owner, name)


def _same(now: Any, known: dict[str, Any]) -> bool:
    """By comparing dicts, which is fast as long as nothing differs."""
    try:
        return bool(now == known)
    except Exception:  # tensors differ from each other in more than one way
        return False


def switches() -> list[Switch]:
    """What changes the results of torch, or how long they take."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    return [
        (torch.get_num_threads, torch.set_num_threads, 1),
        (torch.is_grad_enabled, torch.set_grad_enabled, True),
        (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
        (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly, False),
        (
            torch.are_deterministic_algorithms_enabled,
            torch.use_deterministic_algorithms,
            False,
        ),
    ]


@contextmanager
def _quiet() -> Iterator[None]:
    """Prints are swallowed: a test runs some hundred times."""
    before, sys.stdin = sys.stdin, io.StringIO()
    try:
        with redirect_stdout(_Nowhere()), redirect_stderr(_Nowhere()):
            yield
    finally:
        sys.stdin = before


class _Nowhere(io.TextIOBase):
    """Keeps nothing of what is written to it."""

    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def without_garbage() -> Iterator[None]:
    """Looking for garbage would take a tenth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def _modules() -> Iterator[None]:
    """The name `exercises` is free for implementations."""
    modules: MutableMapping[str, Any] = sys.modules
    known = {name: modules.pop(name) for name in list(modules) if _is_ours(name)}
    try:
        yield
    finally:
        for name in filter(_is_ours, list(modules)):
            del modules[name]
        modules.update(known)


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


@contextmanager
def _random() -> Iterator[None]:
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)


@contextmanager
def _numpy() -> Iterator[None]:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        yield
        return
    state, errors = numpy.random.get_state(), numpy.geterr()
    try:
        yield
    finally:
        numpy.random.set_state(state)
        numpy.seterr(**errors)


@contextmanager
def _torch() -> Iterator[None]:
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    state = torch.get_rng_state()
    known = [(get, put, get()) for get, put, _ in switches()]
    try:
        for switch in switches():
            turn(*switch)
        yield
    finally:
        for switch in known:
            turn(*switch)
        torch.set_rng_state(state)
