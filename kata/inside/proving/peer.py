"""One of two processes that call each other's functions and modules, gradients included."""

import copy
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from socket import socket
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from kata.inside import wire
from kata.inside.handing_over import UnavailableError, check_handed_over, check_result
from kata.inside.own_errors import own_errors
from kata.inside.proving.connection import Connection
from kata.inside.proving.heeding import heeded, heeding, warn_again
from kata.inside.proving.mirror import Mirror, is_plain
from kata.inside.proving.packing import FunctionModule, Packed, write
from kata.inside.session import Watched, beginning
from kata.words import say

MOST_RESULTS = 16  # earlier results that are watched: code may write into them later
SEEDS = 2**62


class Peer:
    """This process' end: what it calls, and what of its own is called.

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
        self._functions_here: dict[int, FunctionModule] = {}  # what was handed over
        self._draws = draws
        self._calls: list[tuple[list[Tensor], list[Tensor], list[Tensor | None]]] = []
        self._returned = Watched([])  # by functions here
        self._results: list[Any] = []  # of functions there
        self._calls_there = 0  # functions there
        self._kept = 0, 0  # modules and calls that are not forgotten
        self._made = False  # whether anything was made since

    def call(
        self, what: Any, args: Any, kwargs: Any, *also: nn.Module, into: nn.Module | None = None
    ) -> Any:
        """The result of a function of the other side, or of a module.

        Args:
            what: an exercise and a name in it, or the number of a module.
            args: its arguments.
            kwargs: its named arguments.
            also: modules whose parameters the result depends on.
            into: what is to become the module that is the result.
        """
        check_handed_over(*args, *kwargs.values())
        given = self._packed()
        words = given.pack(tuple(args)), {name: given.pack(each) for name, each in kwargs.items()}
        found = self._ask("call", _state(draws=self._draws), what, *words)
        call, result, changed, later, warned = found
        self._calls_there = call + 1
        for arrays, contents in ((given.arrays, changed), (self._results, later)):
            for place, content in contents:
                write(arrays[place], content)
        got = self._packed(into)
        got.given = given.arrays
        result = got.unpack(result)
        inputs = [*given.leaves, *self._parameters(*also, *given.modules)]
        result = self._joined(result, call, inputs)
        self._results = [*self._results, *wire.arrays_in(result)][-MOST_RESULTS:]
        warn_again(warned)
        return result

    def attribute(self, number: int, name: str) -> Any:
        """A setting of a module of the other side, or one of its tensors."""
        return self._packed().unpack(self._ask("attribute", number, name))

    def backward(self, call: int, grads: list[Any], *, keep: bool) -> Any:
        """The gradients of what was given to a call, from those of its result.

        `keep` says whether somebody may ask for them again.
        """
        return self._ask("backward", call, grads, keep)

    def set(self, number: int, name: str, value: Any) -> None:
        """Give a module of the other side another attribute."""
        self._ask("set", number, name, self._packed().pack(value))

    def copied(self, number: int, into: nn.Module) -> None:
        """Let the other side copy a module, and this one be its stand-in."""
        self._packed(into).unpack(self._ask("copied", number))

    def keep(self) -> None:
        """What there is now stays when all else is forgotten."""
        self._kept = len(self.mirror.modules), self._calls_there
        self._made = False

    def forget(self) -> None:
        """What the last test has made: another one begins."""
        self._results = []
        self._functions_here.clear()
        if self._made:
            self.mirror.forget(self._kept[0])
            self._ask("forget", *self._kept)
        self._made = False

    def _ask(self, question: str, *about: Any) -> Any:
        self._made = True
        found, changes = self.connection.ask(question, self.mirror.changes(), *about)
        self.mirror.apply(changes)
        return found

    def _joined(self, result: Any, call: int, inputs: list[Any]) -> Any:
        """The result as part of this side's graph."""
        ends = wire.attached(result)
        if not ends:
            return result
        anchor = torch.empty(0, requires_grad=True)
        joined = _Joint.apply(self, call, [each.detach() for each in ends], anchor, *inputs)  # type: ignore[no-untyped-call]
        return wire.swapped(result, dict(zip(map(id, ends), joined, strict=True)))

    def _parameters(self, *modules: nn.Module) -> list[Tensor | None]:
        return self.mirror.parameters(list(modules))

    def _packed(self, into: nn.Module | None = None) -> Packed:
        build = lambda data: self.mirror.build(data, into)  # noqa: E731  # one that knows `into`
        return Packed(self.mirror.describe, build, self._as_module)

    def _as_module(self, function: Callable[..., Any]) -> nn.Module:
        """The same module for the same function."""
        return self._functions_here.setdefault(id(function), FunctionModule(function))

    # What the other side asks.

    def _answer(self, question: str, changes: Any, *about: Any) -> Any:
        self.mirror.apply(changes)
        found = getattr(self, f"_on_{question}")(*about)
        return found, self.mirror.changes()

    def _on_call(self, state: Any, what: Any, args: Any, kwargs: Any) -> Any:
        grads, seed, dtype, *heeded = state
        given = self._packed()
        words = given.unpack(args)
        named = {name: given.unpack(each) for name, each in kwargs.items()}
        function = self._called(what)
        if isinstance(function, nn.Module):
            given.modules.insert(0, function)
        self._let_be(seed, dtype)
        watched = Watched(list(given.arrays))
        own = nullcontext() if self._draws else own_errors()
        with torch.set_grad_enabled(grads), heeding(*heeded) as warned, own:
            result = function(*words, **named)
        if not self._draws:
            check_result(result)
        return *self._replied(result, given, watched), warned()

    def _replied(self, result: Any, given: Packed, watched: Watched) -> tuple[Any, ...]:
        self._calls.append((wire.attached(result), given.leaves, self._parameters(*given.modules)))
        packed = self._packed()
        packed.given = given.arrays
        data = packed.pack(result)
        changed, later = watched.changed(), self._returned.changed()
        kept = [*self._returned.arrays, *wire.arrays_in(result)][-MOST_RESULTS:]
        self._returned = Watched(kept)
        return len(self._calls) - 1, data, changed, later

    def _called(self, what: Any) -> Any:
        return self.mirror.modules[what] if isinstance(what, int) else self._functions[what]

    def _let_be(self, seed: int | None, dtype: str) -> None:
        if seed is not None:
            torch.default_generator.manual_seed(seed)
        torch.set_default_dtype(getattr(torch, dtype))

    def _on_backward(self, call: int, grads: Any, keep: bool) -> Any:
        """Gradients of what was given to a call, and of the parameters that it used."""
        ends, leaves, parameters = self._calls[call]
        sent = [(end, grad) for end, grad in zip(ends, grads, strict=True) if grad is not None]
        asked = {id(each): each for each in (*leaves, *parameters) if each is not None}
        wanted = [each for each in asked.values() if each.requires_grad]
        if not sent or not wanted:
            return [None] * (len(leaves) + len(parameters))
        with torch.enable_grad():  # to give torch the gradients would import half its modules
            total = sum((beginning(end) * grad).sum() for end, grad in sent)
        found = torch.autograd.grad(total, wanted, retain_graph=keep, allow_unused=True)
        known = {id(each): grad for each, grad in zip(wanted, found, strict=True)}
        return [None if each is None else known.pop(id(each), None)
                for each in (*leaves, *parameters)]  # fmt: skip

    def _on_forget(self, modules: int, calls: int) -> None:
        self.mirror.forget(modules)
        del self._calls[calls:]
        self._returned = Watched([])

    def _on_attribute(self, number: int, name: str) -> Any:
        """A setting of a module, or one of its tensors."""
        module = self.mirror.modules[number]
        found = None if name.startswith("_") else getattr(module, name)
        if name.startswith("_") or not (is_plain(found) or _is_held(found)):
            raise UnavailableError(say("inside.no-attribute", name=name))
        return self._packed().pack(found)

    def _on_set(self, number: int, name: str, value: Any) -> None:
        module, new = self.mirror.modules[number], self._packed().unpack(value)
        is_module = isinstance(new, nn.Module) and name in module._modules
        if not is_module and not (name in vars(module) and is_plain(vars(module)[name])):
            raise UnavailableError(say("inside.no-attribute", name=name))
        setattr(module, name, new)

    def _on_copied(self, number: int) -> Any:
        return self._packed().pack(copy.deepcopy(self.mirror.modules[number]))

    def _name(self, kind: type) -> Any:
        """The name of a class in an exercise; of its own class a learner's code knows nothing."""
        return next((name for name, each in self._functions.items() if each is kind), None)


def _is_held(value: Any) -> bool:
    """Whether it is a tensor, or a list of modules."""
    if isinstance(value, (list, tuple)):
        return all(isinstance(each, nn.Module) for each in value)
    return isinstance(value, Tensor)


def _state(*, draws: bool) -> Any:
    """What a computation depends on beside its arguments."""
    seed = int(torch.randint(SEEDS, ())) if draws else None
    dtype = str(torch.get_default_dtype()).removeprefix("torch.")
    return torch.is_grad_enabled(), seed, dtype, *heeded()


class _Joint(torch.autograd.Function):
    """Joins this side's graph to the other's."""

    @staticmethod
    def forward(ctx: Any, peer: Any, call: int, ends: Any, *_: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.peer, ctx.call = peer, call
        return tuple(ends)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Any) -> Any:
        keep = torch._C._autograd._get_current_graph_task_keep_graph()
        return None, None, None, None, *ctx.peer.backward(ctx.call, list(grads), keep=keep)
