import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.shape = (shape,) if isinstance(shape, int) else shape
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(self.shape))
        self.beta = nn.Parameter(torch.zeros(self.shape))

    def forward(self, x):
        axes = [-at for at in range(1, len(self.shape) + 1)]
        centred = x - x.mean(dim=axes, keepdim=True)
        deviation = (centred.square().mean(dim=axes, keepdim=True) + self.eps).sqrt()
        return self.gamma * (centred / deviation) + self.beta
