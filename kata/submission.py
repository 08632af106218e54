"""What a suite can ask of the work under test, and no more.

A suite never touches the learner's objects: it calls functions by name, gets arrays, tensors and
numbers back, and holds modules as handles. The same surface can be served by another process.
"""

import linecache
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any

import numpy as np

from kata.case import Case, Event
from kata.curriculum import Exercise
from kata.source import UnusableError, contract, misspelled
from kata.target import Target

MOST_FRAMES = 6  # of the learner's own, in a message
IMPORT = "import"  # the name under which loading the file is guarded


class LearnerError(Exception):
    """The learner's code raised."""

    def __init__(self, error: BaseException, frames: list[str]) -> None:
        super().__init__(f"{type(error).__name__}: {_text(error)}")
        self.kinds = [each.__name__ for each in type(error).__mro__]
        self.text = _text(error)
        self.frames = frames


class LoadError(LearnerError):
    """The learner's file raised while it was imported: nothing in it can be judged."""


class NotWrittenError(Exception):
    """The learner's function still raises the stub's NotImplementedError."""


class MissingError(Exception):
    """A name, a parameter or a method that the contract asks for is not there."""


class BlockedError(Exception):
    """Something that failed before makes this claim impossible to judge."""


class Opaque:
    """A value that a suite cannot look into; only the name of its type crosses."""

    def __init__(self, value: object) -> None:
        self.kind = type(value).__name__


class Attempt:
    """One exercise of one target: loaded once, at the first call, and remembered if that fails."""

    def __init__(self, exercise: Exercise, target: Target) -> None:
        self.exercise = exercise
        self.target = target
        self.hung: set[str] = set()
        self._module: ModuleType | None = None
        self._failed = False

    def load(self) -> ModuleType:
        """The learner's module; after a failure to load, every further claim is blocked."""
        if self._failed:
            raise BlockedError(f"{self.exercise.filename} could not be loaded")
        if self._module is None:
            self._failed = True
            with self.guarded(IMPORT):
                self._module = self.target.module(self.exercise.slug)
            self._failed = False
        return self._module

    @contextmanager
    def guarded(self, name: str) -> Iterator[None]:
        """Run the learner's code: errors become data, and what hung once is not run again."""
        if name in self.hung:
            raise BlockedError(f"`{name}` ran out of time in an earlier claim")
        stdin, sys.stdin = sys.stdin, _NoInput()
        try:
            yield
        except (Exception, SystemExit) as error:
            raise self._translated(error, name) from None
        except BaseException:  # the time limit
            self.hung.add(name)
            raise
        finally:
            sys.stdin = stdin

    def _translated(self, error: BaseException, name: str) -> Exception:
        if isinstance(error, (UnusableError, MissingError, NotWrittenError, BlockedError)):
            return error
        kind = LoadError if name == IMPORT else LearnerError
        frames = list(traceback.walk_tb(error.__traceback__))
        own = [each for each in frames if self._is_own(each[0])]
        if isinstance(error, NotImplementedError) and own and frames[-1] is own[-1]:
            return NotWrittenError(f"`{name}` is not written yet: line {own[-1][1]} still raises")
        return kind(error, shown(own))

    def own_frames(self, trace: TracebackType | None) -> list[str]:
        """The learner's part of a traceback, in words."""
        return shown([each for each in traceback.walk_tb(trace) if self._is_own(each[0])])

    def _is_own(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename.startswith(str(self.target.folder))


class Submission:
    """The facade of one claim: `submission.softmax(x)`, `submission.EncoderLayer(18, 3, 9)`."""

    def __init__(self, attempt: Attempt, case: Case) -> None:
        self._attempt = attempt
        self._case = case

    def __getattr__(self, name: str) -> Callable[..., Any]:
        module = self._attempt.load()
        function = getattr(module, name, None)
        if not callable(function):
            raise MissingError(self._missing(name, module))
        return lambda *args, **kwargs: self.call(name, name, function, args, kwargs)

    def _missing(self, name: str, module: ModuleType) -> str:
        exercise = self._attempt.exercise
        own = [each for each in vars(module) if each not in contract(exercise).names]
        return f"{exercise.filename} has no `{name}`{misspelled(name, own)}"

    def call(
        self,
        label: str,
        name: str,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Call the learner's code with copies, and record what was given and what came of it."""
        given, named = _copy((args, dict(kwargs)), {})
        known = contract(self._attempt.exercise).functions
        names = known.get(name) or known.get(f"{name}.__init__", ())
        names = (*names[: len(args)], *kwargs)
        event = Event(label, names, (*args, *kwargs.values()), (*given, *named.values()))
        self._case.events.append(event)
        try:
            with self._attempt.guarded(name):
                result = function(*map(_inside, given), **{k: _inside(v) for k, v in named.items()})
            event.outcome = self._wrap(result, event, name)
        except Exception as error:
            event.outcome = error
            raise
        return event.outcome

    def _wrap(self, result: Any, event: Event, name: str) -> Any:
        if isinstance(result, (tuple, list)):
            wrapped = [self._wrap(each, event, name) for each in result]
            return tuple(wrapped) if isinstance(result, tuple) else wrapped
        if _is_module(result):
            arguments = ", ".join(_constructor_arguments(event))
            return ModuleHandle(self, result, f"{event.label}({arguments})", name)
        return _plain(result)

    def see(self, label: str, value: Any) -> Any:
        """Record a structure that the suite asked for."""
        self._case.events.append(Event(label, outcome=value))
        return value

    def guarded(self, name: str) -> Any:
        """The attempt's guard, for handles."""
        return self._attempt.guarded(name)


class ModuleHandle:
    """A learner's nn.Module, held from outside."""

    def __init__(self, submission: Submission, module: Any, label: str, name: str) -> None:
        self._submission = submission
        self._module = module
        self._label = label
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """One forward pass."""
        self._check_forward()
        name = f"{self._name}.forward"
        mode = "" if self._module.training else ".eval()"
        return self._submission.call(f"{self._label}{mode}", name, self._module, args, kwargs)

    def _check_forward(self) -> None:
        import torch  # there is a module, so torch is loaded

        kind = type(self._module)
        if getattr(kind, "forward", None) is torch.nn.Module.forward:
            own = [name for name in vars(kind) if not name.startswith("__")]
            close = misspelled("forward", own)
            raise MissingError(f"class `{kind.__name__}` has no method `forward`{close}")

    def train(self) -> "ModuleHandle":
        """Switch to training mode."""
        with self._submission.guarded(f"{self._name}.train"):
            self._parent.train()
        return self

    def eval(self) -> "ModuleHandle":
        """Switch to evaluation mode."""
        with self._submission.guarded(f"{self._name}.eval"):
            self._parent.eval()
        return self

    def to(self, where: str) -> "ModuleHandle":
        """Move to a device or a dtype, given by name."""
        import torch

        dtype = getattr(torch, where, None)
        with self._submission.guarded(f"{self._name}.to"):
            self._parent.to(dtype if isinstance(dtype, torch.dtype) else where)
        return self

    def parameters(self) -> dict[str, Any]:
        """Copies of all parameters, by name; one that has two names is listed twice."""
        found = self._named_parameters()
        copies = {name: each.detach().clone() for name, each in found.items()}
        return self._see("parameters()", copies)  # type: ignore[no-any-return]

    def shared(self) -> list[list[str]]:
        """Names that stand for one and the same parameter."""
        owners: dict[int, list[str]] = {}
        for name, each in self._named_parameters().items():
            owners.setdefault(id(each), []).append(name)
        return self._see("shared()", [names for names in owners.values() if len(names) > 1])  # type: ignore[no-any-return]

    def buffers(self) -> list[str]:
        """The names of all buffers."""
        return self._see("buffers()", [name for name, _ in self._module.named_buffers()])  # type: ignore[no-any-return]

    def load(self, weights: Mapping[str, Any]) -> "ModuleHandle":
        """Put the suite's numbers into the learner's parameters."""
        import torch

        own = self._named_parameters()
        for name, each in weights.items():
            _check_parameter(self._label, name, each, own)
        with torch.no_grad():
            for name, each in weights.items():
                own[name].copy_(each)
        return self

    def gradients(self) -> dict[str, Any]:
        """The gradient of each parameter, None where there is none."""
        found = {
            name: None if each.grad is None else each.grad.detach().clone()
            for name, each in self._named_parameters().items()
        }
        return self._see("gradients()", found)  # type: ignore[no-any-return]

    def number(self, name: str) -> int:
        """An attribute that is an int."""
        value = getattr(self._module, name, None)
        if not isinstance(value, int):
            kind = "missing" if value is None else f"a {type(value).__name__}"
            raise MissingError(f"{self._label}: attribute `{name}` is {kind}, expected an int")
        return self._see(f"number({name})", value)  # type: ignore[no-any-return]

    def part(self, name: str) -> "ModuleHandle":
        """A module inside, by its name."""
        part = getattr(self._module, name, None)
        if not _is_module(part):
            own = [each for each, _ in self._module.named_children()]
            raise MissingError(f"{self._label} has no part `{name}`{misspelled(name, own)}")
        return ModuleHandle(self._submission, part, f"{self._label}.{name}", f"{self._name}.{name}")

    @cached_property
    def _parent(self) -> Any:
        """A model around it: that is how modules are switched and moved in practice."""
        import torch

        return torch.nn.ModuleList([self._module])

    def _named_parameters(self) -> dict[str, Any]:
        return dict(self._module.named_parameters(remove_duplicate=False))

    def _see(self, what: str, value: Any) -> Any:
        return self._submission.see(f"{self._label}.{what}", value)


class _NoInput:
    """A standard input that answers nobody."""

    def readline(self, *_: object) -> str:
        raise OSError("standard input cannot be read here: a claim gives its inputs as arguments")

    read = readlines = __iter__ = __next__ = readline
    fileno = isatty = readline
    encoding, errors, closed = "utf-8", "strict", False


def _copy(value: Any, known: dict[int, Any]) -> Any:
    """What the learner gets: copies, connected to the originals for gradients.

    One array given twice, as in self-attention, is one array on the other side too.
    """
    if isinstance(value, (tuple, list)):
        return type(value)(_copy(each, known) for each in value)
    if isinstance(value, dict):
        return {key: _copy(each, known) for key, each in value.items()}
    if id(value) not in known:
        known[id(value)] = _copy_array(value)
    return known[id(value)]


def _copy_array(value: Any) -> Any:
    if hasattr(value, "requires_grad"):
        return value.clone()
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def _inside(value: Any) -> Any:
    return value._module if isinstance(value, ModuleHandle) else value  # its own class


def _plain(value: Any) -> Any:
    """Nothing but plain values leaves the learner's code."""
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return value
    if _is_tensor(value):
        import torch

        return value if type(value) is torch.Tensor else value.as_subclass(torch.Tensor)
    return Opaque(value)


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _constructor_arguments(event: Event) -> Iterator[str]:
    for name, value in zip(event.names, event.before, strict=False):
        yield f"{value}" if name in {"d_model", "num_heads", "d_hidden"} else f"{name}={value}"


def _check_parameter(label: str, name: str, value: Any, own: Mapping[str, Any]) -> None:
    if name not in own:
        close = misspelled(name, list(own))
        raise MissingError(f"{label} has no parameter `{name}`{close}")
    if own[name].shape != value.shape:
        got, expected = tuple(own[name].shape), tuple(value.shape)
        raise MissingError(f"{label}: `{name}` has shape {got}, expected {expected}")


def shown(frames: list[tuple[FrameType, int]]) -> list[str]:
    """Frames in words; of a long recursion the two ends."""
    words = [_frame(*each) for each in frames]
    if len(words) <= MOST_FRAMES:
        return words
    left_out = f"… {len(words) - MOST_FRAMES} more calls …"
    return [*words[: MOST_FRAMES // 2], left_out, *words[-MOST_FRAMES // 2 :]]


def _frame(frame: FrameType, line: int) -> str:
    path = Path(frame.f_code.co_filename)
    code = linecache.getline(str(path), line).strip()
    where = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{where}:{line} in {frame.f_code.co_name}\n    {code}"


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # a learner's own exception may do anything
        return "(its message cannot be read)"
    text = re.sub(r"'kata_target_\w+\.(\w+)' \(.*?\)", r"`.\1`", text)  # the package is ours
    return text if len(text) <= 300 else f"{text[:300]}… ({len(text)} characters)"
