"""An attempt with its objects in a worker: the judge's side of it.

Called by `judge` and `script_judge`. Nothing that a worker answers is trusted: answers are limited
in size, decoded as plain data and arrays, and checked for their type. An answer that no honest
worker would send stops the worker as tampering.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from functools import partial
from typing import Any

import torch

from kata.course.curriculum import Exercise
from kata.course.target import Target
from kata.grading.channel import LONGEST_OUTPUT, Channel, Clock, StoppedError, connect, no_answer
from kata.grading.workers import Launcher
from kata.inside import audit, wire
from kata.inside.arrays import arrays_in, joined
from kata.inside.execution import LONGEST_TEXT, Frame, Raised
from kata.inside.objects import ModuleRef, Objects
from kata.judging.attempt import Attempt
from kata.judging.case import Case, current
from kata.verdict import State

LONGEST_NAME = 200
NO_TIME_LEFT = "not run: this submission has used up its time"
LARGEST_ANSWERS = 64 * 2**20  # bytes that the answers of one exercise may take


class RemoteAttempt(Attempt):
    """One exercise of one submission, in a worker of its own.

    Args:
        exercise: what is judged.
        target: the submission's texts.
        workers: what starts them; None for an attempt that needs no worker.
        limit: seconds for a claim.
        end: the time at which the submission as a whole has to be done.
    """

    def __init__(
        self, exercise: Exercise, target: Target, workers: Launcher | None, limit: float, end: float
    ) -> None:
        super().__init__(exercise, target)
        self.printed = ""
        self.events: list[str] = []  # as the worker's audit hook has reported them
        self.killed = False  # from outside: by the system, or by a person
        self.starved = False  # out of time without having had it
        self.size = 0  # of all answers, in bytes
        self._workers = workers
        self._limit, self._end = limit, end
        self._channel: Channel | None = None
        self._seed: int | None = None  # if the worker does not have it yet
        self._waiting: list[bytes] = []
        self._clock = Clock(limit, end)

    def _prepare(self) -> None:
        """Do nothing: the workers have loaded the libraries."""

    def begin(self, case: Case) -> None:
        """Begin a claim: its time starts now."""
        super().begin(case)
        self._seed, self._waiting = case.code_seed, []
        self._clock = Clock(self._limit, self._end)
        if time.monotonic() > self._end:
            raise StoppedError(State.TIMED_OUT, NO_TIME_LEFT)
        self.take(0)

    def load(self) -> Objects:
        """Return what the file defines, and start a worker first if there is none."""
        if not (self._bench or self._channel or self._failed):
            self._connect()
        return super().load()

    def _connect(self) -> None:
        assert self._workers
        begun = time.monotonic()
        self._channel = connect(self._workers)
        self._clock.put_off(time.monotonic() - begun)

    def _open(self) -> Objects:
        names = self.ask("load", [*map(astuple, self.target.parts(self.exercise.slug))])
        if not isinstance(names, dict):
            self.close()
            raise no_answer(f"load: {type(names).__name__}")
        return RemoteObjects(self, names)

    def later(self, *order: Any) -> None:
        """Give an order that needs no answer: it is sent with the next question."""
        self._waiting.append(wire.encode(order)[0])

    def ask(self, name: str, *arguments: Any) -> Any:
        """Ask the worker one question, and return its answer."""
        return self.exchange(name, *arguments)[0]

    def exchange(self, name: str, *arguments: Any) -> tuple[Any, wire.Arrays]:
        """Ask, and return the answer with the arrays of the question."""
        question, arrays = wire.encode([name, *arguments])
        message, _ = wire.encode([self._seed, self._waiting, question])
        self._seed, self._waiting = None, []
        with self._stopping():
            answer = self._understood(self._answer(message), arrays)
        if isinstance(answer, Raised):
            raise answer
        return answer, arrays

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """Kill the worker if it has to be stopped within this block."""
        try:
            yield
        except StoppedError as stop:
            self.starved |= stop.starved
            self.close()
            raise

    def _answer(self, message: bytes) -> bytes:
        assert self._channel
        return self._channel.ask(message, self._clock)

    def _understood(self, answer: bytes, arrays: wire.Arrays) -> Any:
        """Return the result, or the error that the submission's code raised."""
        try:
            (fine, content, changes, modes, events), size = wire.taken_in(answer)
            self.size += size
            self._note(events)
            if isinstance(self._bench, RemoteObjects):
                self._bench.hear(arrays, changes, modes)
            result = content if fine is True else _raised(content)
        except Exception as error:  # of any kind: only tampering makes a worker answer like this
            raise no_answer(str(error)[:LONGEST_NAME]) from None
        self.take(0)
        return result

    def take(self, size: int) -> None:
        """Count the bytes of an answer; raise StoppedError if all together are too many."""
        self.size += size
        if self.size > LARGEST_ANSWERS:
            size = LARGEST_ANSWERS // 2**20
            text = f"not run: earlier results of this exercise take more than {size} MiB"
            raise StoppedError(State.FAILED, text)

    def _note(self, events: Sequence[object]) -> None:
        """Add events to those that were reported before, which no later answer takes back."""
        new = [str(event)[:LONGEST_NAME] for event in events[: audit.MOST]]
        self.events = [*dict.fromkeys([*self.events, *new])][: audit.MOST]

    def _code(self, frame: Frame) -> str:
        """Return a line of the submission's own text: no other file that a worker names is read."""
        source = self.target.source(self.exercise.slug)
        return source.line(frame.line) if frame.file == str(source.path) else ""

    def close(self) -> None:
        """Kill the worker; the next question starts another one."""
        if self._channel:
            self._channel.close()
            self.printed = (self.printed + self._channel.printed)[:LONGEST_OUTPUT]
            self.killed |= self._channel.killed
        self._channel, self._bench = None, None


def _question(name: str, kind: type) -> Any:
    """Make a method that asks the worker this of a module, by its number."""

    def ask(objects: "RemoteObjects", number: int) -> Any:
        return objects.inquire(kind, name, number)

    return ask


class RemoteObjects(Objects):
    """The learner's objects, in a worker."""

    def __init__(self, attempt: RemoteAttempt, names: dict[str, bool]) -> None:
        super().__init__({})
        self._attempt = attempt
        self._callable = {str(name): bool(is_callable) for name, is_callable in names.items()}
        self._training: list[bool] = []  # by module, as of the last answer
        self._calls = 0
        self._results: wire.Arrays = []  # of this claim
        self._shapes: Mapping[str, tuple[int, ...]] = {}
        self._shapes_of = (-1, -1)  # of which module, and after how many calls

    def forget(self) -> None:
        """Forget the results of a claim; the worker does the same when one begins."""
        self._calls, self._shapes_of = 0, (-1, -1)
        self._results.clear()

    def names(self) -> dict[str, bool]:
        """Return the names as they were when the file had been executed."""
        return self._callable

    def hear(self, arrays: wire.Arrays, changes: Sequence[Any], modes: Sequence[Any]) -> None:
        """Take over changes to arguments, earlier results and modules."""
        self._training = [bool(mode) for mode in modes]
        for group, contents in zip((arrays, self._results), changes, strict=True):
            for place, content in contents:
                _write(group[place], content)

    def modes(self) -> list[bool]:
        """Return the training modes as of the last answer."""
        return self._training

    def call(self, what: str | int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call, write changed arguments back, and connect the gradients."""
        grads = torch.is_grad_enabled()
        result, arrays = self._attempt.exchange("call", grads, what, list(args), dict(kwargs))
        leaves = [array for array in arrays if getattr(array, "requires_grad", False)]
        backward = partial(self._backward, self._calls)
        self._calls += 1
        if isinstance(result, ModuleRef):
            self._shapes_of, self._shapes = (result.number, self._calls), result.shapes
        result = joined(result, leaves, backward)
        self._results += arrays_in(result)
        return result

    def _backward(self, call: int, grads: list[Any]) -> Any:
        try:
            return self._attempt.ask("backward", call, grads, current().collects)
        except Raised as error:
            if "RuntimeError" in error.kinds:  # so that it can be caught as one here
                raise _BackwardError(error.kinds, error.text, error.frames) from None
            raise

    def probe(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> ModuleRef:
        """Make a module of the suite's own in the worker."""
        return self.inquire(ModuleRef, "probe", name, list(args), dict(kwargs))  # type: ignore[no-any-return]

    def train(self, number: int, mode: bool) -> None:
        """Switch a module, before the next question."""
        self._attempt.later("ask", "train", number, mode)
        self._training[number] = mode  # until the next answer

    def to(self, number: int, where: str) -> None:
        """Move a module."""
        self._attempt.ask("ask", "to", number, where)

    parameters = _question("parameters", dict)
    shared = _question("shared", list)
    buffers = _question("buffers", list)
    gradients = _question("gradients", dict)
    children = _question("children", list)

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of all parameters; ask only if something was called meanwhile."""
        if self._shapes_of != (number, self._calls):
            self._shapes = self.inquire(dict, "shapes", number)
            self._shapes_of = (number, self._calls)
        return self._shapes

    def load(self, number: int, weights: Mapping[str, Any]) -> None:
        """Set parameters, before the next question; the worker identifies them by their places.

        So one script fits norms that call their scale gamma and norms that call it weight.
        """
        places = {name: place for place, name in enumerate(sorted(self.shapes(number)))}
        placed = [(places[name], numbers) for name, numbers in weights.items()]
        self._attempt.later("ask", "load_in_places", number, placed)

    def attribute(self, number: int, name: str) -> Any:
        """Return an attribute that is a plain value."""
        return self._attempt.ask("ask", "attribute", number, name)

    def inquire(self, kind: type, question: str, *arguments: Any) -> Any:
        """Return the worker's answer; raise StoppedError if it is of another kind."""
        answer = self._attempt.ask("ask", question, *arguments)
        if not isinstance(answer, kind):
            self._attempt.close()
            raise no_answer(f"{question}: {type(answer).__name__}")
        return answer


class _BackwardError(Raised, RuntimeError):
    """An error of a backward pass in the worker."""


def _raised(error: Mapping[str, Any]) -> Raised:
    # An honest worker has cut these already.
    frames = [
        Frame(str(file)[:LONGEST_NAME], int(line), str(name)[:LONGEST_NAME])
        for file, line, name in error["frames"]
    ]
    kinds = [str(kind)[:LONGEST_NAME] for kind in error["kinds"]] or ["Exception"]
    return Raised(kinds, str(error["text"])[: LONGEST_TEXT + 100], frames)


def _write(array: Any, content: Any) -> None:
    """Set the judge's copy of an array to what the worker's copy is now."""
    if hasattr(array, "detach"):
        array.data = content
    else:
        array.shape = content.shape
        array[...] = content
