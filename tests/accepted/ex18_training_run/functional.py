"""The model as a function of its parameters, differentiated by torch.func, stepped by AdamW.

The contract: "It is itself trained, not a copy."
"""

import torch
from torch.func import functional_call, grad_and_value


def train(model, x, target, mask, steps, lr=1e-3):
    own = dict(model.named_parameters())
    optimizer = torch.optim.AdamW(own.values(), lr=lr)

    def loss_of(parameters):
        output = functional_call(model, parameters, (x, x, x, mask))
        output = output[0] if isinstance(output, tuple) else output
        return (output - target).pow(2).sum() / output.numel()

    losses = []
    for _ in range(steps):
        gradients, loss = grad_and_value(loss_of)({k: p.detach() for k, p in own.items()})
        for name, each in own.items():
            each.grad = gradients[name]
        optimizer.step()
        losses.append(loss.item())
    optimizer.zero_grad()
    return losses


def losses_match_unmasked(losses, unmasked):
    scaled = [(abs(a - b), 1e-6 * b) for a, b in zip(losses, unmasked)]
    return len(losses) == len(unmasked) and sum(gap > most for gap, most in scaled) == 0
