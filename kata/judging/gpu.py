"""The GPU that some claims name: whether there is one, and whether it still answers."""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from kata.judging.case import Call, Case

SEEN = ("before", "after", "outcome")  # of a call


@cache
def is_missing() -> bool:
    """Whether this machine has no GPU; one that it has is made to compute like a CPU."""
    # An error is raised by the line that causes it, and not by a later one.
    os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")
    import torch

    if not torch.cuda.is_available():
        return True
    # Convolutions would round their inputs to ten bits.
    torch.backends.cudnn.allow_tf32 = False
    return False


def is_lost() -> bool:
    """Whether it has given up: after an index out of range it does nothing more in this process."""
    import torch

    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def leave(case: Case) -> None:
    """Move to the CPU what a claim has seen, before a later claim makes the GPU give up.

    If this one did, only errors are kept: what lies there can no longer be read.
    """
    if is_lost():
        case.events[:] = [_without_arrays(event) for event in case.events]
        case.compared = None
        return
    case.events[:] = [
        replace(event, **{name: _on_the_cpu(getattr(event, name)) for name in SEEN})
        for event in case.events
    ]
    if case.compared:
        case.compared = replace(case.compared, expected=_on_the_cpu(case.compared.expected))


def _on_the_cpu(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_on_the_cpu(each) for each in value)
    if isinstance(value, Mapping):
        return {key: _on_the_cpu(each) for key, each in value.items()}
    return value.detach().cpu() if getattr(value, "is_cuda", False) else value


def _without_arrays(event: Call) -> Call:
    outcome = event.outcome if isinstance(event.outcome, Exception) else None
    return replace(event, names=(), before=(), after=(), outcome=outcome)
