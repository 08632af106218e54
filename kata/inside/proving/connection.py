"""What two processes ask one another, in turn, through a judge that passes it on.

Whoever waits for an answer answers questions meanwhile: a function that is given a module of a
test's own calls it, and so asks back.
"""

import builtins
import os
import re
from collections.abc import Callable
from contextlib import suppress
from socket import socket
from typing import Any

from kata.inside import wire
from kata.inside.exceptions import raised
from kata.inside.handing_over import UnavailableError
from kata.inside.own_errors import ORIGIN
from kata.words import say

ASK, ANSWER, TOLD = b"?", b"!", b"."  # how a frame begins: for the other process, or for the judge
AGAIN = ""  # in place of the name of a test: execute the proof anew, with the seed that follows
FINE, RAISED = 0, 1
NONE = -1  # for an error that comes from nowhere else
DEEPEST = 20  # questions within questions
NO_MEMORY, NO_MEMORY_LEFT = "DefaultCPUAllocator", 3  # in PyTorch's message; an exit status
ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
Answerer = Callable[..., Any]


class Connection:
    """One end of it.

    Args:
        channel: to the judge.
        answer: answers what the other process asks.
    """

    def __init__(self, channel: socket, answer: Answerer) -> None:
        self._channel = channel
        self._answer = answer
        self._depth = 0
        self._raised: list[BaseException] = []  # here, and told to the other process

    def tell(self, *found: Any) -> None:
        """Something for the judge."""
        wire.send(self._channel, TOLD + wire.encode(list(found))[0])

    def order(self) -> bytes:
        """The judge's next order."""
        return wire.receive(self._channel)

    def ask(self, *question: Any) -> Any:
        """The other process' answer, or the error that it raised."""
        data = wire.check(wire.encode(list(question))[0])
        wire.send(self._channel, ASK + data)
        while (frame := wire.receive(self._channel))[:1] == ASK:
            self.reply(frame[1:])
        state, *found = wire.decode(frame[1:])[0]
        if state == FINE:
            return found[0]
        raise self._error(*found)

    def reply(self, question: bytes) -> None:
        """Answer one question."""
        self._depth += 1
        try:
            if self._depth > DEEPEST:
                raise RecursionError(say("inside.asked-too-deep", most=DEEPEST))
            found = self._answer(*wire.decode(question)[0])
            data = wire.check(wire.encode([FINE, found])[0])
        except BaseException as error:  # whatever it is, whoever asked has to get it
            _end_if_no_memory(error)
            data = wire.encode([RAISED, *_told(error), *self._numbers(error)])[0]
        finally:
            self._depth -= 1
        wire.send(self._channel, ANSWER + data)

    def _numbers(self, error: BaseException) -> tuple[int, int]:
        """Its number here, and the number there of the error that it is: -1 for none."""
        self._raised.append(error)
        return len(self._raised) - 1, getattr(error, ORIGIN, NONE)

    def _error(self, kinds: list[str], text: str, number: int, origin: int) -> BaseException:
        """The very error that was raised here, if it comes back; else one like it."""
        if 0 <= origin < len(self._raised):
            return self._raised[origin]
        made = _like(kinds, text)
        setattr(made, ORIGIN, number)
        return made


def _end_if_no_memory(error: BaseException) -> None:
    """How much memory is left is nothing that an implementation does: no answer may tell it."""
    if isinstance(error, MemoryError) or NO_MEMORY in str(error):
        os._exit(NO_MEMORY_LEFT)


def _told(error: BaseException) -> tuple[list[str], str]:
    """The names of its classes, and its text without lone surrogates and addresses of objects.

    An answer that is never the same twice would hide what tests do with other knowledge.
    """
    found = raised(error)
    text = ADDRESS.sub("0x", found.text)
    return found.kinds, text.encode("utf-8", "backslashreplace").decode()


def _like(kinds: list[str], text: str) -> BaseException:
    """The same error here, as the nearest class that Python itself has."""
    if UnavailableError.__name__ in kinds:
        return UnavailableError(text)
    for each in kinds:
        kind = getattr(builtins, each, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            with suppress(TypeError):  # a UnicodeError takes more than a text
                return kind(text)
    return Exception(text)
