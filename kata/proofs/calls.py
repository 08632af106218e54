"""Calls a test on one implementation, within its time, whatever it does."""

import inspect
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from types import FunctionType, ModuleType
from typing import Any

from kata.course.source import contract
from kata.course.target import reference
from kata.inside.conditions import (
    begin_chance,
    cases,
    check_handed_over,
    check_result,
    own_errors,
    parameters,
)
from kata.judging.limits import PATIENCE, OutOfTimeError, computing, waiting
from kata.proofs.explain import by_pytest
from kata.proofs.law import with_arguments
from kata.proofs.proof import PACKAGE, Proof
from kata.proofs.surroundings import Shared, put_back
from kata.text import clean

SECONDS = 1.0  # of computing, for one test on one implementation; the slowest of the suites: 0.01
IN_ALL = 30.0  # seconds, for all calls of one test
TOP_LEVEL = 10.0  # seconds of computing, for what is executed before any test
Error = BaseException | None  # None: the test holds
Errors = dict[str, Error]
ABSENT = object()
_depth = [0]  # of calls of an answer within each other


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
