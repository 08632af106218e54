"""Sums and counts of each text, added up before the one division.

The contract: "each token weighs the same, in whatever text."
"""

import torch


def shift(tokens, lengths):
    read, told = tokens[:, :-1], tokens[:, 1:]
    steps = torch.arange(told.shape[1], device=told.device).expand_as(told)
    ignored = (steps + 1).ge(lengths[:, None])
    return read, told * ~ignored + -100 * ignored.to(told.dtype)


def token_losses(logits, targets):
    normal = torch.distributions.Categorical(logits=logits, validate_args=False)
    losses = -normal.log_prob(targets.clamp(min=0))
    return losses.masked_fill(targets < 0, 0)


def next_token_loss(logits, targets):
    sums, counts = [], 0
    for one, asked in zip(logits, targets):
        sums.append(token_losses(one, asked).sum())
        counts += int((asked >= 0).sum())
    return torch.stack(sums).sum() / max(counts, 1)
