"""The GPU that some claims name: whether there is one, and whether it still answers."""

import os
from dataclasses import replace
from functools import cache

from kata.judging.case import Call, Case


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


def let_go(case: Case) -> None:
    """Keep of a claim only the errors: what lay on the GPU can no longer be read."""
    case.events[:] = [_without_arrays(each) for each in case.events]


def _without_arrays(event: Call) -> Call:
    outcome = event.outcome if isinstance(event.outcome, Exception) else None
    return replace(event, names=(), before=(), after=(), outcome=outcome)
