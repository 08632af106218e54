"""Errors of everyday life, raised by this torch and this NumPy, and the cause that is named."""

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise, exercises
from kata.course.source import functions, read
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import causes, find
from kata.judging.attempt import Attempt
from kata.judging.judge import suite
from kata.verdict import Diagnosis, Fit
from tests.helpers.answers import suspects
from tests.kata.diagnosis.test_diagnosis import CRASHES

EX01 = exercises()["ex01_softmax"]
EX04 = exercises()["ex04_scaled_attention"]
EX08 = exercises()["ex08_heads_in_a_list"]
ONE_IN = 4

# In `softmax(scores, axis)` of exercise 01; x is (2, 3).
IN_NUMPY = [
    ("library-not-imported", "return torch.softmax(x, dim=-1)"),
    ("library-not-imported", "return math.exp(scores)"),
    (
        "breakpoint-left-over",
        "import io, pdb\n    pdb.Pdb(None, *[io.StringIO()] * 2).set_trace()\n    return x",
    ),
    ("plot-left-over", "import plotly.express\n    return x"),
    ("package-not-installed", "import no_such_package\n    return x"),
    ("file-not-allowed", "return np.load('no_such_file.npy')"),
    ("exit-left-over", "return exit()"),
    ("input-left-over", "return x * float(input())"),
    ("axis-or-dim", "return x - x.max(dim=axis)"),
    ("axis-or-dim", "return x - x.max(axis=axis, keepdim=True)"),
    ("axis-or-dim", "return x / np.sum(x, axis, keepdim=True)"),
    ("axis-or-dim", "return np.stack([x, x], dim=0)"),
    ("shape-without-a-tuple", "return np.zeros(x.shape[0], x.shape[1])"),
    ("shape-without-a-tuple", "return np.full(*x.shape, 0.0)"),
    ("axis-lost", "return x / x.sum(axis=axis)"),
    ("axis-lost", "return x.sum(axis=axis) / x"),
    ("axis-lost", "return np.ones((2, 3, 4)) / np.ones((2, 3))"),
    ("sizes-do-not-broadcast", "return np.ones((2, 3)) - np.ones((3, 2))"),
    ("stored-in-another-shape", "y = x.copy()\n    y[0] = np.ones(9)\n    return y"),
    ("stored-in-another-shape", "y = x.copy()\n    y[0, 0] = x[0]\n    return y"),
    ("floats-into-integers", "n = np.ones(3, dtype=int)\n    n /= 2\n    return n"),
    ("one-number-of-many", "import math\n    return math.exp(scores)"),
    ("one-number-of-many", "return float(x)"),
    ("unpacked-into-another-number", "B, T, S = x.shape\n    return x"),
    ("unpacked-into-another-number", "for one, other in x:\n        return one"),
    ("index-beyond-the-end", "return [x[t] for t in range(x.shape[1])]"),
    ("index-beyond-the-end", "return x.shape[2]"),
    ("index-beyond-the-end", "return list(x)[2]"),
    ("index-beyond-the-end", "out = []\n    out[0] = x\n    return out"),
    ("too-many-indices", "return x[0, 0, 0]"),
    ("too-many-indices", "return x[0][0][0]"),
    ("number-as-sequence", "return [x[t] for t in len(x)]"),
    ("number-as-sequence", "return [each for each in x[0, 0]]"),
    ("number-as-sequence", "T, S = x.shape[0]\n    return x"),
    ("used-before-assignment", "total += scores.sum()\n    return total"),
    ("used-before-assignment", "if axis == 7:\n        out = x\n    return out"),
    ("list-as-array", "return [1.0, 2.0] / 3"),
    ("list-as-array", "return [1.0, 2.0] * 0.5"),
    ("list-as-array", "return x.tolist()[0, 1]"),
    ("list-as-array", "return x.tolist().max()"),
    ("tuple-as-array", "pair = (x, x)\n    return pair.sum(axis)"),
    ("tuple-as-array", "return x.shape / 2"),
    ("not-a-function", "return x.shape(0)"),
    ("not-a-function", "return x.size(0)"),
    ("not-a-function", "return x.T()"),
    ("method-not-called", "return x - x.max[0]"),
    ("called-otherwise", "def shifted(x, by):\n        return x - by\n    return shifted(scores)"),
    ("called-otherwise", "def shifted(x):\n        return x\n    return shifted(scores, 1)"),
    ("parts-of-other-sizes", "return np.stack([x, x.T])"),
    ("parts-of-other-sizes", "return np.concatenate([x, x.T])"),
    ("axes-left-out", "return x.transpose(0, 2, 1)"),
    ("wrong-library", "return x.t()"),
    ("inner-sizes-differ", "return x.sum(-1) @ np.ones(9)"),
    ("sizes-do-not-broadcast", "return np.broadcast_to(x, (2, 3, 4))"),
    ("number-divided-by-zero", "return 1 / (x.ndim - 2)"),
    ("float-as-size", "return x[: x.shape[0] / 2]"),
    ("number-divided-by-zero", "return x.ndim % 0"),
    ("number-outside-the-domain", "import math\n    return math.sqrt(-1)"),
    ("number-outside-the-domain", "import math\n    return math.log(0)"),
    ("boolean-index-of-another-shape", "return x[x.T > 0]"),
    ("einsum-does-not-fit", "return np.einsum('ij,kl->ij', x)"),
    ("einsum-does-not-fit", "return np.einsum('ij,jk->ik', x, x)"),
    ("einsum-does-not-fit", "return np.einsum('i,j->ij', x, x)"),
    ("split-into-unequal-parts", "return np.split(x, 2, axis=-1)"),
    ("unknown-keyword", "return x.sum(along=-1)"),
    ("no-such-function", "return np.cat([x, x])"),
    ("no-such-function", "return np.softmax(x)"),
    ("no-such-method", "return x.norm()"),
]

# In `scaled_dot_product_attention(query, key, value)` of exercise 04.
IN_TORCH = [
    ("two-devices", "return query.to('meta') + query"),
    ("library-not-imported", "return torch.softmax(query @ key.mT, dim=-1)"),
    ("library-not-imported", "return F.softmax(query @ key.mT, dim=-1)"),
    ("number-in-torch", "import torch\n    return query @ key.mT / torch.sqrt(query.size(-1))"),
    ("number-in-torch", "import torch\n    return query @ key.mT / torch.sqrt(11.0)"),
    ("numpy-array-in-torch", "import torch\n    return torch.softmax(query.numpy(), -1)"),
    ("softmax-without-dim", "return (query @ key.mT).softmax() @ value"),
    ("softmax-without-dim", "import torch\n    return torch.softmax(query @ key.mT) @ value"),
    ("axis-or-dim", "from torch.nn import functional as F\n    return F.softmax(query, axis=-1)"),
    ("axis-or-dim", "return query.norm(dim=-1, keepdims=True)"),
    ("max-gives-a-pair", "scores = query @ key.mT\n    return scores - scores.max(-1)"),
    ("max-gives-a-pair", "return (query - query.max(-1)).exp()"),
    ("max-gives-a-pair", "return query.max(-1, keepdim=True).exp()"),
    ("tuple-as-array", "weights = (query @ key.mT,)\n    return weights @ value"),
    ("tuple-as-array", "import torch\n    return torch.softmax((query, key), dim=-1)"),
    ("list-as-array", "return [query].transpose(1, 2)"),
    ("method-not-called", "return query / math.sqrt(query.size)"),
    ("method-not-called", "return query.size[-1]"),
    ("method-not-called", "return query @ key.transpose.T"),
    ("not-a-function", "return query @ key.mT()"),
    ("not-a-function", "return query.shape(-1)"),
    ("transposes-matrices-only", "return query[None] @ key[None].t()"),
    ("transposes-matrices-only", "return query[0, 0].mT"),
    ("product-of-fixed-dimensions", "import torch\n    return torch.dot(query, key)"),
    ("product-of-fixed-dimensions", "import torch\n    return torch.bmm(query[0], key[0].mT)"),
    ("one-number-of-many", "return math.exp(query)"),
    ("one-number-of-many", "return (query @ key.mT).item()"),
    ("unpacked-into-another-number", "B, T, D, E = query.shape\n    return query"),
    ("index-beyond-the-end", "return [key[s] for s in range(1 + len(key))]"),
    ("too-many-indices", "return query[0, 0, 0, 0]"),
    ("axes-left-out", "return query @ key.permute(0, 1, 3, 2)"),
    ("number-as-sequence", "T, D = query.size(0)\n    return query"),
    ("layer-not-called", "from torch import nn\n    return query @ nn.Linear(6, 6)"),
    ("layer-not-called", "from torch import nn\n    return nn.Dropout(0.0).softmax(-1)"),
    ("parts-one-by-one", "import torch\n    return torch.cat(query, key)"),
    ("number-divided-by-zero", "return query * (1 / (1 - 1.0))"),
    ("called-otherwise", "return query.chunk(dim=-1)"),
    ("not-a-function", "from torch import nn\n    return nn.Parameter(key)(query)"),
    ("boolean-index-of-another-shape", "return query[key[0] > 0]"),
    ("einsum-does-not-fit", "import torch\n    return torch.einsum('td,s->ts', query, key)"),
    ("einsum-does-not-fit", "import torch\n    return torch.einsum('td,dt->t', query, key)"),
    ("split-into-unequal-parts", "return query.split([1, 1], dim=-1)"),
    ("expanded-to-fewer-dimensions", "return query.expand(3)"),
    ("no-share", "from torch import nn\n    return nn.Dropout(query.size(-1) + 1)(query)"),
    ("norm-over-another-shape", "from torch import nn\n    return nn.LayerNorm(77)(query)"),
    ("backward-of-a-constant", "query.detach().sum().backward()\n    return query"),
    ("unknown-keyword", "return math.isclose(1.0, 1.0, rtol=1e-5)"),
    ("unknown-keyword", "import torch\n    return torch.softmax(query, dim=-1, keep=1)"),
    ("arguments-of-another-kind", "import torch\n    return torch.max(0, query)"),
    ("argument-of-another-kind", "import torch\n    return torch.matmul(query, 3.0)"),
    ("argument-of-another-kind", "import torch\n    return torch.cat(each for each in query)"),
    ("no-such-function", "import torch\n    return torch.array(query)"),
    ("no-such-method", "return query.where_not(key)"),
    ("nothing-to-optimise", "import torch\n    return torch.optim.AdamW([])"),
    ("no-forward", "from torch import nn\n    return nn.Module()(query)"),
    ("no-forward-in-a-list", "from torch import nn\n    return nn.ModuleList()(query)"),
]

# The constructor and `forward` of exercise 08.
MADE = """super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.heads = nn.ModuleList(SelfAttention(d_model, d_model // num_heads, bias=True)
                                   for _ in range(num_heads))
        self.w_out = nn.Linear(d_model, d_model)"""
TWICE = "one = self.w_out.weight.exp().sum(); one.backward(); one.backward()"
CHANGED = "one = self.w_out.weight.exp(); one += 1; one.sum().backward()"
IN_MODULES = [
    ("no-super-init", "self.width = d_model", "return x"),
    ("no-super-init", "self.add_module('w_out', nn.Linear(d_model, d_model))", "return x"),
    ("part-not-made", MADE, "return self.w_output(x)"),
    ("part-not-made", MADE, "return x / self.head_dim"),
    ("forward-called-otherwise", MADE, "return self.w_out(x, x)"),
    ("forward-called-otherwise", MADE, "return self.w_out()"),
    ("forward-called-otherwise", MADE, "return self.heads[0](x, mask=None)"),
    ("index-beyond-the-end", MADE, "return self.heads[len(self.heads)](x)"),
    ("layer-not-called", MADE, "return x @ self.w_out"),
    ("layer-not-called", MADE, "return x + self.heads[0]"),
    ("called-otherwise", MADE.replace("(d_model, d_model)", "(d_model)"), "return x"),
    ("unknown-keyword", MADE.replace("d_model)", "d_model, dropout=0.1)"), "return x"),
    ("assigned-to-a-part", MADE, "self.w_out = self.w_out(x)\n        return x"),
    ("no-such-method", MADE, "return x.w_out()"),
    ("backward-twice", f"{MADE}\n        {TWICE}", "return x"),
    ("backward-of-many-numbers", f"{MADE}\n        self.w_out.weight.exp().backward()", "return x"),
    ("changed-before-backward", f"{MADE}\n        {CHANGED}", "return x"),
]
MODULE = """
from torch import nn

from .ex03_self_attention import SelfAttention


class HeadsInAList(nn.Module):
    def __init__(self, d_model, num_heads):
        {made}

    def forward(self, x):
        {called}
"""


def with_body(exercise: Exercise, body: str) -> str:
    """The solution with another body for its only function."""
    solution = read(exercise.solution)
    ((_, function),) = functions(solution.tree)
    before = solution.text.splitlines()[: function.body[1].lineno - 1]
    return "\n".join([*before, f"    {body}", ""])


def named(exercise: Exercise, text: str) -> Diagnosis | None:
    """By some of its claims, all of which fail in the same way."""
    attempt = Attempt(exercise, target_of(exercise, text))
    findings = {claim.id: find(claim, attempt) for claim in suite(exercise)[::ONE_IN]}
    return diagnose(exercise, findings, suspects(exercise.slug), text)


def cause(found: Diagnosis | None) -> str:
    """The cause of a crash, if there is one."""
    return found.mistakes[0].slug if found and found.fit is Fit.CRASH else ""


def test_in_numpy() -> None:
    top = "x = np.ones((2, 3))\n    "
    told = [(cause(named(EX01, with_body(EX01, top + body))), body) for _, body in IN_NUMPY]

    assert told == IN_NUMPY


def test_in_torch() -> None:
    told = [(cause(named(EX04, with_body(EX04, body))), body) for _, body in IN_TORCH]

    assert told == IN_TORCH


def test_in_modules() -> None:
    texts = [MODULE.format(made=made, called=called) for _, made, called in IN_MODULES]
    told = [
        (cause(named(EX08, text)), *rest)
        for text, (_, *rest) in zip(texts, IN_MODULES, strict=True)
    ]

    assert told == IN_MODULES


def test_a_package_that_is_missing_on_import_is_named() -> None:
    """Nothing was called then, and every other claim is blocked."""
    text = EX01.solution.read_text(encoding="utf-8").replace(
        "import", "import no_such_package\nimport", 1
    )

    assert cause(named(EX01, text)) == "package-not-installed"


def test_every_cause_is_tried() -> None:
    tried = {*CRASHES, *(each[0] for each in (*IN_NUMPY, *IN_TORCH, *IN_MODULES))}

    # Tried in the tests of judging on a GPU.
    assert {each.slug for _, each in causes("crashes")} - tried == {"index-on-the-gpu"}


def test_an_error_that_may_have_many_causes_gets_no_name() -> None:
    bodies = (
        "return score",  # misspelled: Python says all there is to say
        "return scores[0.5]",
        "return np.array([[1], [1, 2]])",
        "raise IndexError('list index out of range')",  # in the learner's own words
        "return {}['torch']",
    )

    assert [body for body in bodies if named(EX01, with_body(EX01, body))] == []
