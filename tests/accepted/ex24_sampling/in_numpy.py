"""NumPy inside, tensors outside; the text is handed from step to step by recursion.

The contract: "The tokens divide the line from 0 to 1 among them, in their order: each has a part as
long as its probability."
"""

import numpy as np
import torch


def outside(values, like):
    return torch.from_numpy(np.asarray(values)).to(like.device)


def inside(values):
    return values.detach().cpu().numpy()


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def token_probabilities(logits, temperature=1.0):
    x = inside(logits)
    if temperature == 0:
        first = np.arange(x.shape[-1]) == x.argmax(-1)[..., None]
        return outside(first.astype(x.dtype), logits)
    return outside(softmax(x / x.dtype.type(temperature)), logits)


def keep_top_k(logits, k):
    x = inside(logits)
    limit = np.sort(x, axis=-1)[..., -min(k, x.shape[-1]), None]
    return outside(np.where(x >= limit, x, x.dtype.type(-np.inf)), logits)


def keep_top_p(logits, p):
    x = inside(logits)
    order = np.argsort(-x, axis=-1)
    sums = np.take_along_axis(softmax(x.astype(np.float64)), order, -1).cumsum(-1)
    count = (sums < p).sum(-1, keepdims=True) + 1 if p < 1 else x.shape[-1]
    kept = np.argsort(order, axis=-1) < count
    return outside(np.where(kept, x, x.dtype.type(-np.inf)), logits)


def pick(probabilities, draws):
    ends = inside(probabilities).cumsum(-1)
    past = ends / ends[..., -1:] > inside(draws)[..., None]
    return outside(past.argmax(-1), draws)


def generate(model, tokens, steps, context_length):
    if steps == 0:
        return tokens
    last = inside(model(tokens[:, -context_length:]))[:, -1]
    following = outside(last.argmax(-1)[:, None], tokens)
    return generate(model, torch.cat([tokens, following], 1), steps - 1, context_length)
