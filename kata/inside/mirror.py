"""Modules that two processes have, of which one computes: the other's look alike.

Each side has a number for every one of them. With every message go the numbers that have changed
since the last one: whatever a test does to a parameter, it does to that of the real module. Only
`peer` uses it. What arrives is another process' word: it is checked before it changes anything.
"""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import torch
from torch import Tensor, nn

from kata.inside import wire
from kata.inside.conditions import UnavailableError

# What either side may build from its name: these compute the same wherever they are.
NAMES = (
    *("Linear", "LayerNorm", "RMSNorm", "Dropout", "Embedding", "MultiheadAttention"),
    *("ModuleList", "ModuleDict", "Sequential", "Identity", "ReLU", "GELU", "SiLU", "Softmax"),
)
TORCHS: dict[str, type[nn.Module]] = {
    **{name: getattr(nn, name) for name in NAMES},
    "NonDynamicallyQuantizableLinear": nn.modules.linear.NonDynamicallyQuantizableLinear,
}
HOOKS = (
    *("register_forward_hook", "register_forward_pre_hook"),
    *("register_full_backward_hook", "register_full_backward_pre_hook", "register_backward_hook"),
)
OWN = frozenset(vars(nn.Module()))  # what every module has
GRADIENT = ".grad"  # is added to the name of a parameter
MODE = "training"
MOST_MODULES = 2000
Make = Callable[[type[nn.Module], Any], nn.Module]
Update = tuple[int, str, Any, Any]
Memory = tuple[torch.dtype, int]


class Mirror:
    """The modules that both sides know.

    Args:
        make: a stand-in for a module that computes on the other side, from the class of PyTorch's
            that it is derived from, and its name in an exercise.
        name: the name of a class in an exercise; None if it is of no exercise.
    """

    def __init__(self, make: Make, name: Callable[[type], Any]) -> None:
        self.modules: list[nn.Module] = []
        self._make = make
        self._name = name
        self._there: dict[tuple[int, str], Any] = {}  # what the other side has
        self._slots: list[list[tuple[str, bool]]] = []  # names, and whether it is a parameter
        self._waiting: list[Update] = []
        self.functions: dict[int, FunctionModule] = {}  # that the other side may call
        self._homes: dict[tuple[int, str], Memory] = {}  # the memory of parameters and buffers

    def as_module(self, function: Callable[..., Any]) -> nn.Module:
        """Return a module that stands for a function: the same one for the same function."""
        return self.functions.setdefault(id(function), FunctionModule(function))

    def number(self, module: nn.Module) -> int | None:
        """Return the number of a module; None if the other side does not have it."""
        return next((number for number, own in enumerate(self.modules) if own is module), None)

    def describe(self, module: nn.Module) -> Any:
        """Return a module's number if both sides have it; else all that is needed to build it."""
        number = self.number(module)
        if number is not None:
            return number
        number, kind = self._add(module), type(module)
        settings = {name: value for name, value in vars(module).items() if name not in OWN}
        self._there[number, MODE] = module.training
        # The class of PyTorch's that it is or that it is derived from.
        torchs = next((base for base in kind.__mro__ if TORCHS.get(base.__name__) is base), None)
        # Something may have been put into it that computes, such as another `forward`.
        is_unchanged = torchs is kind and all(map(is_plain, settings.values()))
        return {
            "kind": torchs.__name__ if torchs else "",
            "name": self._name(kind),
            "plain": settings if is_unchanged else None,
            MODE: module.training,
            "slots": [self._slot(number, *slot) for slot in self._slots[number]],
            "children": [(name, self.describe(part))
                         for name, part in module._modules.items() if part is not None],
        }  # fmt: skip

    def build(self, data: Any, into: nn.Module | None = None) -> nn.Module:
        """Make the module of this description, or return the one of this number."""
        if isinstance(data, int):
            return self.modules[data]
        number = len(self.modules)
        module = into if into is not None else self._empty(data)
        self._add(module, [(name, bool(is_parameter)) for name, is_parameter, *_ in data["slots"]])
        module.training = self._there[number, MODE] = bool(data[MODE])
        for name, is_parameter, saved, value, grad, same in data["slots"]:
            self._fill(number, module, name, is_parameter, value, same)
            self._put(number, name + GRADIENT, grad)
            self._remember(number, name + GRADIENT, grad)
            if not saved:
                module._non_persistent_buffers_set.add(name)
        for name, inside in data["children"]:
            module._modules[name] = part = self.build(inside)
            if data["plain"] is None:
                _refuse_hooks(part)
        waiting, self._waiting = self._waiting, []
        self.apply(waiting)
        return module

    def _empty(self, data: Any) -> nn.Module:
        kind = TORCHS[data["kind"]] if data["kind"] else nn.Module
        if data["plain"] is None:
            return self._make(kind, data["name"])
        module: nn.Module = kind.__new__(kind)  # to initialize it would draw numbers
        nn.Module.__init__(module)
        settings = data["plain"].items()
        vars(module).update({name: value for name, value in settings if name not in OWN})
        return module

    def _add(self, module: nn.Module, slots: list[tuple[str, bool]] | None = None) -> int:
        if len(self.modules) == MOST_MODULES:
            raise wire.TooLargeError(f"{MOST_MODULES} modules")
        self.modules.append(module)
        if slots is None:
            slots = [(name, True) for name in module._parameters]
            slots += [(name, False) for name in module._buffers]
        self._slots.append(slots)
        return len(self.modules) - 1

    def _slot(self, number: int, name: str, is_parameter: bool) -> Any:
        value = self._at(number, name)
        same = self._same_memory(number, name, value)
        self._remember(number, name, value)
        grad = value.grad if is_parameter and value is not None else None
        self._remember(number, name + GRADIENT, grad)
        saved = is_parameter or name not in self.modules[number]._non_persistent_buffers_set
        return name, is_parameter, saved, value, grad, same

    def _same_memory(self, number: int, name: str, value: Tensor | None) -> Any:
        """Return another one in this memory, whether they are one object, and where it lies."""
        if value is None or not value.numel():
            return None
        memory = _memory(value)
        neighbours = {slot: self._at(*slot) for slot, home in self._homes.items()
                      if home == memory and slot != (number, name)}  # fmt: skip
        same = {slot: tensor for slot, tensor in neighbours.items()
                if tensor is not None and _memory(tensor) == memory}  # fmt: skip
        if not same:
            return None
        largest = max(same, key=lambda slot: same[slot].numel())
        place = tuple(value.shape), value.stride(), value.storage_offset()
        return *largest, same[largest] is value, *place

    def _fill(
        self, number: int, module: nn.Module, name: str, is_parameter: bool, value: Any, same: Any
    ) -> None:
        """Set a parameter or a buffer, in the memory of another one if the other side does so."""
        slots = module._parameters if is_parameter else module._buffers
        tensor = value if value is None else value.detach().clone()
        if same:
            tensor = self._in_memory(tensor, *same)
        if is_parameter and tensor is not None and not isinstance(tensor, nn.Parameter):
            tensor = nn.Parameter(tensor, requires_grad=value.requires_grad)
        slots[name] = tensor
        self._remember(number, name, tensor)

    def _in_memory(
        self, value: Any, number: int, name: str, same: bool, shape: Any, steps: Any, start: int
    ) -> Any:
        neighbour = self._at(number, name)
        if same or neighbour is None:
            return neighbour
        try:
            return neighbour.detach().as_strided(shape, steps, start)
        except RuntimeError:  # here it lies in less memory
            return value

    def _at(self, number: int, name: str) -> Tensor | None:
        """Return a parameter or a buffer."""
        parameter = self.modules[number]._parameters.get(name)
        return self.modules[number]._buffers.get(name) if parameter is None else parameter

    def _remember(self, number: int, name: str, value: Tensor | None) -> None:
        """Note what the other side has now, and where it lies in memory here."""
        self._homes.pop((number, name), None)
        self._there[number, name] = None
        if value is not None:
            copy = value.detach().clone().requires_grad_(value.requires_grad)
            self._there[number, name] = copy
            if GRADIENT not in name:
                self._homes[number, name] = _memory(value)

    def changes(self) -> list[Update]:
        """Return the updates that the other side does not have yet."""
        numbers = range(len(self.modules))
        return [update for number in numbers for update in self._changes(number)]

    def _changes(self, number: int) -> Iterator[Update]:
        module = self.modules[number]
        if module.training is not self._there[number, MODE]:
            self._there[number, MODE] = module.training
            yield number, MODE, module.training, None
        for name, is_parameter in self._slots[number]:
            value = self._at(number, name)
            moved = value is not None and self._homes.get((number, name)) != _memory(value)
            same = self._same_memory(number, name, value) if moved else None
            differs = same or not _same(value, self._there.get((number, name)))
            if differs:
                yield number, name, value, same
            if differs or moved:
                self._remember(number, name, value)
            grad = value.grad if is_parameter and value is not None else None
            before = self._there.get((number, name + GRADIENT))
            if grad is not before and not _same(grad, before):
                self._remember(number, name + GRADIENT, grad)
                yield number, name + GRADIENT, grad, None

    def apply(self, updates: list[Any]) -> None:
        """Take over what has changed on the other side.

        What is about a module that has not been built yet waits until it has.
        """
        for number, name, value, same in updates:
            if max(number, same[0] if same else 0) >= len(self.modules):
                self._waiting.append((number, name, value, same))
            elif name == MODE:
                self.modules[number].training = bool(value)
                self._there[number, MODE] = bool(value)
            else:
                self._put(number, name, value, same)
                now = value if GRADIENT in name else self._at(number, name)
                self._remember(number, name, now)

    def _put(self, number: int, name: str, value: Any, same: Any = None) -> None:
        module, (slot, _, of_gradient) = self.modules[number], name.partition(".")
        is_parameter = dict(self._slots[number])[slot]
        slots: dict[str, Any] = module._parameters if is_parameter else module._buffers
        now = slots[slot]
        if of_gradient:
            if now is not None:
                now.grad = value
        elif value is None or now is None:
            held = nn.Parameter(value) if is_parameter and value is not None else value
            slots[slot] = held
        elif same:
            now.data = self._in_memory(value.detach().clone(), *same).detach()
        else:
            _overwrite(now, value)

    def forget(self, count: int) -> None:
        """Forget all modules but the first `count`; the other side does the same."""
        for number in range(count, len(self.modules)):
            for name, _ in self._slots[number]:
                self._homes.pop((number, name), None)
                self._there.pop((number, name), None)
                self._there.pop((number, name + GRADIENT), None)
        self._waiting.clear()
        del self.modules[count:], self._slots[count:]

    def parameters(self, modules: list[nn.Module]) -> list[Tensor | None]:
        """Return the parameters of modules: as many and in the same order on both sides."""
        numbers = dict.fromkeys(number for module in modules for number in self._inside(module))
        return [self._at(number, name) if is_parameter else None
                for number in numbers for name, is_parameter in self._slots[number]]  # fmt: skip

    def _inside(self, module: nn.Module) -> list[int]:
        numbers = {id(own): number for number, own in enumerate(self.modules)}
        return sorted(numbers[id(part)] for part in module.modules() if id(part) in numbers)


class FunctionModule(nn.Module):
    """A module that stands for a function."""

    function: Any

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        vars(self)["function"] = function

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.function(*args, **kwargs)


def _refuse_hooks(module: nn.Module) -> None:
    """Nobody would call the hooks of a part: what runs is that of the other process."""
    for part in module.modules():
        vars(part).update(dict.fromkeys(HOOKS, _refuse_hook))


def _refuse_hook(*_: Any, **__: Any) -> NoReturn:
    raise UnavailableError(
        "a proof can set no hooks on the parts of a module: it sees what goes in and what comes out"
    )


def is_plain(value: Any) -> bool:
    """Return whether a value is a setting: a number, a text, a few of them."""
    if isinstance(value, (tuple, list)):
        return len(value) <= 100 and all(map(is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str))


def _memory(value: Tensor) -> Memory:
    return value.dtype, value.untyped_storage().data_ptr()


def _same(value: Any, before: Any) -> bool:
    if value is None or before is None:
        return value is before
    alike = value.dtype == before.dtype and value.requires_grad == before.requires_grad
    return alike and value.shape == before.shape and torch.equal(value, before)


def _overwrite(now: Tensor, value: Tensor) -> None:
    if now.shape == value.shape and now.dtype == value.dtype:
        with torch.no_grad():
            now.copy_(value)
    else:
        now.data = value.detach().clone()
    now.requires_grad_(value.requires_grad)
