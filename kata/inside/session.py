"""Answers a judge's requests about one exercise, in the process of the learner's code.

`worker` makes a session and passes it every request; `script_judge` makes one for the reference. A
judge asks one question after the other, or sends a script: the questions of all claims, which are
answered claim by claim. The answers are the same in both cases.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from kata.inside import audit, wire
from kata.inside.arrays import Watched, arrays_in, attached, copied, sum_of, swapped
from kata.inside.execution import Part, execute, raised
from kata.inside.objects import Objects

Order = tuple[Sequence[Any], wire.Arrays]  # what is to be done, and the arrays that it is about
Request = tuple[int | None, list[Order]]  # the seed of a claim that begins, and what is asked
Script = list[list[Request]]  # the requests of each claim
MOST_FRAMES = 2000  # of an error; a long recursion has a thousand
LONGEST_NAME = 200


def request(message: bytes) -> Request:
    """Read what a message asks for, the question last."""
    (seed, orders, question), _ = wire.decode(message)
    return seed, [wire.decode(order) for order in (*orders, question)]


def script(data: bytes) -> Script:
    """Read the requests of all claims."""
    return [[request(message) for message in claim] for claim in wire.decode(data)[0]]


class Session:
    """The desk of a worker: it answers requests about the exercise that was loaded last."""

    def __init__(self) -> None:
        self._loaded: Objects | None = None
        self._calls: list[tuple[wire.Arrays, wire.Arrays]] = []
        self._arguments = Watched([])
        self._results = Watched([])  # which the learner's code may write into later
        self._returned: wire.Arrays = []

    def replies(self, script: Script) -> Iterator[list[bytes]]:
        """Answer the requests of each claim: all of them, whatever some of them raise."""
        for claim in script:
            yield [self.reply(request) for request in claim]

    def reply(self, request: Request) -> bytes:
        """Return the answer, or the error that was raised."""
        seed, orders = request
        try:
            if seed is not None:
                self._begin(seed)
            for (name, *arguments), values in orders:
                answer = getattr(self, name)(values, *arguments)
            return wire.check(self._encoded(answer, fine=True))
        except BaseException as error:  # whatever it is, the judge decides what it means
            return self._encoded(_as_data(error), fine=False)
        finally:
            sys.stdout.flush()

    def _encoded(self, answer: Any, *, fine: bool) -> bytes:
        modes = self._loaded.modes() if self._loaded else []
        return wire.encode([fine, answer, self._changes(), modes, audit.events()])[0]

    def _begin(self, seed: int) -> None:
        torch.default_generator.manual_seed(seed)
        self._calls.clear()
        self._results = Watched([])
        if self._loaded:
            self._loaded.forget()

    # What a judge can ask, by name.

    def load(self, _: wire.Arrays, parts: Sequence[Sequence[Any]]) -> dict[str, bool]:
        """Execute the exercise, after those that it needs."""
        self._loaded = None  # if this one fails, no other must answer for it
        for part in parts:
            module = execute(Part(*part))
        self._loaded = Objects(vars(module))
        return self._loaded.names()

    def call(self, values: wire.Arrays, grads: bool, what: str | int, *arguments: Any) -> Any:
        """Call a function, or a module."""
        leaves = [array for array in values if getattr(array, "requires_grad", False)]
        # Writing into a leaf is an error.
        clones = {id(leaf): copied(leaf) for leaf in leaves}
        self._arguments = Watched([clones.get(id(array), array) for array in values])
        with torch.set_grad_enabled(grads):
            result = self._objects.call(what, *swapped(arguments, clones))
        self._calls.append((attached(result), leaves))
        self._returned = arrays_in(result)
        return result

    def backward(self, _: wire.Arrays, call: int, grads: list[Any], parameters: bool) -> list[Any]:
        """Return the gradients of a call's inputs; `parameters` keeps those of parameters, too."""
        outputs, leaves = self._calls[call]
        total = sum_of(outputs, grads)
        if total is None:
            return [None] * len(leaves)
        if not parameters:
            return list(torch.autograd.grad(total, leaves, allow_unused=True))
        total.backward()
        gradients = [leaf.grad for leaf in leaves]
        for leaf in leaves:
            leaf.grad = None
        return gradients

    def ask(self, _: wire.Arrays, question: str, *arguments: Any) -> Any:
        """Answer any other question about the learner's objects."""
        return getattr(self._objects, question)(*arguments)

    @property
    def _objects(self) -> Objects:
        assert self._loaded
        return self._loaded

    def _changes(self) -> list[Any]:
        """Return what the last call has changed in its arguments and in earlier results."""
        changes = [self._arguments.changed(), self._results.changed()]
        self._arguments = Watched([])
        self._results.add(self._returned)
        self._returned = []
        return changes


def _as_data(error: BaseException) -> dict[str, Any]:
    error = raised(error)
    frames = [[frame.file, frame.line, frame.function] for frame in error.frames]
    kinds = [kind[:LONGEST_NAME] for kind in error.kinds]
    text = error.text.encode("utf-8", "backslashreplace").decode()  # no lone surrogates
    return {"kinds": kinds, "text": text, "frames": frames[-MOST_FRAMES:]}
