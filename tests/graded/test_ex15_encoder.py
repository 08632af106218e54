"""What an encoder is: layers of exercise 14, each with its own weights, one after the other.

E = 18 features, H = 3 heads, hidden width F = 11, two layers or more. No claim trusts the weights
that an encoder starts with: each loads its own, scales and shifts of the norms included.
"""

import math
from functools import cache, partial

import numpy as np
import torch
from torch.nn import functional as F

from kata.judging.claims import (
    arguments_kept,
    backward,
    between,
    equal,
    equal_gradient,
    has_parameters,
    has_shape,
    is_module,
    raises,
)
from kata.judging.inputs import given, in_any_order, keep_mask, normal, nudged, numpy, one_of

PROJECTIONS = [f"attention.{name}" for name in ("w_query", "w_key", "w_value", "w_out")]
NORMS = ("norm1", "norm2")
RULER = np.eye(18)[1]  # what a token is in the claims about dropout
FED = np.repeat([0.0, 1.0, 1.0], 6)  # the features to which a layer adds something there
SIZE = 4  # of x and of what norms give: all of it varies so much that no eps matters


def shapes(layers=2, hidden=11, width=18):
    """Shape of each parameter but those of the norms, by name."""
    linears = dict.fromkeys(PROJECTIONS, (width, width))
    linears |= {"feed_forward.linear1": (hidden, width), "feed_forward.linear2": (width, hidden)}
    found = {}
    for place in range(layers):
        for name, shape in linears.items():
            found[f"layers.{place}.{name}.weight"] = shape
            found[f"layers.{place}.{name}.bias"] = shape[:1]
    return found


@cache
def plan(layers):
    """What all parameters need: name and shape of each, what to add to N(0, 1), how to scale it."""
    sizes = shapes(layers)
    sizes |= {f"{norm}.{each}": (18,) for norm in norms(layers) for each in ("scale", "shift")}
    lengths = [math.prod(shape) for shape in sizes.values()]
    scales = [scale_of(name, shape, layers) for name, shape in sizes.items()]
    adds = [2.0 * name.endswith(".scale") for name in sizes]
    each = (
        torch.tensor(every).repeat_interleave(torch.tensor(lengths)) for every in (adds, scales)
    )
    return sizes, lengths, *each


def scale_of(name, shape, layers):
    """How far from its mean the numbers of a parameter lie."""
    if ".norm" in name:
        last = name.startswith(f"layers.{layers - 1}.norm2")  # which no other norm follows
        return (1 if last else SIZE) / 2 if name.endswith(".scale") else 1 / SIZE if last else 1.0
    inward = ".w_query" in name or ".w_key" in name
    return shape[-1] ** -0.5 / (SIZE if inward else 1)  # scores do not grow with x, nor rounding


def random_weights(layers=2):
    """All parameters, all random; those of the norms are called scale and shift here."""
    sizes, lengths, adds, scales = plan(layers)
    drawn = normal(sum(lengths))
    drawn = ((drawn + adds.to(drawn.device)) * scales.to(drawn.device)).split(lengths)
    named = zip(sizes.items(), drawn, strict=True)
    return {name: each.view(shape) for (name, shape), each in named}


def quiet_weights(layers=2):
    """Layers that add zeros, norms that do not scale or shift: to be changed by a claim.

    In a graded run the last norm shifts, and `dropped` takes that away again.
    """
    weights = {name: torch.zeros(shape) for name, shape in shapes(layers).items()}
    ones, zeros = given(np.ones(18)), given(np.zeros(18))
    for norm in norms(layers):
        weights |= {f"{norm}.scale": ones, f"{norm}.shift": zeros}
    return weights | {last_shift(layers): given(nudged(np.zeros(18), 1))}


def last_shift(layers):
    """What the very last norm adds."""
    return f"layers.{layers - 1}.norm2.shift"


def norms(layers):
    """The names of all norms."""
    return [f"layers.{place}.{norm}" for place in range(layers) for norm in NORMS]


def silence(weights, linear):
    """The last Linear of a sub-layer at zero: whatever goes on inside, the sub-layer adds zeros."""
    for each in ("weight", "bias"):
        weights[f"{linear}.{each}"] = 0 * weights[f"{linear}.{each}"]


def depth(weights):
    """For how many layers these weights are."""
    return sum(name.endswith(".norm1.scale") for name in weights)


def by_own_name(encoder, weights):
    """The same weights, with the names that this encoder has for those of its norms.

    Exercise 12 calls them gamma and beta, nn.LayerNorm weight and bias, in whatever order; other
    names stand for a scale and then a shift. One that has two names is loaded under one of them.
    """
    inside = {norm: [] for norm in norms(depth(weights))}
    for name in encoder.held.shapes:
        inside.get(name.rpartition(".")[0], []).append(name)
    own = {}
    for norm, names in inside.items():
        names.sort(key=lambda name: name.endswith((".beta", ".bias")))
        own |= zip((f"{norm}.scale", f"{norm}.shift"), names[:1] + names[1:][-1:], strict=False)
    return {own.get(name, name): each for name, each in weights.items()}


def loaded(submission, weights, dropout=0.0, heads=3, device="cpu"):
    """An encoder with these weights, in evaluation mode."""
    told = {} if dropout is None else {"dropout": dropout}
    encoder = submission.Encoder(18, heads, 11, depth(weights), **told)
    is_module(encoder)
    if device != "cpu":
        encoder.to(device)
    return load(encoder, weights).eval()


def load(encoder, weights):
    """Put these weights into an encoder."""
    return encoder.load(by_own_name(encoder, weights))


def exact(value):
    """The same in float64 on the CPU, where the formulas are computed."""
    return value.cpu().double()


def formulas(weights, x, mask=None, heads=3):
    """The encoder from its formulas, with PyTorch's attention, in float64 on the CPU."""
    weights = {name: exact(each) for name, each in weights.items()}
    seen = None if mask is None else mask.cpu()
    seen = seen[:, None] if mask is not None and seen.dim() == 3 else seen
    x = exact(x)
    for place in range(depth(weights)):
        x = one_layer(weights, f"layers.{place}", x, seen, heads)
    return x


def one_layer(weights, layer, x, seen, heads):
    """One layer from its formulas."""

    def linear(name, x):
        return F.linear(x, weights[f"{layer}.{name}.weight"], weights[f"{layer}.{name}.bias"])

    def norm(name, x):
        scale, shift = weights[f"{layer}.{name}.scale"], weights[f"{layer}.{name}.shift"]
        return F.layer_norm(x, (18,), scale, shift)

    parts = (linear(name, x).unflatten(-1, (heads, -1)).transpose(1, 2) for name in PROJECTIONS[:3])
    mixed = F.scaled_dot_product_attention(*parts, attn_mask=seen).transpose(1, 2).flatten(2)
    x = norm("norm1", x + linear("attention.w_out", mixed))
    return norm(
        "norm2", x + linear("feed_forward.linear2", linear("feed_forward.linear1", x).relu())
    )


def batch():
    """The lengths of a batch of tokens."""
    return one_of(2, 3, 4, 6), one_of(5, 2, 3, 7, 8, 9), 18


def adding(*places):
    """Layers at these places add 1 to the features 6 to 17; no layer adds anything else."""
    weights = quiet_weights()
    for place in places:
        weights[f"layers.{place}.attention.w_out.bias"] = given(FED)
    return weights


def dropped(encoder, weights):
    """Where nothing was added to tokens whose feature 1 is 1: those features equal feature 0."""
    output = encoder.train()(given(np.tile(RULER, (50, 5, 1))))
    has_shape(output, (50, 5, 18))
    features = numpy(output) - numpy(weights[last_shift(depth(weights))])
    return np.abs(features[..., 6:] - features[..., :1]) < 1e-3


# The idea


def test_the_layers_are_those_of_exercise_14(submission):
    """A layer has the attention and the feed-forward network of there, by name and size."""
    for width, heads, hidden in ((18, 3, 11), (12, 2, 50)):
        has_parameters(submission.Encoder(width, heads, hidden, 1), shapes(1, hidden, width))


def test_there_are_as_many_layers_as_asked_for(submission):
    """One layer or four: `layers` holds as many, counted from 0."""
    for layers in (1, 4):
        encoder = submission.Encoder(18, 3, 11, layers)
        is_module(encoder)
        own = encoder.parameters(*(f"layers.{place}" for place in range(layers + 1)))
        names = [name.split(".") for name in own if name.startswith("layers.")]
        found = len({place for _, place, *_ in names})
        between(found, layers, layers, f"number of layers, where {layers} are asked for")
        has_parameters(encoder, shapes(layers))


def test_layers_share_nothing(submission):
    """Each layer learns weights of its own: none is another one's under a second name."""
    encoder = submission.Encoder(18, 3, 11, 3)
    has_parameters(encoder, shapes(3))
    scales = encoder.parameters(*norms(3))
    names = [name for name in scales if name.rpartition(".")[0] in norms(3)]
    between(len(names), 12, 12, "number of scales and shifts of the norms in three layers")
    has_parameters(encoder, shapes(3) | dict.fromkeys(names, (18,)))


def test_one_tensor_of_the_same_shape_comes_back(submission):
    """The output of the last layer comes alone, in the shape of x."""
    shape = batch()
    has_shape(submission.Encoder(18, 3, 11, 3)(normal(*shape)), shape)


def test_an_encoder_of_one_layer_is_that_layer(submission, device):
    """Nothing comes before the first layer, and nothing after the last."""
    weights, x = random_weights(1), normal(2, 5, 18, scale=SIZE)
    equal(loaded(submission, weights, device=device)(x), formulas(weights, x))


def test_each_layer_gets_what_the_one_before_gave(submission, device):
    """The first layer reads x, the second what the first gave, the third what the second gave."""
    weights, x = random_weights(3), normal(2, 5, 18, scale=SIZE)
    equal(loaded(submission, weights, device=device)(x), formulas(weights, x))


def test_every_layer_has_the_number_of_heads_asked_for(submission):
    """The number of heads holds for all layers: weights have the same shapes for every number."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    equal(loaded(submission, weights, heads=2)(x), formulas(weights, x, heads=2))


def test_the_mask_reaches_every_layer(submission, device):
    """Whichever layer has the only attention that adds anything, later tokens are hidden there."""
    x, mask = normal(2, 5, 18, scale=SIZE), given(np.tri(5, dtype=bool))
    weights = random_weights(3)
    encoder = loaded(submission, weights, device=device)
    for place in range(3):
        one = dict(weights)
        for other in {0, 1, 2} - {place}:
            silence(one, f"layers.{other}.attention.w_out")
        encoder.load({name: each for name, each in one.items() if ".w_out." in name})
        equal(encoder(x, mask), formulas(one, x, mask))


def test_a_padding_mask_hides_keys(submission, device):
    """A mask (B, 1, S) hides padded tokens as keys, for every query of their sample."""
    weights, x = random_weights(3), normal(2, 5, 18, scale=SIZE)
    mask = given([[[True] * 3 + [False] * 2], [[True] * 4 + [False]]])
    output = loaded(submission, weights, device=device)(x, mask=mask)
    equal(output, formulas(weights, x, mask))


def test_each_sample_has_its_own_mask(submission):
    """A mask (B, T, S) belongs to samples, not to heads or layers, also if there are as many."""
    weights, x, mask = random_weights(3), normal(3, 5, 18, scale=SIZE), keep_mask(3, 5, 5)
    equal(loaded(submission, weights)(x, mask), formulas(weights, x, mask))


def test_in_evaluation_nothing_is_dropped(submission):
    """Dropout is for training: the mode of the encoder reaches every layer, also after training."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    encoder = loaded(submission, weights, dropout=0.5)
    equal(encoder(x), formulas(weights, x))
    encoder.train()(x)
    equal(encoder.eval()(x), formulas(weights, x))


def test_a_dropout_of_zero_drops_nothing(submission):
    """With a dropout of 0, training does what evaluation does, with a mask and without."""
    weights, x, mask = random_weights(), normal(2, 5, 18, scale=SIZE), keep_mask(2, 5, 5)
    encoder = loaded(submission, weights, dropout=0.0).train()
    equal(encoder(x, mask), formulas(weights, x, mask))
    equal(encoder(x), formulas(weights, x))


def test_every_layer_drops_its_share(submission):
    """`dropout` is every layer's: of what any of them adds, a quarter is dropped."""
    weights = adding(0)
    encoder = loaded(submission, weights, dropout=0.25)
    for place in range(2):
        added = {
            f"layers.{each}.attention.w_out.bias": given(FED * (each == place)) for each in range(2)
        }
        share = dropped(encoder.load(added), weights).mean()
        between(share, 0.2, 0.3, f"share of what layer {place} adds that was dropped")


# The fine print


def test_arguments_can_be_given_by_position_or_by_name(submission):
    """The fifth argument of the constructor is `dropout`, and `forward` calls its first one x."""
    for encoder in (
        submission.Encoder(18, 3, 11, 2, 0.5),
        submission.Encoder(d_model=18, num_heads=3, d_hidden=11, num_layers=2, dropout=0.5),
    ):
        is_module(encoder)
        shape = batch()
        has_shape(encoder(x=normal(*shape)), shape)


def test_nothing_but_the_layers_learns(submission):
    """All that is learned is in the layers: no other parameter affects the output."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    encoder = loaded(submission, weights)
    known = by_own_name(encoder, weights)
    own = encoder.parameters(*known)
    others = {name: each for name, each in own.items() if name not in known}
    encoder.load({name: normal(*each.shape) for name, each in others.items()})
    equal(encoder(x), formulas(weights, x))


def test_x_and_mask_may_be_transposed_views(submission):
    """x and mask may have been transposed before: their numbers do not lie in a row then."""
    weights, x, mask = random_weights(2), normal(5, 2, 18, scale=SIZE), keep_mask(5, 2, 5)
    x, mask = x.transpose(0, 1), mask.transpose(0, 1)
    equal(loaded(submission, weights)(x, mask), formulas(weights, x, mask))


def test_each_head_has_its_own_mask(submission):
    """A mask (B, H, T, S) comes to every layer with all its four dimensions."""
    weights, x, mask = random_weights(1), normal(2, 5, 18, scale=SIZE), keep_mask(2, 3, 5, 5)
    equal(loaded(submission, weights)(x, mask), formulas(weights, x, mask))


def test_a_mask_with_sizes_of_one_broadcasts(submission):
    """Any size of a mask may be 1: it then serves all samples, heads or queries."""
    weights, x = random_weights(1), normal(2, 5, 18, scale=SIZE)
    encoder = loaded(submission, weights)
    for shape in ((1, 5), (1, 5, 5), (1, 3, 5, 5), (2, 1, 5, 5), (2, 1, 1, 5), (2, 3, 1, 5)):
        mask = keep_mask(*shape)
        equal(encoder(x, mask), formulas(weights, x, mask))


def test_masks_mean_the_same_where_all_sizes_are_equal(submission):
    """How many dimensions a mask has says what it means, also where B = H = N = S."""
    weights, x = random_weights(3), normal(3, 3, 18, scale=SIZE)
    encoder = loaded(submission, weights)
    for shape in ((3, 3), (3, 3, 3)):
        mask = keep_mask(*shape)
        equal(encoder(x, mask), formulas(weights, x, mask))


def test_one_sample_of_one_token_passes_every_layer(submission):
    """Dimensions of size 1 stay, and a lone token goes through every layer like all others."""
    weights = random_weights()
    encoder = loaded(submission, weights)
    for samples, tokens in ((1, 1), (2, 1), (1, 5)):
        x = normal(samples, tokens, 18, scale=SIZE)
        equal(encoder(x), formulas(weights, x))


def test_eleven_layers_run_in_their_order(submission):
    """Eleven layers are eleven steps, and layer 10 comes after layer 9, not after layer 1."""
    weights, x = random_weights(11), normal(1, 3, 18, scale=SIZE)
    equal(loaded(submission, weights)(x), formulas(weights, x))


def test_a_long_sequence_loses_no_token(submission):
    """The length has no limit: every token goes in and comes out, with a mask and without."""
    weights, x, mask = random_weights(1), normal(1, 130, 18, scale=SIZE), keep_mask(130, 130)
    encoder = loaded(submission, weights)
    equal(encoder(x), formulas(weights, x))
    equal(encoder(x, mask), formulas(weights, x, mask))


def test_a_dropout_of_one_leaves_the_residuals(submission):
    """What layers add is dropped, and x itself never: it still comes through all the norms."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    output = loaded(submission, weights, dropout=1.0).train()(x)
    for place in range(2):
        silence(weights, f"layers.{place}.attention.w_out")
        silence(weights, f"layers.{place}.feed_forward.linear2")
    equal(output, formulas(weights, x))


def test_a_tenth_is_dropped_by_default(submission):
    """An encoder that is told no dropout has one of 0.1 in its layers."""
    weights = adding(1)
    share = dropped(loaded(submission, weights, dropout=None), weights).mean()
    between(share, 0.07, 0.13, "share of what layer 1 adds that was dropped")


def test_layers_drop_independently(submission):
    """What one layer drops says nothing about the next: 1 of 16 features loses what both add."""
    weights = adding(0, 1)
    share = dropped(loaded(submission, weights, dropout=0.25), weights).mean()
    between(share, 0.03, 0.1, "share of features to which neither of two layers adds anything")


def test_arguments_stay_as_they_are(submission):
    """x and mask belong to the caller: no layer writes into them, nor changes their shape."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    encoder = loaded(submission, weights)
    for shape in ((5, 5), (2, 5, 5)):
        mask = keep_mask(*shape)
        with torch.no_grad():
            equal(encoder(x, mask), formulas(weights, x, mask))
    arguments_kept()


def test_a_call_remembers_nothing(submission):
    """Each call stands alone: mask, length and tokens of another one do not matter."""
    weights, x, longer = (
        random_weights(1),
        normal(2, 5, 18, scale=SIZE),
        normal(2, 7, 18, scale=SIZE),
    )
    encoder, mask, other = (
        loaded(submission, weights),
        keep_mask(5, 5),
        normal(2, 5, 18, scale=SIZE),
    )
    encoder(longer, given(np.tri(7, dtype=bool)))
    encoder(x, given(np.tri(5, dtype=bool)))
    equal(encoder(x, mask), formulas(weights, x, mask))
    with torch.no_grad():
        output = encoder(x)
        equal(encoder(other), formulas(weights, other))
    equal(output, formulas(weights, x))


def test_changed_weights_are_used(submission):
    """Weights change between calls, by training or loading; each call works with those of now."""
    before, after, x = random_weights(1), random_weights(1), normal(2, 5, 18, scale=SIZE)
    encoder = loaded(submission, before)
    equal(encoder(x), formulas(before, x))
    load(encoder, after)
    equal(encoder(x), formulas(after, x))


def test_two_encoders_share_nothing(submission):
    """Each encoder has layers of its own, also if all sizes are equal."""
    mine, others, x = random_weights(1), random_weights(1), normal(2, 5, 18, scale=SIZE)
    encoder, other = loaded(submission, mine), loaded(submission, others)
    equal(other(x), formulas(others, x))
    equal(encoder(x), formulas(mine, x))


def test_gradients_reach_x(submission):
    """In both modes x moves the output through every layer; its gradient comes back that way."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE, grad=True)
    encoder = loaded(submission, weights)
    backward(formulas(weights, x))
    right, x.grad = x.grad, None
    for switch in (encoder.eval, encoder.train):
        backward(switch()(x))
        found, x.grad = submission.see("the gradient of x", x.grad), None
        equal_gradient(found, right, "x")


def test_gradients_reach_every_layer(submission):
    """In training every layer learns, under a mask too: its parameters get their gradients."""
    weights, x, mask = random_weights(), normal(2, 5, 18, scale=SIZE), keep_mask(2, 5, 5)
    encoder = loaded(submission, weights).train()
    backward(encoder(x, mask))
    found = encoder.gradients()
    learned = {name: each.requires_grad_() for name, each in weights.items()}
    backward(formulas(learned, x, mask))
    for name, each in by_own_name(encoder, learned).items():
        if not name.endswith("w_key.bias"):  # zero in theory: it moves all scores of a row alike
            equal_gradient(found[name], each.grad, name)


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features make no 3 heads of equal size: the constructor says so, with both numbers."""
    for width in in_any_order([20, one_of(22, 14, 16, 25, 26, 28)]):
        call = partial(submission.Encoder, width, 3, 11, 2)
        raises("ValueError", call, mentions=[width, 3])
