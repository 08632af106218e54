"""A proof for exercise 26, from its contract alone."""

import torch

from exercises.ex26_sliding_window import WindowAttention, keep_last, window_mask


def by_hand(module, x, heads, window):
    """A softmax over the window of each token, cut out of the whole text."""
    q, k, v = (
        layer(x).unflatten(-1, (heads, -1)).transpose(1, 2)
        for layer in (module.w_query, module.w_key, module.w_value)
    )
    rows = []
    for t in range(x.shape[1]):
        near = slice(max(0, t - window + 1), t + 1)
        scores = q[:, :, t : t + 1] @ k[:, :, near].mT / q.shape[-1] ** 0.5
        rows.append(scores.softmax(-1) @ v[:, :, near])
    context = torch.cat(rows, dim=2).transpose(1, 2).flatten(2)
    return module.w_out(context), (k, v)


def test_the_mask_is_a_band():
    for size, window, past in ((4, 2, 0), (2, 3, 3), (1, 4, 6), (3, 9, 2), (3, 1, 1)):
        right = [[0 <= past + t - s < window for s in range(past + size)] for t in range(size)]
        assert window_mask(size, window, past).tolist() == right


def test_the_last_tokens_are_kept():
    keys, values = torch.randn(3, 5, 7, 6), torch.randn(3, 5, 7, 6)
    for window in (1, 2, 4, 7, 9):
        kept = keep_last((keys, values), window)
        assert torch.equal(kept[0], keys[:, :, max(0, 7 - window) :])
        assert torch.equal(kept[1], values[:, :, max(0, 7 - window) :])


def test_parts_of_a_text_give_what_one_call_gives():
    module, x = WindowAttention(6, 2, window=4), torch.randn(2, 16, 6)
    right, (keys, values) = by_hand(module, x, 2, 4)
    for sizes in ((16,), (3, 1, 6, 2, 4), [1] * 16):
        outputs, cache = [], None
        for part in x.split(list(sizes), dim=1):
            output, cache = module(part, cache)
            outputs.append(output)
        assert torch.allclose(torch.cat(outputs, dim=1), right, atol=1e-5)
        assert torch.allclose(cache[0], keys[:, :, -4:], atol=1e-5)
        assert torch.allclose(cache[1], values[:, :, -4:], atol=1e-5)
