"""All leading dimensions flattened into one batch, then torch.baddbmm and torch.bmm.

The contract: "There may be any number of leading dimensions, none included; they are the same for
query, key and value."
"""

import torch


def causal_mask(size):
    grid_rows, grid_columns = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    return grid_columns <= grid_rows


def padding_mask(lengths, size):
    if not lengths.le(size).all():
        raise ValueError("length above size: %d > %d" % (lengths.max(), size))
    padded = torch.nn.utils.rnn.pad_sequence(
        [torch.ones(n) for n in lengths.tolist()] + [torch.ones(size)], batch_first=True
    )
    return padded[:-1].bool().unsqueeze(1).to(lengths.device)


def mask_scores(scores, mask):
    return torch.masked_fill(scores, torch.bitwise_not(mask), -torch.inf)


def mask_weights(weights, mask):
    hidden = mask.bitwise_not()
    logs = weights.log().masked_fill(hidden, -torch.inf)
    logs = logs.masked_fill(hidden.all(-1, keepdim=True), 0.0)  # any finite row will do
    return logs.softmax(-1).masked_fill(hidden, 0.0)


def masked_attention(query, key, value, mask=None):
    lead, (t, d), s = query.shape[:-2], query.shape[-2:], key.shape[-2]
    q, k, v = (each.reshape(-1, *each.shape[-2:]) for each in (query, key, value))
    scores = torch.baddbmm(q.new_zeros(1, t, s), q, k.transpose(1, 2), alpha=d**-0.5)
    if mask is None:
        weights = torch.softmax(scores, 2)
    else:
        hidden = mask.logical_not().expand(*lead, t, s).reshape(-1, t, s)
        weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(2)
        weights = weights.masked_fill(hidden, 0)
    output = torch.bmm(weights, v)
    return output.unflatten(0, lead) if lead else output[0], weights.reshape(*lead, t, s)
