"""AdamW from its formulas, without torch.optim; gradients from autograd.grad.

The contract: "AdamW is as PyTorch has it, but for the learning rate."
"""

import torch


def train(model, x, target, mask, steps, lr=1e-3):
    parameters = [each for each in model.parameters() if each.requires_grad]
    first = [torch.zeros_like(each) for each in parameters]
    second = [torch.zeros_like(each) for each in parameters]
    losses = []
    for t in range(1, steps + 1):
        output = model(x, x, x, mask)
        output = output[0] if isinstance(output, tuple) else output
        loss = torch.mean((target - output) ** 2)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for p, g, m, v in zip(parameters, gradients, first, second, strict=True):
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.999).addcmul_(g, g, value=0.001)
                p.mul_(1 - 0.01 * lr)
                p.sub_(lr * (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)).sqrt() + 1e-8))
        losses.append(loss.item())
    return losses


def losses_match_unmasked(losses, unmasked):
    if len(losses) != len(unmasked):
        return False
    for a, b in zip(losses, unmasked):
        if abs(a - b) > 1e-6 * max(abs(a), abs(b)):
            return False
    return True
