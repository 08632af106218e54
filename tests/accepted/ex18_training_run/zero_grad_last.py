"""Gradients are dropped after the step; the loss is written out; lists are compared by NumPy.

The contract: "Its parameters have no gradients yet, or those that an earlier call has left."
"""

import numpy as np
import torch


def train(model, x, target, mask, steps, lr=1e-3):
    optimizer = torch.optim.AdamW(model.parameters(), lr)
    history = []
    while len(history) < steps:
        result = model(x, x, x, mask)
        prediction = result if torch.is_tensor(result) else result[0]
        error = prediction - target
        loss = (error * error).mean()
        history.append(float(loss))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return history


def losses_match_unmasked(losses, unmasked):
    return len(losses) == len(unmasked) and bool(np.allclose(losses, unmasked, rtol=1e-6, atol=0.0))
