import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out)
        self.w_key = nn.Linear(d_in, d_out)
        self.w_value = nn.Linear(d_in, d_out)
        self.scale = d_out**0.5

    def forward(self, x):
        scores = torch.bmm(self.w_query(x), self.w_key(x).transpose(1, 2)) / self.scale
        return torch.bmm(F.softmax(scores, dim=2), self.w_value(x))


class HeadsInAList(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.w_out = nn.Linear(d_model, d_model)
        self.heads = nn.ModuleList(Head(d_model, d_model // num_heads) for _ in range(num_heads))

    def forward(self, x):
        return self.w_out(torch.cat([head(x) for head in self.heads], dim=-1))
