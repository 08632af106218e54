"""The optimizer calls a closure and hands back its loss; nn.MSELoss; a comparison in torch.

The contract: "A step is one forward pass of the whole batch, the gradients of its loss, and one
step of AdamW on all parameters of the model."
"""

import torch
from torch import nn


def train(model, x, target, mask, steps, lr=1e-3):
    criterion = nn.MSELoss()
    optimizer = torch.optim.AdamW([{"params": list(model.parameters())}], lr=lr)

    def closure():
        optimizer.zero_grad(set_to_none=False)
        match model(x, x, x, mask):
            case (output, *_):
                pass
            case output:
                pass
        loss = criterion(output, target)
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(steps)]


def losses_match_unmasked(losses, unmasked):
    a = torch.tensor(losses, dtype=torch.float64)
    b = torch.tensor(unmasked, dtype=torch.float64)
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-6, atol=0)
