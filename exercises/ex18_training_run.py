"""Exercise 18: a training run, and the check that it was a masked one."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def train(
    model: nn.Module,
    x: Tensor,
    target: Tensor,
    mask: Tensor | None,
    steps: int,
    lr: float = 1e-3,
) -> list[float]:
    """Train a model towards a target, and tell the loss of every step.

    A step is one forward pass of the whole batch, the gradients of its loss, and one step of AdamW
    on all parameters of the model. AdamW is as PyTorch has it, but for the learning rate. A call
    remembers nothing of earlier ones.

    Args:
        model: attention, called as `model(x, x, x, mask)`. It returns a tensor (B, T, E), or a
            tuple of any length that begins with it: both have to work. It is itself trained, not a
            copy. It and each of its parts stay in the mode they are in, training or evaluation,
            before, during and after the run: the caller may have frozen a part, so nothing here
            calls `model.train()` or `model.eval()`. Its parameters have no gradients yet, or those
            that an earlier call has left.
        x: (B, T, E), queries, keys and values at once, with the dtype and on the device of the
            parameters. It is not changed.
        target: (B, T, E), what the output is to become, of the same dtype. It is not changed.
        mask: bool, True = may attend, (T, T) or (B, T, T), or None; the model takes it as it is.
            It is not changed.
        steps: how many steps, zero or more.
        lr: the learning rate of AdamW.

    Returns:
        a list of one float, and no tensor, for every step: the mean squared error of the output
        from which that step begins, over all its entries.

    >>> class Factor(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(torch.tensor(2.0))
    ...
    ...     def forward(self, query, key, value, mask):
    ...         return self.factor * query, None
    >>> model, one, zero = Factor(), torch.ones(1, 1, 1), torch.zeros(1, 1, 1)
    >>> [round(loss, 4) for loss in train(model, one, zero, None, steps=2, lr=0.5)]
    [4.0, 2.2201]
    """
    raise NotImplementedError("ex18 train: not written yet")


def losses_match_unmasked(losses: list[float], unmasked: list[float]) -> bool:
    """Whether a run with a mask has the losses of the same run without one.

    If it has, the mask did nothing, however well the losses fall.

    Args:
        losses: of the run with a mask, one loss or more, each finite and not negative.
        unmasked: likewise of the run without one, which began with the same parameters.

    Returns:
        True, as a plain bool, if there are as many losses in both and each differs from the
        other run's loss of the same step by at most a millionth of the larger one, however small
        they are: rounding does no more than that, and a mask that works does. Zero is equal to
        nothing but zero.

    >>> losses_match_unmasked([0.9783, 0.9198], [0.9783, 0.9198])
    True
    >>> losses_match_unmasked([0.9601, 0.8230], [0.9528, 0.8633])
    False
    """
    raise NotImplementedError("ex18 losses_match_unmasked: not written yet")
