"""The code of docs/public_weights.md, run on random weights under the names of a public model."""

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from kata.course.curriculum import ROOT, SOLUTIONS
from tests.helpers import warm
from tests.helpers.later import functional, torch
from tests.helpers.learner_folder import PATIENCE

if TYPE_CHECKING:
    from torch import Tensor

TEXT = (ROOT / "docs" / "public_weights.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.+?)```", TEXT, re.DOTALL)[0]
E, H, D, F, V, T, LAYERS = 24, 3, 8, 20, 11, 9, 2
SHAPES = {**dict.fromkeys(("attention_norm", "ffn_norm"), (E,)),
          **dict.fromkeys(("attention.wq", "attention.wk", "attention.wv", "attention.wo"), (E, E)),
          **dict.fromkeys(("feed_forward.w1", "feed_forward.w3"), (F, E)),
          "feed_forward.w2": (E, F)}  # fmt: skip
SHOW = """
import sys
checkpoint, tokens = torch.load(sys.argv[1])
model = Stories(checkpoint).eval()
one, _ = model(tokens)
first, caches = model(tokens[:, :4])
rest, _ = model(tokens[:, 4:], caches)
torch.save((one.detach(), torch.cat((first, rest), dim=1).detach()), sys.argv[2])
print(len(model.write([1, 2, 3], steps=4)), len(model.write([1, 2, 3], steps=99)))
"""


def weights() -> "dict[str, Tensor]":
    """Those of a whole model, by their names for it."""
    torch.manual_seed(0)
    shapes = {"tok_embeddings": (V, E), "norm": (E,), "output": (V, E)}
    shapes |= {f"layers.{n}.{name}": SHAPES[name] for n in range(LAYERS) for name in SHAPES}
    return {f"{name}.weight": torch.randn(shape) / 2 for name, shape in shapes.items()}


def expected(given: "dict[str, Tensor]", tokens: "Tensor") -> "Tensor":
    """What the model gives, in float64, with pairs of features turned as complex numbers."""
    w = {name.removesuffix(".weight"): each.double() for name, each in given.items()}
    x = w["tok_embeddings"][tokens]
    for n in range(LAYERS):
        block = {name: w[f"layers.{n}.{name}"] for name in SHAPES}
        x = x + attended(normed(x, 1e-6) * block["attention_norm"], block)
        read = normed(x, 1e-6) * block["ffn_norm"]
        gate = functional.silu(read @ block["feed_forward.w1"].T)
        x = x + (gate * (read @ block["feed_forward.w3"].T)) @ block["feed_forward.w2"].T
    return normed(x, 1e-5) * w["norm"] @ w["output"].T


def normed(x: "Tensor", eps: float) -> "Tensor":
    return x / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt()


def attended(x: "Tensor", block: "dict[str, Tensor]") -> "Tensor":
    query, key, value = (
        (x @ block[f"attention.w{name}"].T).unflatten(-1, (H, D)).transpose(1, 2) for name in "qkv"
    )
    hidden = torch.ones(T, T).triu(1).bool()
    scores = turned(query) @ turned(key).mT / D**0.5
    mixed = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1) @ value
    return mixed.transpose(1, 2).flatten(2) @ block["attention.wo"].T


def turned(x: "Tensor") -> "Tensor":
    speeds = 10_000.0 ** (-torch.arange(0, D, 2).double() / D)
    angles = torch.arange(T)[:, None] * speeds
    pairs = torch.view_as_complex(x.unflatten(-1, (D // 2, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def test_the_weights_go_where_they_belong(tmp_path: Path) -> None:
    shutil.copytree(SOLUTIONS, tmp_path / "exercises")
    given, tokens = weights(), torch.randint(V, (2, T))
    sizes = {"n_heads": H, "n_layers": LAYERS, "max_seq_len": 16}
    named = {f"_orig_mod.{name}": each for name, each in given.items()}
    torch.save(({"model_args": sizes, "model": named}, tokens), tmp_path / "given")
    (tmp_path / "stories.py").write_text(CODE + SHOW, encoding="utf-8")

    done = warm.run(warm.Program("stories", ["given", "found"], tmp_path, {}), PATIENCE)

    assert (done.err, done.out) == ("", "7 16\n")
    one, parts = torch.load(tmp_path / "found")
    right = expected(given, tokens).float()
    torch.testing.assert_close(one, right, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(parts, one, atol=1e-4, rtol=1e-4)
