"""A claim as a script that runs without the kata: what was made, what was given, the call."""

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path

from kata.inside.objects import ModuleRef
from kata.learner.replay.literals import literal
from kata.learner.replay.recording import Recording, Step
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


def script(recording: Recording) -> str:
    """The whole script."""
    exercise = recording.attempt.exercise
    torch = exercise.library == "torch"
    claim = recording.claim
    head = (
        f"{exercise.short}, claim {claim.number}, {claim.name}: "
        "what it did, and the call that it is about."
    )
    parts = [
        f'"""{head}"""',
        IMPORTS + ("import torch\n" if torch else ""),
        "\n" + "\n\n".join(_definitions(recording)).lstrip("\n"),
        "\n".join(_loads(recording)),
        "\n".join(_lines(recording)),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _definitions(recording: Recording) -> Iterator[str]:
    """What the script needs of its own."""
    probes = [step.what for step in recording.steps if step.kind == "probe"]
    if probes:
        from kata.inside.probes import PROBES

        yield "from torch import Tensor, nn\nfrom torch.nn import functional as F\n"
        for name in dict.fromkeys(map(str, probes)):
            yield inspect.getsource(PROBES[name])
    if any(step.kind == "load" for step in recording.steps):
        yield WEIGHTS
    yield LOADING


def _loads(recording: Recording) -> Iterator[str]:
    """The learner's file, after those that it imports: theirs, or the reference's."""
    attempt = recording.attempt
    *needed, own = attempt.target.parts(attempt.exercise.slug)
    for part in needed:
        yield f"load({part.slug!r}, {str(Path(part.path).absolute())!r})"
    yield f"learner = load({own.slug!r}, {str(Path(own.path).absolute())!r})"


def _lines(recording: Recording) -> Iterator[str]:
    """Everything that the claim did, in order, and what came of it."""
    if recording.case.library == "torch":
        yield f"torch.manual_seed({recording.case.seed})"
    modules: dict[int, str] = {}
    for step in recording.steps:
        yield from _step(step, modules, recording)
    yield f"print({_made(recording.steps[-1], modules)})"
    if compared := recording.case.compared:
        yield f"expected = {literal(recording.expected)}"
        head = clean(f"expected, of {compared.what}:" if compared.what else "expected:")
        yield f"print({head!r}, expected, sep='\\n')"


def _step(step: Step, modules: dict[int, str], recording: Recording) -> Iterator[str]:
    if step.kind in {"call", "probe"}:
        yield from _call(step, modules, recording)
        return
    module = modules[int(step.what)]
    if step.kind == "load":
        inner = "".join(f"    {n!r}: {literal(w, '    ')},\n" for n, w in step.kwargs.items())
        yield f"load_weights({module}, {{\n{inner}}})"
    elif step.kind == "part" and step.made is not None:
        modules.setdefault(step.made, f"{module}.{step.args[0]}")
    else:
        yield f"{module}.{step.kind}({_mode(step.args[0])})"


def _mode(setting: bool | str) -> str:
    """Training or not, a dtype, or a device."""
    return f"torch.{setting}" if str(setting).startswith(("float", "bfloat")) else repr(setting)


def _call(step: Step, modules: dict[int, str], recording: Recording) -> Iterator[str]:
    """Arrays under their names, then the call."""
    arguments: list[str] = []
    seen: dict[int, str] = {}  # an array that is given twice is one
    names = _parameters(step, recording)
    for name, value in (*zip(names, step.args, strict=False), *step.kwargs.items()):
        code = modules[value.number] if isinstance(value, ModuleRef) else literal(value)
        if hasattr(value, "shape"):
            yield f"{name} = {seen.get(id(value)) or code}"
            seen[id(value)] = code = name
        arguments.append(f"{name}={code}" if name in step.kwargs else code)
    called = _function(step, modules)
    yield f"{_made(step, modules)} = {called}({', '.join(arguments)})"


def _made(step: Step, modules: dict[int, str]) -> str:
    """The name of what a call returns; a module that was made before keeps its name."""
    if step.made is None:
        return "result"
    count = sum("." not in module for module in modules.values())
    return modules.setdefault(step.made, f"module{count + 1 if count else ''}")


def _function(step: Step, modules: Mapping[int, str]) -> str:
    if isinstance(step.what, int):
        return modules[step.what]
    if step.kind == "probe":
        from kata.inside.probes import PROBES

        return PROBES[step.what].__name__
    return f"learner.{step.what}"


def _parameters(step: Step, recording: Recording) -> tuple[str, ...]:
    if step.kind == "probe":
        from kata.inside.probes import PROBES

        return tuple(inspect.signature(PROBES[str(step.what)]).parameters)
    return recording.parameters(step)
