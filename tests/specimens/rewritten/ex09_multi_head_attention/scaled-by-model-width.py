import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        if self.head_dim * num_heads != d_model:
            raise ValueError(f"d_model={d_model}, num_heads={num_heads}: not divisible")
        self.w_query, self.w_key, self.w_value, self.w_out = (
            nn.Linear(d_model, d_model, bias=bias) for _ in range(4)
        )
        self.attn_dropout = nn.Dropout(dropout)

    def split(self, x):
        b, n, _ = x.shape
        return x.reshape(b, n, self.num_heads, -1).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        """Scores, weights, dropout, values."""
        b, t, _ = query.shape
        q, k, v = self.split(self.w_query(query)), self.split(self.w_key(key)), self.split(self.w_value(value))
        energy = (q @ k.transpose(-1, -2)) / (self.d_model ** 0.5)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            energy = torch.where(mask, energy, float("-inf"))
        attention = torch.softmax(energy, dim=-1)
        out = self.attn_dropout(attention) @ v
        out = out.transpose(1, 2).contiguous().view(b, t, self.d_model)
        return self.w_out(out), attention
