"""Imports no earlier exercise: the layer is written here, on PyTorch's kernel and norms.

The contract: "how they are called is free"
"""

import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d_model, num_heads, p):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} features do not make {num_heads} heads")
        self.h, self.p = num_heads, p
        self.w_query, self.w_key, self.w_value, self.w_out = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def forward(self, x, mask):
        b, s, e = x.shape
        q, k, v = (
            w(x).reshape(b, s, self.h, e // self.h).permute(0, 2, 1, 3)
            for w in (self.w_query, self.w_key, self.w_value)
        )
        y = F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.p if self.training else 0.0
        )
        return self.w_out(y.permute(0, 2, 1, 3).reshape(b, s, e))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, p):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return self.linear2(self.drop(F.relu(self.linear1(x))))


class Layer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, p):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attention = Attention(d_model, num_heads, p)
        self.feed_forward = FeedForward(d_model, d_hidden, p)
        self.drop1, self.drop2 = nn.Dropout(p), nn.Dropout(p)

    def forward(self, x, mask):
        x = self.norm1(x + self.drop1(self.attention(x, mask)))
        return self.norm2(x + self.drop2(self.feed_forward(x)))


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            Layer(d_model, num_heads, d_hidden, dropout) for _ in range(num_layers)
        )

    def forward(self, x, mask=None):
        mask = mask.unsqueeze(1) if mask is not None and mask.dim() == 3 else mask
        for layer in self.layers:
            x = layer(x, mask)
        return x
