"""One exercise in the process of a learner's code: what a judge can ask, and the answers as bytes.

A judge asks one question after the other, or hands over a script: the questions of all claims,
which are answered claim by claim. The answers do not depend on which of the two.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import torch

from kata.inside import audit, wire
from kata.inside.exceptions import raised
from kata.inside.execute import Part, execute
from kata.inside.objects import Objects

Content = tuple[Any, ...]
Order = tuple[Sequence[Any], wire.Arrays]  # what is to be done, and the arrays that it is about
Request = tuple[int | None, list[Order]]  # the seed of a claim that begins, and what is asked
Script = list[list[Request]]  # the requests of each claim
MOST_FRAMES = 2000  # of an error; a long recursion has a thousand
LONGEST_NAME = 200


class Watched:
    """Arrays that the learner's code may write into."""

    def __init__(self, arrays: wire.Arrays) -> None:
        self.arrays: wire.Arrays = []
        self._before: list[Content] = []
        self.add(arrays)

    def add(self, arrays: wire.Arrays) -> None:
        """Watch these as well."""
        self.arrays += arrays
        self._before += map(_content, arrays)

    def changed(self) -> list[list[Any]]:
        """The positions of those that have changed since it was last asked, and their values."""
        before, self._before = self._before, [_content(each) for each in self.arrays]
        pairs = enumerate(zip(self.arrays, before, self._before, strict=True))
        return [[n, _detached(each)] for n, (each, then, now) in pairs if now != then]


class Session:
    """One exercise: the requests that a judge can make, by name."""

    def __init__(self) -> None:
        self._loaded: Objects | None = None
        self._calls: list[tuple[wire.Arrays, wire.Arrays]] = []
        self._given = Watched([])
        self._results = Watched([])  # which the learner's code may write into later
        self._returned: wire.Arrays = []

    def begin(self, seed: int) -> None:
        """Begin a claim."""
        torch.default_generator.manual_seed(seed)
        self._calls.clear()
        self._results = Watched([])
        if self._loaded:
            self._loaded.forget()

    def load(self, _: wire.Arrays, parts: Sequence[Sequence[Any]]) -> dict[str, bool]:
        """Execute the exercise, after those that it needs."""
        self._loaded = None  # if this one fails, no other must answer for it
        for package, slug, path, text, needs in parts:
            module = execute(Part(package, slug, path, text, tuple(map(tuple, needs))))
        self._loaded = Objects(vars(module))
        return self._loaded.names()

    def call(self, given: wire.Arrays, grads: bool, what: str | int, *arguments: Any) -> Any:
        """The result of a function, or of a module."""
        leaves = [each for each in given if getattr(each, "requires_grad", False)]
        clones = {id(each): each.clone() for each in leaves}  # writing into a leaf is an error
        self._given = Watched([clones.get(id(each), each) for each in given])
        with torch.set_grad_enabled(grads):
            result = self.objects.call(what, *wire.swapped(arguments, clones))
        self._calls.append((wire.attached(result), leaves))
        self._returned = wire.arrays_in(result)
        return result

    def changes(self) -> list[Any]:
        """What the last call has changed in its arguments and in earlier results."""
        found = [self._given.changed(), self._results.changed()]
        self._given = Watched([])
        self._results.add(self._returned)
        self._returned = []
        return found

    def backward(self, _: wire.Arrays, call: int, grads: list[Any], everything: bool) -> list[Any]:
        """The gradients of what was given to a call; and, if asked for, of all parameters."""
        outputs, leaves = self._calls[call]
        sent = [(out, grad) for out, grad in zip(outputs, grads, strict=True) if grad is not None]
        if not sent:
            return [None] * len(leaves)
        with torch.enable_grad():  # to give torch the gradients would import half its modules
            total = sum((beginning(out) * grad).sum() for out, grad in sent)
        if not everything:
            return list(torch.autograd.grad(total, leaves, allow_unused=True))
        total.backward()
        found = [each.grad for each in leaves]
        for each in leaves:
            each.grad = None
        return found

    def ask(self, _: wire.Arrays, question: str, *arguments: Any) -> Any:
        """Any other question about the learner's objects."""
        return getattr(self.objects, question)(*arguments)

    @property
    def objects(self) -> Objects:
        """What the learner's file defines, and what its functions have made."""
        assert self._loaded
        return self._loaded

    def modes(self) -> list[bool]:
        """Whether each module is in training mode."""
        return self._loaded.modes() if self._loaded else []


def request(message: bytes) -> Request:
    """What a message asks for, the question last."""
    (seed, orders, question), _ = wire.decode(message)
    return seed, [wire.decode(each) for each in (*orders, question)]


def script(data: bytes) -> Script:
    """The requests of all claims."""
    return [[request(each) for each in claim] for claim in wire.decode(data)[0]]


class Desk:
    """Answers requests about the exercise that was loaded last."""

    def __init__(self) -> None:
        self._session = Session()

    def replies(self, script: Script) -> Iterator[list[bytes]]:
        """The answers to the requests of each claim: all of them, whatever some of them raise."""
        for claim in script:
            yield [self.reply(each) for each in claim]

    def reply(self, request: Request) -> bytes:
        """The answer, or the error that was raised."""
        seed, orders = request
        try:
            if seed is not None:
                self._session.begin(seed)
            *_, found = [self._do(*each) for each in orders]
            return wire.check(self._encoded(found, fine=True))
        except BaseException as error:  # whatever it is, the judge decides what it means
            return self._encoded(_told(error), fine=False)
        finally:
            sys.stdout.flush()

    def _encoded(self, found: Any, *, fine: bool) -> bytes:
        session = self._session
        return wire.encode([fine, found, session.changes(), session.modes(), audit.seen()])[0]

    def _do(self, order: Sequence[Any], given: wire.Arrays) -> Any:
        name, *arguments = order
        return getattr(self._session, name)(given, *arguments)


def _told(error: BaseException) -> dict[str, Any]:
    """An error as data."""
    found = raised(error)
    frames = [[each.file, each.line, each.function] for each in found.frames]
    kinds = [each[:LONGEST_NAME] for each in found.kinds]
    text = found.text.encode("utf-8", "backslashreplace").decode()  # no lone surrogates
    return {"kinds": kinds, "text": text, "frames": frames[-MOST_FRAMES:]}


def beginning(output: Any) -> Any:
    """Where a backward pass can begin, which is not at a view made without gradients."""
    return output if output.grad_fn else output * 1


def _content(array: Any) -> Content:
    """A copy to compare with later; empty for layouts that have no plain memory."""
    with suppress(Exception):
        if hasattr(array, "detach"):
            flat = array.detach().reshape(-1)
            return array.shape, b"" if flat.is_meta else wire.memory_of(flat)
        return array.shape, b"" if array.dtype == object else array.tobytes()
    return ()


def _detached(array: Any) -> Any:
    return array.detach() if hasattr(array, "detach") else array
