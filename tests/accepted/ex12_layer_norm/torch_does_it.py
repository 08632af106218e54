"""PyTorch's function, on parameters of one's own.

The contract: "Subtract a row's mean, divide by √(variance + eps), multiply by gamma, add beta."
"""

import torch.nn as nn
import torch.nn.functional as F
from torch import ones, zeros


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.shape = [shape] if isinstance(shape, int) else list(shape)
        self.eps = eps
        self.gamma = nn.Parameter(ones(*self.shape))
        self.beta = nn.Parameter(zeros(*self.shape))

    def forward(self, x):
        return F.layer_norm(x, self.shape, self.gamma, self.beta, self.eps)
