"""Exercise 23: what a language model learns from: to predict each token from those before it.

Tokens are whole numbers from 0 to V − 1, one for each word or sign of a vocabulary of V. A model
gives V logits for each token: the scores of what may come next. Their softmax is the probabilities.
"""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor

IGNORED = -100  # the target of a token that nothing is asked about


def shift(tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Split texts into what a model reads and what it is to predict: for each token the next one.

    Args:
        tokens: int32 or int64 (B, S), S at least 2: texts that are padded to the same length. They
            are not changed, and need not be contiguous.
        lengths: (B,), uint8 or any signed integer dtype, as long as it can hold S: how many real
            tokens a text begins with, 1 to S. All else is padding, whatever numbers stand there; a
            real token may have the same ones. They are not changed.

    Returns:
        inputs: (B, S − 1): all tokens but the last, padding included. They may be a view.
        targets: (B, S − 1): at each place the token after it; IGNORED where that is padding.
        Both have the dtype of the tokens.

    >>> inputs, targets = shift(torch.tensor([[5, 6, 7, 0]]), torch.tensor([3]))
    >>> inputs.tolist(), targets.tolist()
    ([[5, 6, 7]], [[6, 7, -100]])
    """
    raise NotImplementedError("ex23 shift: not written yet")


def token_losses(logits: Tensor, targets: Tensor) -> Tensor:
    """Give minus the natural logarithm of the probability of each target.

    Args:
        logits: (..., V), float32 or float64, between −10,000 and 10,000. They are not changed, and
            need not be contiguous. There may be any number of leading dimensions, none included.
        targets: int64 (...): tokens from 0 to V − 1, or IGNORED, as shift gives them for int64
            tokens. They are not changed, and need not be contiguous.

    Returns:
        (...), in the dtype of the logits: zero where the target is IGNORED. However improbable a
        target is, its loss is finite. Gradients flow back to the logits; they are finite, and zero
        where the target is IGNORED.

    >>> even = torch.zeros(2, 4)  # four tokens, each with the probability 1/4
    >>> token_losses(even, torch.tensor([3, -100]))
    tensor([1.3863, 0.0000])
    """
    raise NotImplementedError("ex23 token_losses: not written yet")


def next_token_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Give the mean loss of all targets that count: each token weighs the same, in whatever text.

    Args:
        logits: (B, T, V), as token_losses takes them.
        targets: int64 (B, T), as token_losses takes them: they are shifted already, and may be
            IGNORED at any place, not only at the end of a text.

    Returns:
        (): one number, in the dtype of the logits: the sum of the losses of all targets that are
        not IGNORED, divided by how many these are. Gradients flow back to the logits. If every
        target is IGNORED the loss is zero, and so are the gradients that flow back.

    >>> logits = torch.tensor([[[0.0, 0.0], [0.0, 0.0]], [[0.0, 50.0], [0.0, 0.0]]])
    >>> next_token_loss(logits, torch.tensor([[0, 1], [1, -100]]))  # the mean of log 2, log 2 and 0
    tensor(0.4621)
    """
    raise NotImplementedError("ex23 next_token_loss: not written yet")
