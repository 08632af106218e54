"""One text and one token at a time; a model's answers are looked up one by one.

The contract: "the sum of the losses of all targets that are not IGNORED, divided by how many these
are."
"""

import torch

IGNORED = -100


def shift(tokens, lengths):
    inputs, targets = [], []
    for text, length in zip(tokens.tolist(), lengths.tolist(), strict=True):
        inputs.append(text[:-1])
        targets.append(text[1:length] + [IGNORED] * (len(text) - max(length, 1)))
    like = {"dtype": tokens.dtype, "device": tokens.device}
    return torch.tensor(inputs, **like), torch.tensor(targets, **like)


def _loss(row, target):
    if target == IGNORED:
        return (row * 0).sum()
    above = row - row.detach().max()
    return above.exp().sum().log() - above[target]


def token_losses(logits, targets):
    rows = logits.reshape(-1, logits.size(-1))
    losses = [_loss(row, each) for row, each in zip(rows, targets.reshape(-1).tolist())]
    return torch.stack(losses).reshape(targets.shape)


def next_token_loss(logits, targets):
    total, count = logits.sum() * 0, 0
    for b in range(targets.size(0)):
        for t in range(targets.size(1)):
            if targets[b, t] != IGNORED:
                total = total + _loss(logits[b, t], int(targets[b, t]))
                count += 1
    return total / count if count else total
