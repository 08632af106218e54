"""A recording outside of the kata: as a script, and in a Python prompt."""

import code
import inspect
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kata.inside.objects import ModuleRef
from kata.learner.recording import Recording, Step
from kata.text import clean

IMPORTS = """import importlib.util
import sys
from math import inf, nan
from types import ModuleType

import numpy as np
"""
LOADING = '''
def load(slug, path):
    """The file at this path, among the ones that it imports."""
    spec = importlib.util.spec_from_file_location(f"work.{slug}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


sys.modules["work"] = ModuleType("work")
sys.modules["work"].__path__ = []
'''
WEIGHTS = '''
def load_weights(module, weights):
    """Put numbers into parameters."""
    own = dict(module.named_parameters(remove_duplicate=False))
    with torch.no_grad():
        for name, numbers in weights.items():
            own[name].copy_(numbers)
'''
WIDEST = 96  # columns of a line, unless a number alone is longer
SHORT = 60  # characters of a list that stands on one line
KATA = str(Path(__file__).parents[1])


def script(recording: Recording) -> str:
    """Return the recording as a script."""
    exercise = recording.attempt.exercise
    imports = IMPORTS + ("import torch\n" if exercise.library == "torch" else "")
    claim = recording.claim
    head = (
        f"{exercise.short}, claim {claim.number}, {claim.name}: "
        "what it did, and the call that it is about."
    )
    parts = [
        f'"""{head}"""',
        imports,
        "\n" + "\n\n".join(_definitions(recording)).lstrip("\n"),
        "\n".join(_loads(recording)),
        "\n".join(_lines(recording)),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _definitions(recording: Recording) -> Iterator[str]:
    """Yield the functions and classes that the script needs."""
    probes = dict.fromkeys(str(step.subject) for step in recording.steps if step.kind == "probe")
    if probes:
        from kata.inside.probes import PROBES

        yield "from torch import Tensor, nn\nfrom torch.nn import functional as F\n"
        for name in probes:
            yield inspect.getsource(PROBES[name])
    if any(step.kind == "load" for step in recording.steps):
        yield WEIGHTS
    yield LOADING


def _loads(recording: Recording) -> Iterator[str]:
    """Yield lines that load the learner's file, after the files that it imports."""
    attempt = recording.attempt
    *needed, own = attempt.target.parts(attempt.exercise.slug)
    for part in needed:
        yield f"load({part.slug!r}, {str(Path(part.path).absolute())!r})"
    yield f"learner = load({own.slug!r}, {str(Path(own.path).absolute())!r})"


def _lines(recording: Recording) -> Iterator[str]:
    """Yield the steps of the claim, and at the end its result."""
    if recording.case.library == "torch":
        yield f"torch.manual_seed({recording.case.seed})"
    modules: dict[int, str] = {}
    for step in recording.steps:
        yield from _step(step, modules, recording)
    yield f"print({_result(recording.steps[-1], modules)})"
    if compared := recording.case.compared:
        yield f"expected = {literal(recording.expected)}"
        head = clean(f"expected, of {compared.what}:" if compared.what else "expected:")
        yield f"print({head!r}, expected, sep='\\n')"


def _step(step: Step, modules: dict[int, str], recording: Recording) -> Iterator[str]:
    if step.kind in {"call", "probe"}:
        yield from _call(step, modules, recording)
        return
    module = modules[int(step.subject)]
    if step.kind == "load":
        entries = "".join(
            f"    {name!r}: {literal(weights, '    ')},\n" for name, weights in step.kwargs.items()
        )
        yield f"load_weights({module}, {{\n{entries}}})"
    elif step.kind == "part" and step.result is not None:
        modules.setdefault(step.result, f"{module}.{step.args[0]}")
    else:
        yield f"{module}.{step.kind}({_setting(step.args[0])})"


def _setting(setting: bool | str) -> str:
    """Return a mode, a dtype or a device as code."""
    return f"torch.{setting}" if str(setting).startswith(("float", "bfloat")) else repr(setting)


def _call(step: Step, modules: dict[int, str], recording: Recording) -> Iterator[str]:
    """Yield the arrays under their names, then the call."""
    arguments: list[str] = []
    # An array that occurs twice is one in the script.
    arrays: dict[int, str] = {}
    names = _parameters(step, recording)
    for name, value in (*zip(names, step.args, strict=False), *step.kwargs.items()):
        code = modules[value.number] if isinstance(value, ModuleRef) else literal(value)
        if hasattr(value, "shape"):
            yield f"{name} = {arrays.get(id(value)) or code}"
            arrays[id(value)] = code = name
        arguments.append(f"{name}={code}" if name in step.kwargs else code)
    function = _function(step, modules)
    yield f"{_result(step, modules)} = {function}({', '.join(arguments)})"


def _result(step: Step, modules: dict[int, str]) -> str:
    """Return the name of a call's result; a module that came back before keeps its name."""
    if step.result is None:
        return "result"
    count = sum("." not in module for module in modules.values())
    return modules.setdefault(step.result, f"module{count + 1 if count else ''}")


def _function(step: Step, modules: Mapping[int, str]) -> str:
    if isinstance(step.subject, int):
        return modules[step.subject]
    if step.kind == "probe":
        from kata.inside.probes import PROBES

        return PROBES[step.subject].__name__
    return f"learner.{step.subject}"


def _parameters(step: Step, recording: Recording) -> tuple[str, ...]:
    if step.kind == "probe":
        from kata.inside.probes import PROBES

        return tuple(inspect.signature(PROBES[str(step.subject)]).parameters)
    return recording.parameters(step)


def literal(value: Any, margin: str = "") -> str:
    """Return code for a plain value, an array or a tensor.

    It needs the names `np` or `torch`, `inf` and `nan`; lines after the first begin with `margin`.
    """
    if hasattr(value, "detach"):
        return _tensor(value, margin)
    if isinstance(value, np.ndarray):
        return _array(value, margin)
    if isinstance(value, tuple | list):
        inner = ", ".join(literal(element, margin) for element in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def _array(value: Any, margin: str) -> str:
    dtype = f"dtype=np.{value.dtype.name}"
    if not value.size:
        return f"np.zeros({value.shape}, {dtype})"
    order = _order(value.strides)
    array = f"np.array({_nested(value.transpose(order), margin)}, {dtype})"
    return array if _is_sorted(order) else f"{array}.transpose({_back(order)})"


def _tensor(value: Any, margin: str) -> str:
    options = f"dtype={value.dtype}" + (", requires_grad=True" if value.requires_grad else "")
    if value.is_meta:
        return f"torch.empty({tuple(value.shape)}, {options}, device='meta')"
    options += "" if value.device.type == "cpu" else f", device={str(value.device)!r}"
    if not value.numel():
        return f"torch.zeros({tuple(value.shape)}, {options})"
    order = _order(value.stride())
    plain = value.detach().cpu().permute(order)
    plain = plain.float() if plain.dtype.itemsize == 2 and plain.is_floating_point() else plain
    tensor = f"torch.tensor({_nested(plain.numpy(), margin)}, {options})"
    return tensor if _is_sorted(order) else f"{tensor}.permute({_back(order)})"


def _order(strides: tuple[int, ...]) -> list[int]:
    """Return the axes in the order of the memory: some code works for one order only."""
    return sorted(range(len(strides)), key=lambda axis: -strides[axis])


def _is_sorted(order: list[int]) -> bool:
    return order == sorted(order)


def _back(order: list[int]) -> str:
    return ", ".join(str(order.index(axis)) for axis in range(len(order)))


def _nested(values: Any, margin: str) -> str:
    """Return the numbers in nested lists, with line breaks if they are many."""
    # `str` gives the shortest text that is this number again in its own precision.
    if values.ndim == 0:
        return str(values[()])
    inner = margin + "    "
    rows = [_nested(row, inner) if values.ndim > 1 else str(row) for row in values]
    line = ", ".join(rows)
    if "\n" not in line and len(line) <= SHORT:
        return f"[{line}]"
    if values.ndim > 1:
        return f"[\n{inner}" + f",\n{inner}".join(rows) + f",\n{margin}]"
    return f"[\n{inner}" + f",\n{inner}".join(_filled(rows, inner)) + f",\n{margin}]"


def _filled(numbers: list[str], margin: str) -> list[str]:
    """Return lines that hold as many numbers as fit."""
    lines: list[str] = []
    for number in numbers:
        if lines and len(margin) + len(lines[-1]) + len(number) + 3 <= WIDEST:
            lines[-1] += f", {number}"
        else:
            lines.append(number)
    return lines


class Console(code.InteractiveConsole):
    """The prompt of `kata call`."""

    def showtraceback(self) -> None:
        """Show the error, and its place in the learner's code."""
        if error := sys.exc_info()[1]:
            self.write(traceback_text(error))


def traceback_text(error: BaseException) -> str:
    """Return a traceback without the frames between the prompt and the learner's function."""
    report = traceback.TracebackException.from_exception(error)
    frames = [frame for frame in report.stack if not frame.filename.startswith(KATA)]
    report.stack = traceback.StackSummary.from_list(frames)
    return "".join(report.format())
