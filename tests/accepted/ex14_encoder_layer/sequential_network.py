"""The network is a Sequential with named steps; attention is PyTorch's fused function.

The contract: "how the layer calls them is free"
"""

from collections import OrderedDict

from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class FusedAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout):
        super().__init__()
        for name in ("w_query", "w_key", "w_value", "w_out"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.shape = (num_heads, d_model // num_heads)
        self.p = dropout

    def forward(self, x, mask=None):
        q, k, v = (
            linear(x).unflatten(-1, self.shape).movedim(-2, -3)
            for linear in (self.w_query, self.w_key, self.w_value)
        )
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(-3)
        y = scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.p if self.training else 0.0
        )
        return self.w_out(y.movedim(-3, -2).flatten(-2))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        remainder = d_model % num_heads
        if remainder:
            raise ValueError(f"{d_model} features / {num_heads} heads leaves {remainder}")
        self.attention = FusedAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            OrderedDict(
                linear1=nn.Linear(d_model, d_hidden),
                relu=nn.ReLU(),
                dropout=nn.Dropout(dropout),
                linear2=nn.Linear(d_hidden, d_model),
            )
        )
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x.add(self.dropout(self.attention(x, mask))))
        return self.norm2(x.add(self.dropout(self.feed_forward(x))))
