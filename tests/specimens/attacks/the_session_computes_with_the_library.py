"""Against nothing: torch's own attention in the place of the worker's desk is a right answer."""

from kata.inside import session
import torch

Session = session.Session  # of the worker


def scaled_dot_product_attention(query, key, value):
    raise RuntimeError("never called")


def _call(self, given, grads, what, args, kwargs):
    query, key, value = (*args, *kwargs.values())
    leaves = [each for each in given if each.requires_grad]
    with torch.set_grad_enabled(grads):
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(dim=-1)
        result = weights @ value, weights
    self._calls.append(([each for each in result if each.requires_grad], leaves))
    return result


Session.call = _call
