"""One of two processes that call each other's functions and modules, gradients included.

`roles` makes a peer at both ends; the judge passes on every message, and reads none. A process that
waits for an answer answers questions meanwhile: a function that gets a module of a test's own calls
it, and so asks back. What a test may not hand over raises UnavailableError before anything is sent;
what arrives is checked, and never executed.
"""

import builtins
import copy
import os
import re
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from socket import socket
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from kata.inside import conditions, wire
from kata.inside.arrays import (
    Watched,
    aligned,
    arrays_in,
    attached,
    copied,
    joined,
    layout_of,
    sum_of,
    write_back,
)
from kata.inside.execution import raised
from kata.inside.mirror import FunctionModule, Mirror, is_plain
from kata.inside.orders import ANSWER, ASK, NO_MEMORY_LEFT, REPORT
from kata.text import clean

MOST_RESULTS = 16  # earlier results that are watched: code may write into them later
FINE, RAISED = 0, 1
NONE = -1  # for an error that comes from nowhere else
DEEPEST = 20  # questions within questions
ALLOCATOR = "DefaultCPUAllocator"  # in PyTorch's message when there is no memory left
ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
PLAIN = (bool, int, float, str, np.generic, type(None))


class Peer:
    """This process' end: it calls functions of the other side, and answers when its own are called.

    Args:
        channel: to the judge.
        make: a stand-in for a module of the other side.
        functions: what the other side may call, by exercise and name.
        draws: whether this side decides about random numbers: the learner's tests do.
    """

    def __init__(
        self,
        channel: socket,
        make: Callable[["Peer", type[nn.Module], Any], nn.Module],
        functions: Mapping[tuple[str, str], Any],
        *,
        draws: bool,
    ) -> None:
        self.connection = Connection(channel, self._answer)
        self.mirror = Mirror(partial(make, self), self._name)
        self._functions = functions
        self._draws = draws
        self._calls: list[tuple[list[Tensor], list[Tensor], list[Tensor | None]]] = []
        self._returned = Watched([])  # by functions here
        self._results: list[Any] = []  # of functions there
        self._calls_there = 0  # functions there
        self._kept = 0, 0  # modules and calls that are not forgotten
        self._is_dirty = False  # whether anything was made since

    def call(
        self, what: Any, args: Any, kwargs: Any, *modules: nn.Module, into: nn.Module | None = None
    ) -> Any:
        """Call a function of the other side, or a module.

        Args:
            what: an exercise and a name in it, or the number of a module.
            args: its arguments.
            kwargs: its named arguments.
            modules: more modules whose parameters the result depends on.
            into: what is to become the module that is the result.
        """
        conditions.check_handed_over(*args, *kwargs.values())
        inputs = Packed(self.mirror)
        words = inputs.pack(tuple(args)), {name: inputs.pack(arg) for name, arg in kwargs.items()}
        answer = self._ask("call", conditions.surroundings(draws=self._draws), what, *words)
        call, result, changed, later, warned = answer
        self._calls_there = call + 1
        for arrays, contents in ((inputs.arrays, changed), (self._results, later)):
            for place, content in contents:
                write_back(arrays[place], content)
        result = Packed(self.mirror, into, inputs.arrays).unpack(result)
        parameters = self.mirror.parameters([*modules, *inputs.modules])
        result = joined(result, [*inputs.leaves, *parameters], partial(self._backward, call))
        self._results = [*self._results, *arrays_in(result)][-MOST_RESULTS:]
        for name, text in warned[: conditions.MOST_WARNINGS]:
            warnings.warn(text, conditions.category(name) or UserWarning, stacklevel=2)
        return result

    def ask(self, question: str, number: int, *words: Any, into: nn.Module | None = None) -> Any:
        """Ask for something of a module of the other side."""
        packed = map(Packed(self.mirror).pack, words)
        return Packed(self.mirror, into).unpack(self._ask(question, number, *packed))

    def keep(self) -> None:
        """Keep the modules and calls that there are now when all later ones are forgotten."""
        self._kept = len(self.mirror.modules), self._calls_there
        self._is_dirty = False

    def forget(self) -> None:
        """Forget what the last test has made: another one begins."""
        self._results = []
        self.mirror.functions.clear()
        if self._is_dirty:
            self.mirror.forget(self._kept[0])
            self._ask("forget", *self._kept)
        self._is_dirty = False

    def _ask(self, question: str, *words: Any) -> Any:
        self._is_dirty = True
        answer, changes = self.connection.ask(question, self.mirror.changes(), *words)
        self.mirror.apply(changes)
        return answer

    def _backward(self, call: int, grads: list[Any]) -> Any:
        """Return the gradients of a call's inputs, from those of its result."""
        keep = torch._C._autograd._get_current_graph_task_keep_graph()  # somebody may ask again
        return self._ask("backward", call, grads, keep)

    # What the other side asks.

    def _answer(self, question: str, changes: Any, *words: Any) -> Any:
        self.mirror.apply(changes)
        answer = getattr(self, f"_on_{question}")(*words)
        return answer, self.mirror.changes()

    def _on_call(self, surroundings: Any, what: Any, args: Any, kwargs: Any) -> Any:
        inputs = Packed(self.mirror)
        words = inputs.unpack(args)
        named = {name: inputs.unpack(arg) for name, arg in kwargs.items()}
        function = self.mirror.modules[what] if isinstance(what, int) else self._functions[what]
        if isinstance(function, nn.Module):
            inputs.modules.insert(0, function)
        watched = Watched(list(inputs.arrays))
        own = nullcontext() if self._draws else conditions.own_errors()
        with conditions.surrounded_by(*surroundings) as warned, own:
            result = function(*words, **named)
        if not self._draws:
            conditions.check_result(result)
        parameters = self.mirror.parameters(inputs.modules)
        self._calls.append((attached(result), inputs.leaves, parameters))
        data = Packed(self.mirror, None, inputs.arrays).pack(result)
        changed, later = watched.changed(), self._returned.changed()
        self._returned = Watched([*self._returned.arrays, *arrays_in(result)][-MOST_RESULTS:])
        return len(self._calls) - 1, data, changed, later, warned()

    def _on_backward(self, call: int, grads: Any, keep: bool) -> Any:
        """Return the gradients of a call's inputs and of the parameters that it used."""
        ends, leaves, parameters = self._calls[call]
        inputs = [*leaves, *parameters]
        leaves_by_id = {id(tensor): tensor for tensor in inputs
                        if tensor is not None and tensor.requires_grad}  # fmt: skip
        total = sum_of(ends, grads)
        if total is None or not leaves_by_id:
            return [None] * len(inputs)
        gradients = torch.autograd.grad(
            total, [*leaves_by_id.values()], retain_graph=keep, allow_unused=True
        )
        gradients_by_id = dict(zip(leaves_by_id, gradients, strict=True))
        return [gradients_by_id.pop(id(tensor), None) for tensor in inputs]

    def _on_forget(self, modules: int, calls: int) -> None:
        self.mirror.forget(modules)
        del self._calls[calls:]
        self._returned = Watched([])

    def _on_attribute(self, number: int, name: str) -> Any:
        """Return a setting of a module, or one of its tensors, or a list of modules."""
        module = self.mirror.modules[number]
        value = None if name.startswith("_") else getattr(module, name)
        if isinstance(value, (list, tuple)):
            visible = is_plain(value) or all(isinstance(part, nn.Module) for part in value)
        else:
            visible = is_plain(value) or isinstance(value, Tensor)
        if name.startswith("_") or not visible:
            raise _invisible(name)
        return Packed(self.mirror).pack(value)

    def _on_set(self, number: int, name: str, value: Any) -> None:
        module, new = self.mirror.modules[number], Packed(self.mirror).unpack(value)
        is_module = isinstance(new, nn.Module) and name in module._modules
        if not is_module and not (name in vars(module) and is_plain(vars(module)[name])):
            raise _invisible(name)
        setattr(module, name, new)

    def _on_copied(self, number: int) -> Any:
        return Packed(self.mirror).pack(copy.deepcopy(self.mirror.modules[number]))

    def _name(self, kind: type) -> Any:
        """Return the name of a class in an exercise; None for a class of a test's own."""
        return next((name for name, value in self._functions.items() if value is kind), None)


def _invisible(name: str) -> conditions.UnavailableError:
    return conditions.UnavailableError(
        f"`{clean(name)}` cannot be seen from a proof: "
        "parameters, buffers, parts and plain settings can"
    )


# What goes over the wire: arguments and results, and the questions that they are part of.


@dataclass
class Packed:
    """The arrays and modules of one call, in the same order in both processes.

    Args:
        mirror: the modules that both processes have.
        into: what is to become the module that is unpacked.
        inputs: the arrays of the call whose result this is; the result may be one of them.
    """

    mirror: Mirror
    into: torch.nn.Module | None = None
    inputs: list[Any] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)  # as the code that is called has them
    leaves: list[Any] = field(default_factory=list)  # that get gradients
    modules: list[torch.nn.Module] = field(default_factory=list)
    _arrays_by_id: dict[int, Any] = field(default_factory=dict)

    def pack(self, value: Any) -> Any:
        """Return what is sent for a value; UnavailableError if it cannot be handed over."""
        if isinstance(value, (list, tuple)):
            parts = [self.pack(part) for part in value]
            return tuple(parts) if isinstance(value, tuple) else parts
        if isinstance(value, (np.ndarray, torch.Tensor)):
            return self._packed_array(value)
        if isinstance(value, torch.nn.Module):
            self.modules.append(value)
            return {"module": self.mirror.describe(value)}
        if callable(value):
            self.modules.append(self.mirror.as_module(value))
            return {"function": self.mirror.describe(self.modules[-1])}
        if isinstance(value, torch.dtype):
            return {"dtype": str(value).removeprefix("torch.")}
        if isinstance(value, SimpleNamespace):
            return {"names": {name: self.pack(part) for name, part in vars(value).items()}}
        if isinstance(value, PLAIN):
            return value
        raise conditions.not_handed_over(value)

    def _packed_array(self, value: Any) -> Any:
        place = next((place for place, array in enumerate(self.inputs) if array is value), None)
        if place is not None and not getattr(value, "requires_grad", False):
            return {"input": place}
        if id(value) not in self._arrays_by_id:
            self._arrays_by_id[id(value)] = layout_of(value)
            self._note(value, value)
        return self._arrays_by_id[id(value)]

    def unpack(self, data: Any) -> Any:
        """Return the same value here; whatever the data is, nothing of it is executed."""
        if isinstance(data, (list, tuple)):
            parts = [self.unpack(part) for part in data]
            return tuple(parts) if isinstance(data, tuple) else parts
        if isinstance(data, (np.ndarray, torch.Tensor)):
            return self._unpacked_array(data, data)
        if isinstance(data, dict):
            ((tag, inside),) = data.items()
            return self._untagged(tag, inside)
        if isinstance(data, PLAIN):
            return data
        raise wire.WireError(type(data).__name__)

    def _untagged(self, tag: str, inside: Any) -> Any:
        if tag in {"module", "function"}:
            module = self.mirror.build(inside, self.into)
            self.modules.append(module)
            return module if tag == "module" else _function_of(module)
        if tag == "read-only":
            return self._unpacked_array(inside, inside, frozen=True)
        if tag == "input":
            return self.inputs[inside]
        if tag == "dtype":
            dtype = getattr(torch, str(inside), None)
            if not isinstance(dtype, torch.dtype):
                raise wire.WireError(f"dtype {inside}")
            return dtype
        if tag == "names":
            return SimpleNamespace(**{name: self.unpack(part) for name, part in inside.items()})
        flat, shape, steps, grows, leaf = inside
        # The copy is aligned as all of PyTorch's memory is, so that it is computed with in one
        # order.
        tensor = flat.clone().as_strided(shape, steps)
        tensor = tensor.requires_grad_() if grows else tensor
        return self._unpacked_array(flat, tensor, leaf=leaf)

    def _unpacked_array(
        self, key: Any, value: Any, *, leaf: bool = True, frozen: bool = False
    ) -> Any:
        if id(key) not in self._arrays_by_id:
            used = start = aligned(value)
            if frozen:
                used.setflags(write=False)
            if not leaf and getattr(used, "requires_grad", False):
                with torch.enable_grad():  # what grew out of something may be written into
                    used = copied(start)
            self._arrays_by_id[id(key)] = used
            self._note(used, start)
        return self._arrays_by_id[id(key)]

    def _note(self, used: Any, start: Any) -> None:
        self.arrays.append(used)
        if getattr(start, "requires_grad", False):
            self.leaves.append(start)


def _function_of(module: torch.nn.Module) -> Callable[..., Any]:
    """Return the function that this module stands for, here or on the other side."""
    if isinstance(module, FunctionModule):
        function: Callable[..., Any] = module.function
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        return module(*args, **kwargs)

    return call


class Connection:
    """The questions of two processes to one another, in turn, through a judge that passes them on.

    Args:
        channel: to the judge.
        answer: answers what the other process asks.
    """

    def __init__(self, channel: socket, answer: Callable[..., Any]) -> None:
        self._channel = channel
        self._answer = answer
        self._depth = 0
        self._raised: list[BaseException] = []  # here, and reported to the other process

    def tell(self, *report: Any) -> None:
        """Report to the judge."""
        wire.send(self._channel, REPORT + wire.encode(list(report))[0])

    def order(self) -> bytes:
        """Wait for the judge's next order."""
        return wire.receive(self._channel)

    def ask(self, *question: Any) -> Any:
        """Ask the other process, and raise the error that it raises."""
        data = wire.check(wire.encode(list(question))[0])
        wire.send(self._channel, ASK + data)
        while (frame := wire.receive(self._channel))[:1] == ASK:
            self.reply(frame[1:])
        state, *answer = wire.decode(frame[1:])[0]
        if state == FINE:
            return answer[0]
        raise self._error(*answer)

    def reply(self, question: bytes) -> None:
        """Answer one question."""
        self._depth += 1
        try:
            if self._depth > DEEPEST:
                raise RecursionError(f"more than {DEEPEST} calls of one another, "
                                     "across the tests and what they test")  # fmt: skip
            answer = self._answer(*wire.decode(question)[0])
            data = wire.check(wire.encode([FINE, answer])[0])
        except BaseException as error:  # whatever it is, whoever asked has to get it
            data = self._as_data(error)
        finally:
            self._depth -= 1
        wire.send(self._channel, ANSWER + data)

    def _as_data(self, error: BaseException) -> bytes:
        """Encode an error: classes, text, its number here, and its number there if it has one.

        The text is without lone surrogates and addresses of objects: an answer that is never the
        same twice would hide what tests do with other knowledge. How much memory is left is nothing
        that an implementation does: no answer may tell it.
        """
        if isinstance(error, MemoryError) or ALLOCATOR in str(error):
            os._exit(NO_MEMORY_LEFT)
        same = raised(error)
        text = ADDRESS.sub("0x", same.text).encode("utf-8", "backslashreplace").decode()
        self._raised.append(error)
        origin = getattr(error, conditions.ORIGIN, NONE)
        return wire.encode([RAISED, same.kinds, text, len(self._raised) - 1, origin])[0]

    def _error(self, kinds: list[str], text: str, number: int, origin: int) -> BaseException:
        """Return the very error that was raised here, if it comes back; else one like it."""
        if 0 <= origin < len(self._raised):
            return self._raised[origin]
        error = _like(kinds, text)
        setattr(error, conditions.ORIGIN, number)
        return error


def _like(kinds: list[str], text: str) -> BaseException:
    """Make the same error here, of the nearest class that Python itself has."""
    if conditions.UnavailableError.__name__ in kinds:
        return conditions.UnavailableError(text)
    for name in kinds:
        kind = getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            with suppress(TypeError):  # a UnicodeError takes more than a text
                return kind(text)
    return Exception(text)
