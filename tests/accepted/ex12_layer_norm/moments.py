"""Mean of squares minus square of the mean, of rows from which their first number was taken.

The contract: "what gamma multiplies is right to a hundredth as long as no number of the row is
further from zero than 10,000 · √(variance + eps)."
"""

import torch


class LayerNorm(torch.nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        shape = (shape,) if type(shape) is int else shape
        self.d = [k - len(shape) for k in range(len(shape))]
        self.gamma = torch.nn.Parameter(torch.full(shape, 1.0))
        self.beta = torch.nn.Parameter(torch.full(shape, 0.0))
        self.eps = eps

    def forward(self, x):
        y = x - x[(..., *[slice(1)] * len(self.d))]
        m1 = torch.mean(y, self.d, keepdim=True)
        m2 = torch.mean(y * y, self.d, keepdim=True)
        s = torch.sqrt((m2 - m1 * m1).clamp(min=0) + self.eps)
        return self.gamma / s * y + (self.beta - self.gamma * m1 / s)
