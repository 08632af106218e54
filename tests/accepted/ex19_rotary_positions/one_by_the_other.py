"""One way to turn, and the other by reordering before and after it.

The contract: "To turn and then reorder is the same as to reorder and then turn."
"""

import torch


class OddWidthError(ValueError):
    pass


class TooFarError(ValueError):
    pass


def rotation_table(length, head_dim, base=10_000.0):
    if head_dim % 2:
        raise OddWidthError(head_dim)
    exponents = torch.linspace(0, 1, head_dim // 2 + 1, dtype=torch.float64)[:-1]
    angles = torch.arange(length).double()[:, None] / base**exponents
    both = torch.stack((angles.cos(), angles.sin())).float()
    return both[0], both[1]


def halves_to_pairs(x):
    return torch.stack(x.tensor_split(2, dim=-1), dim=-1).flatten(-2)


def rotate_pairs(x, cos, sin, offset=0):
    return halves_to_pairs(rotate_halves(pairs_to_halves(x), cos, sin, offset))


def rotate_halves(x, cos, sin, offset=0):
    T, length = x.shape[-2], cos.shape[0]
    if offset + T > length:
        raise TooFarError(length, offset + T)
    cos, sin = (each.narrow(0, offset, T).type_as(x) for each in (cos, sin))
    a, b = x.tensor_split(2, dim=-1)
    return torch.cat((torch.addcmul(a * cos, b, sin, value=-1), a.mul(sin).add(b.mul(cos))), -1)


def pairs_to_halves(x):
    features = torch.arange(x.shape[-1], device=x.device)
    return x.index_select(-1, torch.cat((features[::2], features[1::2])))
