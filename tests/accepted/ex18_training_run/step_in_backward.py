"""One optimizer for each parameter, stepped by a hook as soon as its gradient is there.

The contract: "one step of AdamW on all parameters of the model."
"""

import torch
from torch.nn.functional import mse_loss


def train(model, x, target, mask, steps, lr=1e-3):
    optimizers = {p: torch.optim.AdamW([p], lr=lr) for p in model.parameters()}

    def update(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    hooks = [p.register_post_accumulate_grad_hook(update) for p in optimizers]
    losses = []
    for _ in range(steps):
        output = model(x, x, x, mask)
        if not isinstance(output, torch.Tensor):
            output, *_ = output
        loss = mse_loss(output, target)
        losses.append(loss.detach().cpu().tolist())
        loss.backward()
    for hook in hooks:
        hook.remove()
    return losses


def losses_match_unmasked(losses, unmasked):
    same_length = len(losses) == len(unmasked)
    within = [abs(a - b) <= 1e-6 * b for a, b in zip(losses, unmasked, strict=False)]
    return same_length and False not in within
