"""Calls a test on one implementation, within its time, and leaves everything as it was."""

import ast
import gc
import inspect
import io
import random
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, MutableMapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import partial, wraps
from types import FunctionType, ModuleType
from typing import Any

from kata.course.source import contract, read, shortened
from kata.course.target import reference
from kata.inside.conditions import (
    OutsideContractError,
    begin_chance,
    cases,
    check_handed_over,
    check_result,
    own_errors,
    parameters,
    without_entropy,
)
from kata.judging.limits import PATIENCE, OutOfTimeError, computing, waiting
from kata.proofs.law import with_arguments
from kata.proofs.proof import PACKAGE, Proof
from kata.text import clean

SECONDS = 1.0  # of computing, for one test on one implementation; the slowest of the suites: 0.01
IN_ALL = 30.0  # seconds, for all calls of one test
TOP_LEVEL = 10.0  # seconds of computing, for what is executed before any test
Error = BaseException | None  # None: the test holds
Errors = dict[str, Error]
ABSENT = object()
Switch = tuple[Callable[[], Any], Callable[[Any], Any], Any]  # read, set, usual value
# The libraries that a test could change, by their names in `sys.modules`.
SHARED = ("builtins", "math", "random", "numpy", "numpy.random", "torch", "torch.nn",
          "torch.nn.functional")  # fmt: skip
MOST_LINES = 8  # of an explanation
# What a text names that causes it; once is enough.
SLOW = {
    "": "numpy.random",
    "pytest": "pytest",
    "optim": "torch._dynamo",
    "torch.func": "torch._functorch.apis",
    "assert_close": "torch.distributed.tensor",
}


_depth = [0]  # of calls of an answer within each other


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


@dataclass(eq=False)
class Calls:
    """Calls the tests of a proof.

    Attributes:
        spent: how many seconds each test has taken in all.
    """

    proof: Proof
    shared: Shared
    spent: dict[str, float] = field(default_factory=dict)

    def on(
        self,
        module: ModuleType,
        names: Sequence[str],
        number: int = 0,
        *,
        seconds: float = SECONDS,
        explains: bool = False,
    ) -> Errors:
        """What each of these tests raises on this implementation, with these random numbers."""
        with self._bound(module):
            space, error = self._executed(module, number, explains=explains)
            if error:
                return dict.fromkeys(names, error)
            return {name: self._call(name, space[name], number, seconds) for name in names}

    def top_level(self, module: ModuleType) -> tuple[dict[str, Any], Error]:
        """The names of the proof on this implementation, and what its top level raises."""
        with self._bound(module):
            return self._executed(module)

    def _executed(
        self, module: ModuleType, number: int = 0, *, explains: bool = False
    ) -> tuple[dict[str, Any], Error]:
        given = {name: getattr(module, name) for name in self.proof.given if hasattr(module, name)}
        found: dict[str, Any] = {}

        def run() -> None:
            found.update(self.proof.executed(given, explains=explains))

        return found, _caught(run, number, TOP_LEVEL)

    @contextmanager
    def _bound(self, module: ModuleType) -> Iterator[None]:
        """The implementation is what `from exercises.… import …` gives, for as long as this."""
        package = ModuleType(PACKAGE)
        package.__path__ = []
        known = dict(vars(module))
        others = {slug: reference().module(slug) for slug in self.proof.others}
        sys.modules[PACKAGE] = package
        for slug, module_type in {**others, self.proof.exercise.slug: module}.items():
            sys.modules[f"{PACKAGE}.{slug}"] = module_type
            setattr(package, slug, module_type)
        try:
            with _watched(module, contract(self.proof.exercise).names):
                yield
        finally:
            put_back(module, known)
            self.shared.restore()

    def _call(self, name: str, test: Any, number: int, seconds: float) -> Error:
        start = time.perf_counter()
        try:
            errors = (_caught(partial(test, **case), number, seconds) for case in cases(test))
            return next(filter(None, errors), None)
        finally:
            self.spent[name] = self.spent.get(name, 0) + time.perf_counter() - start


@contextmanager
def _watched(module: ModuleType, names: Iterable[str]) -> Iterator[None]:
    """Functions and modules that take from a test only what they would take in another process."""
    owners: list[tuple[Any, str]] = [
        (module, name) for name in names if isinstance(getattr(module, name, None), FunctionType)
    ]
    kinds = [getattr(module, name, None) for name in names if "." not in name]
    owners += [(kind, "__call__") for kind in kinds if isinstance(kind, type)]
    known = [(owner, name, vars(owner).get(name, ABSENT)) for owner, name in owners]
    for owner, name in owners:
        setattr(owner, name, _checking(getattr(owner, name)))
    try:
        yield
    finally:
        for owner, name, value in known:
            delattr(owner, name) if value is ABSENT else setattr(owner, name, value)


def _checking(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if _depth[0]:  # a function of the answer that calls another one of it
            return function(*args, **kwargs)
        check_handed_over(*args, *kwargs.values())
        _depth[0] += 1
        try:
            with own_errors():
                result = function(*args, **kwargs)
        finally:
            _depth[0] -= 1
        check_result(result)
        return result

    return checked


def _caught(call: Callable[[], object], number: int, seconds: float) -> Error:
    """What it raises; a test that is skipped raises nothing."""
    begin_chance(number)
    try:
        with waiting(seconds * PATIENCE), computing(seconds):
            call()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None if by_pytest(error, "skip") else error
    return None


def timed_out(error: Error) -> bool:
    """Whether a test was stopped."""
    return isinstance(error, OutOfTimeError)


def unusable(name: str, test: Any) -> str:
    """Why a test cannot be called, in a sentence; empty if it can."""
    if not callable(test):
        return f"`{name}` is no function when the file has been run"
    try:
        given = {name for rows in parameters(test) for row in rows for name in row}
        wanted = inspect.signature(test).parameters.values()
    except (TypeError, ValueError, AttributeError) as error:
        return clean(f"its `parametrize` cannot be read: {error}")
    missing = [parameter.name for parameter in wanted if parameter.default is parameter.empty
               and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
               and parameter.name not in given]  # fmt: skip
    return with_arguments(missing) if missing else ""


@contextmanager
def surroundings() -> Iterator["Shared"]:
    """Everything is quiet here, and afterwards as it was before."""
    with ExitStack() as stack:
        for each in (_quiet, without_garbage, _modules, _random, _numpy, _torch, without_entropy):
            stack.enter_context(each())
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        yield Shared()


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


def told(proof: Proof, error: BaseException) -> str:
    """The error as pytest would tell it, without its frames."""
    if isinstance(error, OutsideContractError) and error.__cause__:
        shown = told(proof, error.__cause__)
        return f"{shown}\n{error}"
    text = str(error).strip()
    if isinstance(error, AssertionError) and not text:
        text = proof.source.line(line_of(proof, error))
    lines = [shortened(line) for line in text.splitlines()[:MOST_LINES]]
    shown = "\n".join(lines)
    if shown.startswith("assert ") or by_pytest(error, "fail"):
        return shown
    return f"{type(error).__name__}: {shown}" if shown else type(error).__name__


def says_something_of(proof: Proof, line: int, sentence: str) -> bool:
    """Whether a sentence of the contract is about anything that the test in this line uses."""
    tests = proof.tests.values()
    names = {name for test in tests if test.lineno <= line <= (test.end_lineno or 0)
             for name in _names(test)}  # fmt: skip
    return any(sentence in text for text in _promises(proof, names))


def _names(node: ast.AST) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _promises(proof: Proof, names: Container[str]) -> Iterator[str]:
    """What the stub says of these functions and classes, in one line each."""
    for top in read(proof.exercise.stub).tree.body:
        if getattr(top, "name", "") in names:
            for node in ast.walk(top):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    yield " ".join((ast.get_docstring(node) or "").split())


def line_of(proof: Proof, error: BaseException) -> int:
    """The last line of the proof that led to it; 0 if it was raised elsewhere."""
    walked = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in walked if frame.f_code.co_filename == proof.path]
    return lines[-1] if lines else 0


def is_assertion(error: BaseException | None) -> bool:
    """Whether the test itself has said no, and not stumbled."""
    return isinstance(error, AssertionError) or by_pytest(error, "fail")


def by_pytest(error: BaseException | None, name: str) -> bool:
    """Whether `pytest.fail` or another helper of this name has raised it."""
    pytest = sys.modules.get("pytest")
    return pytest is not None and isinstance(error, getattr(pytest, name).Exception)


def needed(text: str) -> list[str]:
    """The modules that are imported when tests do what this text names."""
    return [module for word, module in SLOW.items() if word in text]
