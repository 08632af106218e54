"""Honest tests of a module, each with an idiom of its own."""

import copy
import io
import pickle

import torch
from torch import nn

from exercises.ex12_layer_norm import *


def test_parameters():
    norm = LayerNorm(4)
    assert {each.shape for each in norm.parameters()} == {(4,)}


def test_state():
    norm, other = LayerNorm(4), LayerNorm(4)
    with torch.no_grad():
        for each in norm.parameters():
            each.uniform_()
    other.load_state_dict(norm.state_dict())
    x = torch.randn(2, 4)
    assert torch.equal(norm(x.clone()), other(x.clone()))


def test_copied():
    norm = copy.deepcopy(LayerNorm(3))
    x = torch.randn(5, 3)
    assert torch.allclose(norm(x).mean(-1), torch.zeros(5), atol=1e-5)


def test_in_a_sequence():
    model = nn.Sequential(nn.Linear(3, 4), LayerNorm(4))
    assert torch.allclose(model(torch.randn(6, 3)).mean(-1), torch.zeros(6), atol=1e-2)


def test_trained():
    norm = LayerNorm(4)
    step = torch.optim.SGD(norm.parameters(), lr=0.1)
    x = torch.randn(8, 4)
    before = norm(x).pow(4).mean().item()
    for _ in range(3):
        step.zero_grad()
        norm(x).pow(4).mean().backward()
        step.step()
    assert norm(x).pow(4).mean().item() < before


def test_double():
    norm = LayerNorm(4).double()
    assert norm(torch.randn(2, 4, dtype=torch.float64)).dtype == torch.float64


def test_large_numbers():
    x = 1e4 + torch.randn(3, 64)
    assert torch.allclose(LayerNorm(64)(x).std(-1, correction=0), torch.ones(3), atol=1e-2)


def test_refused_saved():
    file = io.BytesIO()
    torch.save(LayerNorm(4), file)


def test_refused_pickled():
    assert pickle.dumps(LayerNorm(4))


def test_refused_hooks():
    seen = []
    norm = LayerNorm(4)
    norm.register_forward_hook(lambda *each: seen.append(1))
    norm(torch.randn(2, 4))
    assert seen
