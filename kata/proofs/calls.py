"""Calls of a proof's tests: on one implementation, within their time, with nothing left behind."""

import ast
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
# The words in a text that cause a slow import; once is enough.
SLOW = {
    "": "numpy.random",
    "pytest": "pytest",
    "optim": "torch._dynamo",
    "torch.func": "torch._functorch.apis",
    "assert_close": "torch.distributed.tensor",
}
_depth = [0]  # of calls of an answer within each other


class Shared:
    """The state that implementations and tests share: switches of torch, names of libraries."""

    def __init__(self) -> None:
        self._names: list[tuple[Any, dict[str, Any]]] = []
        for name in filter(sys.modules.get, SHARED):
            self.keep(sys.modules[name])
        if torch := sys.modules.get("torch"):
            self.keep(torch.Tensor)
            self.keep(torch.nn.Module)

    def keep(self, owner: Any) -> None:
        """Remember the values of its names."""
        self._names.append((owner, dict(vars(owner))))

    def restore(self) -> None:
        """Undo the changes of a test."""
        for owner, values in self._names:
            put_back(owner, values)
        for switch in switches():
            turn(*switch)


@dataclass(eq=False)
class Calls:
    """Calls the tests of a proof.

    Attributes:
        spent: the seconds in all, by the names of the tests.
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
        """Return what these tests raise on this implementation, with these random numbers."""
        with self._bound(module):
            space, error = self._executed(module, number, explains=explains)
            if error:
                return dict.fromkeys(names, error)
            return {name: self._call(name, space[name], number, seconds) for name in names}

    def top_level(self, module: ModuleType) -> tuple[dict[str, Any], Error]:
        """Return the names of the proof on this implementation, and what its top level raises."""
        with self._bound(module):
            return self._executed(module)

    def _executed(
        self, module: ModuleType, number: int = 0, *, explains: bool = False
    ) -> tuple[dict[str, Any], Error]:
        names = (name for name in self.proof.borrowed if hasattr(module, name))
        borrowed = {name: getattr(module, name) for name in names}
        space: dict[str, Any] = {}

        def run() -> None:
            space.update(self.proof.executed(borrowed, explains=explains))

        return space, _caught(run, number, TOP_LEVEL)

    @contextmanager
    def _bound(self, module: ModuleType) -> Iterator[None]:
        """Meanwhile `from exercises.… import …` imports this implementation."""
        package = ModuleType(PACKAGE)
        package.__path__ = []
        values = dict(vars(module))
        modules = {slug: reference().module(slug) for slug in self.proof.needs}
        sys.modules[PACKAGE] = package
        for slug, answer in {**modules, self.proof.exercise.slug: module}.items():
            sys.modules[f"{PACKAGE}.{slug}"] = answer
            setattr(package, slug, answer)
        try:
            with _watched(module, contract(self.proof.exercise).names):
                yield
        finally:
            put_back(module, values)
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
    """Let functions and modules take from a test only what they take in another process."""
    owners: list[tuple[Any, str]] = [
        (module, name) for name in names if isinstance(getattr(module, name, None), FunctionType)
    ]
    kinds = [getattr(module, name, None) for name in names if "." not in name]
    owners += [(kind, "__call__") for kind in kinds if isinstance(kind, type)]
    originals = [(owner, name, vars(owner).get(name, ABSENT)) for owner, name in owners]
    for owner, name in owners:
        setattr(owner, name, _checking(getattr(owner, name)))
    try:
        yield
    finally:
        for owner, name, value in originals:
            delattr(owner, name) if value is ABSENT else setattr(owner, name, value)


def _checking(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        # Functions of an answer may call each other with anything.
        if _depth[0]:
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
    """The error that a call raises; a test that is skipped raises none."""
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
    """Return whether a test was stopped."""
    return isinstance(error, OutOfTimeError)


def unusable(name: str, test: Any) -> str:
    """Return why a test cannot be called, in a sentence; empty if it can."""
    if not callable(test):
        return f"`{name}` is no function when the file has been run"
    try:
        filled = {name for rows in parameters(test) for row in rows for name in row}
        wanted = inspect.signature(test).parameters.values()
    except (TypeError, ValueError, AttributeError) as error:
        return clean(f"its `parametrize` cannot be read: {error}")
    missing = [parameter.name for parameter in wanted if parameter.default is parameter.empty
               and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
               and parameter.name not in filled]  # fmt: skip
    return with_arguments(missing) if missing else ""


# -- the circumstances of all calls, and what has to be put back after them


@contextmanager
def surroundings() -> Iterator[Shared]:
    """Keep everything quiet meanwhile, and afterwards put it back as it was."""
    import numpy as np

    from kata.diagnosis.diagnose import no_collecting  # with it comes numpy

    circumstances = (_quiet, no_collecting, _modules, randomness, usual_switches, without_entropy)
    with ExitStack() as stack, warnings.catch_warnings():
        for circumstance in circumstances:
            stack.enter_context(circumstance())
        stack.enter_context(np.errstate())
        warnings.simplefilter("ignore")
        yield Shared()


@contextmanager
def _quiet() -> Iterator[None]:
    # Prints are swallowed: a test runs some hundred times.
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        with redirect_stdout(_Nowhere()), redirect_stderr(_Nowhere()):
            yield
    finally:
        sys.stdin = stdin


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def _modules() -> Iterator[None]:
    """The name `exercises` is free for implementations."""
    modules: MutableMapping[str, Any] = sys.modules
    ours = {name: modules.pop(name) for name in list(modules) if _is_ours(name)}
    try:
        yield
    finally:
        for name in filter(_is_ours, list(modules)):
            del modules[name]
        modules.update(ours)


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


@contextmanager
def randomness() -> Iterator[None]:
    """Afterwards put every generator of random numbers back into its state."""
    states = [(put, get()) for get, put in _generators()]
    try:
        yield
    finally:
        for put, state in states:
            put(state)


def _generators() -> Iterator[tuple[Callable[[], Any], Callable[[Any], object]]]:
    """Read and write the state: of Python, NumPy, and PyTorch on the CPU and on GPUs."""
    yield random.getstate, random.setstate
    if numpy := sys.modules.get("numpy"):
        yield numpy.random.get_state, numpy.random.set_state
    if torch := sys.modules.get("torch"):
        yield torch.get_rng_state, torch.set_rng_state
        if torch.cuda.is_initialized():
            yield torch.cuda.get_rng_state_all, torch.cuda.set_rng_state_all


@contextmanager
def usual_switches() -> Iterator[None]:
    """Turn the switches of torch to their usual values, and afterwards back."""
    settings = [(get, put, get()) for get, put, _ in switches()]
    try:
        for switch in switches():
            turn(*switch)
        yield
    finally:
        for switch in settings:
            turn(*switch)


def switches() -> list[Switch]:
    """Return the switches that change the results of torch, or how long they take."""
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


def turn(get: Callable[[], Any], put: Callable[[Any], Any], value: Any) -> None:
    """Turn a switch, if that changes anything."""
    # To turn that of deterministic algorithms imports half of torch.
    if get() != value:
        put(value)


def put_back(owner: Any, values: dict[str, Any]) -> None:
    """Give the names of an owner their values back; modules that were imported meanwhile stay."""
    now = vars(owner)
    if _same(now, values):
        return
    for name, value in values.items():
        if now.get(name) is not value:
            setattr(owner, name, value)
    for name in [name for name in now if name not in values]:
        if not isinstance(now[name], ModuleType):
            delattr(owner, name)


def _same(now: Any, values: dict[str, Any]) -> bool:
    """By comparing dicts, which is fast as long as nothing differs."""
    try:
        return bool(now == values)
    except Exception:  # tensors differ from each other in more than one way
        return False


def needed(text: str) -> list[str]:
    """Return the modules that are imported when tests do what this text names."""
    return [module for word, module in SLOW.items() if word in text]


# -- the errors of tests


def explanation(proof: Proof, error: BaseException) -> str:
    """Return the error as pytest would show it, without its frames."""
    if isinstance(error, OutsideContractError) and error.__cause__:
        return f"{explanation(proof, error.__cause__)}\n{error}"
    text = str(error).strip()
    if isinstance(error, AssertionError) and not text:
        text = proof.source.line(line_of(proof, error))
    lines = "\n".join(map(shortened, text.splitlines()[:MOST_LINES]))
    if lines.startswith("assert ") or by_pytest(error, "fail"):
        return lines
    return f"{type(error).__name__}: {lines}" if lines else type(error).__name__


def line_of(proof: Proof, error: BaseException) -> int:
    """Return the last line of the proof that led to an error; 0 if it was raised elsewhere."""
    walked = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in walked if frame.f_code.co_filename == proof.path]
    return lines[-1] if lines else 0


def is_about(proof: Proof, line: int, sentence: str) -> bool:
    """Return whether a sentence of the contract is about anything that the test in a line uses."""
    tests = proof.tests.values()
    names = {name for test in tests if test.lineno <= line <= (test.end_lineno or 0)
             for name in _names(test)}  # fmt: skip
    return any(sentence in text for text in _promises(proof, names))


def _names(test: ast.AST) -> Iterator[str]:
    return (node.id for node in ast.walk(test) if isinstance(node, ast.Name))


def _promises(proof: Proof, names: Container[str]) -> Iterator[str]:
    """The docstrings of these functions and classes in the stub, as single lines."""
    for top in read(proof.exercise.stub).tree.body:
        if getattr(top, "name", "") in names:
            for node in ast.walk(top):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    yield " ".join((ast.get_docstring(node) or "").split())


def is_assertion(error: BaseException | None) -> bool:
    """Return whether the test itself has failed its answer, instead of stumbling."""
    return isinstance(error, AssertionError) or by_pytest(error, "fail")


def by_pytest(error: BaseException | None, name: str) -> bool:
    """Return whether `pytest.fail` or another helper of this name has raised an error."""
    pytest = sys.modules.get("pytest")
    return pytest is not None and isinstance(error, getattr(pytest, name).Exception)
