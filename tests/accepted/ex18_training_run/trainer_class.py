"""A trainer that holds model, optimizer and losses, and drops gradients once more at its end.

The contract: "Its parameters have no gradients yet, or those that an earlier call has left."
"""

import math

import torch


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, foreach=True)
        self.losses = []

    def forward(self, x, mask):
        output = self.model(x, x, x, mask)
        return output[0] if isinstance(output, (tuple, list)) else output

    def step(self, x, target, mask):
        loss = torch.linalg.vector_norm(self.forward(x, mask) - target) ** 2 / target.numel()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.losses += [loss.detach().numpy(force=True).item()]

    def fit(self, x, target, mask, steps):
        for _ in range(steps):
            self.step(x, target, mask)
        self.optimizer.zero_grad()
        return self.losses


def train(model, x, target, mask, steps, lr=1e-3):
    return Trainer(model, lr).fit(x, target, mask, steps)


def losses_match_unmasked(losses, unmasked):
    return len(losses) == len(unmasked) and all(
        map(lambda a, b: math.isclose(a, b, rel_tol=1e-6, abs_tol=0.0), losses, unmasked)
    )
