"""One token at a time, mapped over tokens and samples; a weight through NumPy, a bias padded.

The contract: "Its parameters are trainable copies: what happens later to the three is nothing to
it, nor the other way round."
"""

from torch import nn, no_grad, tensor, vmap
from torch.nn import functional as F
import numpy as np


def _everywhere(token_reader, qkv):
    over_tokens = vmap(token_reader, out_dims=1)
    return vmap(over_tokens)(qkv)


def split_qkv_blocks(qkv, num_heads):
    def of_one(token):
        return tuple(third.reshape(num_heads, -1) for third in token.chunk(3))

    return _everywhere(of_one, qkv)


def split_qkv_per_head(qkv, num_heads):
    def of_one(token):
        return token.reshape(num_heads, -1).chunk(3, dim=-1)

    return _everywhere(of_one, qkv)


def fuse(w_query, w_key, w_value):
    e = w_query.out_features
    device = w_query.weight.device
    stacked = np.concatenate([w.weight.detach().cpu().numpy() for w in (w_query, w_key, w_value)])
    new = nn.Linear(w_query.in_features, 3 * e, bias=w_query.bias is not None).to(device)
    with no_grad():
        new.weight[:] = tensor(stacked, device=device)
        if w_query.bias is not None:
            new.bias.zero_()
            for i, w in enumerate((w_query, w_key, w_value)):
                new.bias += F.pad(w.bias, (i * e, (2 - i) * e))
    return new
