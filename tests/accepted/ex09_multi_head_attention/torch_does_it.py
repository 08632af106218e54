"""The functional form of nn.MultiheadAttention, fed with four layers of our own.

The contract: "nn.Linear from E to E features, with the same names in `state_dict()`."
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        if d_model % num_heads:
            raise ValueError(d_model, num_heads)
        super().__init__()
        self.w_query, self.w_key, self.w_value, self.w_out = (
            nn.Linear(d_model, d_model, bias=bias) for _ in range(4)
        )
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.dropout = dropout

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None):
        batch, targets, sources = len(query), query.shape[1], key.shape[1]
        forbidden = None
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            every = mask.expand(batch, self.num_heads, targets, sources)
            forbidden = ~every.reshape(-1, targets, sources)
        layers = (self.w_query, self.w_key, self.w_value)
        biases = None
        if self.w_query.bias is not None:
            biases = torch.cat([layer.bias for layer in layers])
        output, weights = functional.multi_head_attention_forward(
            query.transpose(0, 1),
            key.transpose(0, 1),
            value.transpose(0, 1),
            self.d_model,
            self.num_heads,
            in_proj_weight=None,
            in_proj_bias=biases,
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=self.dropout,
            out_proj_weight=self.w_out.weight,
            out_proj_bias=self.w_out.bias,
            training=self.training,
            need_weights=True,
            attn_mask=forbidden,
            use_separate_proj_weight=True,
            q_proj_weight=self.w_query.weight,
            k_proj_weight=self.w_key.weight,
            v_proj_weight=self.w_value.weight,
            average_attn_weights=False,
        )
        return output.transpose(0, 1), weights
