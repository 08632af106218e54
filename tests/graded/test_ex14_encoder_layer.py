"""What an encoder layer is: attention, then a feed-forward network, each added to what it got.

After each sum a norm. E = 18 features, H = 3 heads of D = 6, hidden width F = 11. No claim trusts
the weights that a layer starts with: each loads its own, scales and shifts of the norms included.
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
FED = np.repeat([0.0, 1.0, 1.0], 6)  # the features to which a sub-layer adds something there
SIZE = 4  # of x: it varies so much that no eps matters, and so does what norm2 gets


def shapes(hidden=11, width=18):
    """Shape of each parameter of the two sub-layers, by name."""
    linears = dict.fromkeys(PROJECTIONS, (width, width))
    linears |= {"feed_forward.linear1": (hidden, width), "feed_forward.linear2": (width, hidden)}
    weights = {f"{name}.weight": shape for name, shape in linears.items()}
    return weights | {f"{name}.bias": shape[:1] for name, shape in linears.items()}


@cache
def plan():
    """What all parameters need: name and shape of each, how many numbers, how to scale them."""
    sizes = shapes() | {f"{norm}.{each}": (18,) for norm in NORMS for each in ("scale", "shift")}
    lengths = [math.prod(shape) for shape in sizes.values()]
    scales = torch.tensor([scale_of(name, shape) for name, shape in sizes.items()])
    return sizes, lengths, scales.repeat_interleave(torch.tensor(lengths))


def scale_of(name, shape):
    """How far from zero the numbers of a parameter lie."""
    if name.startswith("norm"):
        return 8.0 if name.startswith("norm1") else 1.0
    inward = name in {f"{each}.weight" for each in PROJECTIONS[:2]}
    return shape[-1] ** -0.5 / (SIZE if inward else 1)  # scores do not grow with x, nor rounding


def random_weights():
    """A layer's parameters, all random; those of the norms are called scale and shift here."""
    sizes, lengths, scales = plan()
    drawn = normal(sum(lengths))
    drawn = (drawn * scales.to(drawn.device)).split(lengths)
    named = zip(sizes.items(), drawn, strict=True)
    return {name: each.view(shape) for (name, shape), each in named}


def quiet_weights(hidden=11):
    """Sub-layers that add zeros, norms that do not scale or shift: to be changed by a claim.

    In a graded run the second norm shifts, and `rulers` takes that away again.
    """
    ones, zeros = given(np.ones(18)), given(np.zeros(18))
    weights = {name: torch.zeros(shape) for name, shape in shapes(hidden).items()}
    weights |= {"norm1.scale": ones, "norm1.shift": zeros}
    return weights | {"norm2.scale": ones, "norm2.shift": given(nudged(np.zeros(18), 1))}


def silence(weights, linear):
    """The last Linear of a sub-layer at zero: whatever goes on inside, the sub-layer adds zeros."""
    for each in ("weight", "bias"):
        weights[f"{linear}.{each}"] = 0 * weights[f"{linear}.{each}"]


def by_own_name(layer, weights):
    """The same weights, with the names that this layer has for those of its norms.

    Exercise 12 calls them gamma and beta, nn.LayerNorm weight and bias, in whatever order; other
    names stand for a scale and then a shift. One that has two names is loaded under one of them.
    """
    own = {}
    for norm in NORMS:
        names = [name for name in layer.held.shapes if name.startswith(f"{norm}.")]
        if not names:
            layer.part(norm).parameters()  # which tells a norm without them from no norm at all
        names.sort(key=lambda name: name.endswith((".beta", ".bias")))
        own |= zip((f"{norm}.scale", f"{norm}.shift"), names[:1] + names[1:][-1:], strict=False)
    return {own.get(name, name): each for name, each in weights.items()}


def loaded(submission, weights, dropout=0.0, heads=3, device="cpu"):
    """A layer with these weights, in evaluation mode."""
    hidden = len(weights["feed_forward.linear1.bias"])
    told = {} if dropout is None else {"dropout": dropout}
    layer = submission.EncoderLayer(d_model=18, num_heads=heads, d_hidden=hidden, **told)
    is_module(layer)
    if device != "cpu":
        layer.to(device)
    return layer.load(by_own_name(layer, weights)).eval()


def exact(value):
    """The same in float64 on the CPU, where the formulas are computed."""
    return value.cpu().double()


class Formulas:
    """The layer from its formulas, in float64 on the CPU."""

    def __init__(self, weights, heads=3):
        self.heads = heads
        self.weights = {name: exact(each) for name, each in weights.items()}

    def linear(self, name, x):
        """One Linear."""
        return F.linear(exact(x), self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def heads_of(self, name, x):
        """What one Linear makes of x, for each head: (B, H, T, D)."""
        return self.linear(name, x).unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def attend(self, x, mask=None):
        """Multi-head attention of x to itself."""
        query, key, value = (self.heads_of(name, x) for name in PROJECTIONS[:3])
        scores = query @ key.mT / (18 / self.heads) ** 0.5
        if mask is not None:
            seen = mask.cpu()
            seen = seen[:, None] if seen.dim() == 3 else seen
            scores = scores.masked_fill(~seen, -torch.inf)
        merged = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
        return self.linear("attention.w_out", merged)

    def feed(self, x):
        """The feed-forward network."""
        return self.linear("feed_forward.linear2", self.linear("feed_forward.linear1", x).relu())

    def norm1(self, x, added=0):
        """Add and normalise, after attention."""
        return self._norm("norm1", exact(x) + added)

    def norm2(self, x, added=0):
        """Add and normalise, after the feed-forward network."""
        return self._norm("norm2", exact(x) + added)

    def _norm(self, name, x):
        return F.layer_norm(x, (18,), self.weights[f"{name}.scale"], self.weights[f"{name}.shift"])

    def layer(self, x, mask=None):
        """All of it."""
        halfway = self.norm1(x, self.attend(x, mask))
        return self.norm2(halfway, self.feed(halfway))


def batch():
    """The numbers of samples and of tokens."""
    return one_of(2, 3, 4, 6), one_of(5, 2, 3, 7, 8, 9)


def in_training(submission, weights, samples=160, tokens=1, dropout=0.25, masks=()):
    """What a layer in training makes of tokens whose feature 1 is 1, and all others 0.

    The weights let a sub-layer add something to the features 6 to 17, and to no others.
    """
    return rulers(loaded(submission, weights, dropout).train(), weights, samples, tokens, *masks)


def rulers(layer, weights, samples, tokens, *masks):
    """What the layer makes of such tokens, without the shift of its last norm."""
    output = layer(given(np.tile(RULER, (samples, tokens, 1))), *masks)
    return unshifted(output, weights, (samples, tokens, 18))


def unshifted(output, weights, shape):
    """An output of this shape, without the shift of the last norm."""
    has_shape(output, shape)
    return numpy(output) - numpy(weights["norm2.shift"])


def dropped(output):
    """To which of the features 6 to 17 nothing was added: they are equal to feature 0."""
    return np.abs(output[..., 6:] - output[..., :1]) < 1e-3


def dropped_one_by_one(output):
    """A quarter of the features is dropped, each by a draw of its own."""
    features = dropped(output)
    between(features.mean(), 0.2, 0.3, "share of features that were dropped")
    drawn_one_by_one(features, "features", 0.05)


def drawn_one_by_one(gone, those, most):
    """Samples, tokens and features (or whatever the last axis has) do not share their draws."""
    for axis, what in enumerate(("samples", "tokens of a sample", f"{those} of a token")):
        share = gone.all(axis).mean()
        between(share, 0, most, f"share of draws that are the same for all {what}")


def silent(output):
    """Where nothing was added to any of the features 6 to 11, or 12 to 17."""
    return dropped(output).reshape(*output.shape[:2], 2, 6).all(-1)


def attention_adds_ones():
    """With one key the weight is 1, and each head adds its value, 1, to its own six features."""
    weights = quiet_weights()
    weights["attention.w_value.bias"] = given(np.ones(18))
    weights["attention.w_out.weight"] = given(np.diag(FED))
    return weights


def feed_forward_adds_ones():
    """Three hidden features, each of them 1, add themselves to six features each."""
    weights = quiet_weights(hidden=3)
    weights |= {"norm1.scale": given(np.zeros(18)), "norm1.shift": given(RULER)}
    weights["feed_forward.linear1.bias"] = given(np.ones(3))
    six_each = np.kron(np.eye(3), np.ones((6, 1)))
    weights["feed_forward.linear2.weight"] = given(six_each * FED[:, None])
    return weights


# The idea


def test_the_parts_are_those_of_earlier_exercises(submission):
    """Attention and feed-forward network are parts of the layer, made once, with known names."""
    for width, heads, hidden in ((18, 3, 11), (12, 2, 50)):
        has_parameters(submission.EncoderLayer(width, heads, hidden), shapes(hidden, width))


def test_each_norm_has_a_scale_and_a_shift_of_its_own(submission):
    """`norm1` and `norm2` see different sums, so each learns a scale and a shift of its own."""
    for width in (18, 12):
        layer = submission.EncoderLayer(width, 3, 11)
        is_module(layer)
        names = list(layer.parameters(*NORMS))
        inside = {norm: [name for name in names if name.startswith(f"{norm}.")] for norm in NORMS}
        for norm, found in inside.items():
            between(len(found), 2, 2, f"number of parameters in `{norm}` (a scale, a shift)")
        has_parameters(layer, dict.fromkeys(inside["norm1"] + inside["norm2"], (width,)))


def test_one_tensor_of_the_same_shape_comes_back(submission):
    """The output comes alone and in the shape of x, so that layers can stand on one another."""
    samples, tokens = batch()
    output = submission.EncoderLayer(18, 3, 11)(normal(samples, tokens, 18))
    has_shape(output, (samples, tokens, 18))


def test_with_silent_sub_layers_x_is_normalised_twice(submission, device):
    """If both sub-layers add zeros, the two residual connections still carry x through."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    silence(weights, "attention.w_out")
    silence(weights, "feed_forward.linear2")
    output, right = loaded(submission, weights, device=device)(x), Formulas(weights)
    equal(output, right.norm2(right.norm1(x)))


def test_attention_is_added_and_then_normalised(submission, device):
    """The first half is norm1 of x plus attention(x); here the second half adds zeros."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    silence(weights, "feed_forward.linear2")
    output, right = loaded(submission, weights, device=device)(x), Formulas(weights)
    equal(output, right.norm2(right.norm1(x, right.attend(x))))


def test_the_feed_forward_network_is_added_and_then_normalised(submission, device):
    """The second half is norm2 of y plus feed_forward(y), y being what the first half gave."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    silence(weights, "attention.w_out")
    output, right = loaded(submission, weights, device=device)(x), Formulas(weights)
    y = right.norm1(x)
    equal(output, right.norm2(y, right.feed(y)))


def test_the_second_half_reads_the_output_of_the_first(submission, device):
    """With everything at work, the feed-forward network reads what attention has written."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    output = loaded(submission, weights, heads=2, device=device)(x)
    equal(output, Formulas(weights, heads=2).layer(x))


def test_the_mask_reaches_the_attention(submission):
    """A mask makes a difference: the layer does not keep it, but hands it on to the attention."""
    samples, tokens = one_of(2, 3, 4, 6), one_of(5, 4, 6, 7, 8, 9)
    weights, x = random_weights(), normal(samples, tokens, 18, scale=SIZE)
    layer, mask = loaded(submission, weights), given(np.tri(tokens, dtype=bool))
    plain, masked = layer(x), layer(x, mask)
    for output in (plain, masked):
        has_shape(output, (samples, tokens, 18))
    difference = np.abs(numpy(masked) - numpy(plain)).max()
    between(difference, 0.01, np.inf, "largest change when later tokens are hidden")


def test_a_causal_mask_hides_later_tokens(submission, device):
    """Under a mask (T, S) each token attends where its row is True, in every sample."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    mask = given(np.tri(5, dtype=bool))
    output = loaded(submission, weights, device=device)(x, mask)
    equal(output, Formulas(weights).layer(x, mask))


def test_a_padding_mask_hides_keys(submission, device):
    """A mask (B, 1, S) hides padded tokens as keys, for every query of their sample."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    mask = given([[[True] * 3 + [False] * 2], [[True] * 4 + [False]]])
    output = loaded(submission, weights, device=device)(x, mask=mask)
    equal(output, Formulas(weights).layer(x, mask))


def test_each_sample_has_its_own_mask(submission):
    """A mask (B, T, S) belongs to samples, not to heads, also if there are as many of both."""
    weights, x, mask = random_weights(), normal(3, 5, 18, scale=SIZE), keep_mask(3, 5, 5)
    equal(loaded(submission, weights)(x, mask), Formulas(weights).layer(x, mask))


def test_with_as_many_samples_as_tokens_masks_mean_the_same(submission):
    """What a mask means is told by its dimensions: (T, S) is that too if B, T and S are equal."""
    weights, x = random_weights(), normal(5, 5, 18, scale=SIZE)
    layer, right = loaded(submission, weights), Formulas(weights)
    for shape in ((5, 5), (5, 5, 5)):
        mask = keep_mask(*shape)
        equal(layer(x, mask), right.layer(x, mask))


def test_in_evaluation_nothing_is_dropped(submission):
    """Dropout is for training: in evaluation mode the layer computes as if there were none."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    output = loaded(submission, weights, dropout=0.5)(x)
    equal(output, Formulas(weights).layer(x))


def test_a_dropout_of_zero_drops_nothing(submission):
    """`dropout` is the share for all four places: with 0, training does what evaluation does."""
    weights, x, mask = random_weights(), normal(2, 5, 18, scale=SIZE), keep_mask(2, 5, 5)
    output = loaded(submission, weights, dropout=0.0).train()(x, mask)
    equal(output, Formulas(weights).layer(x, mask))


def test_a_dropout_of_one_leaves_the_residuals(submission):
    """Where all that sub-layers add is dropped, x still comes through both norms."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    output = loaded(submission, weights, dropout=1.0).train()(x)
    right = Formulas(weights)
    equal(output, right.norm2(right.norm1(x)))


def test_the_output_of_attention_is_dropped(submission):
    """Each feature that attention adds to a token is dropped by a draw of its own, and once."""
    weights = quiet_weights() | {"attention.w_out.bias": given(FED)}
    dropped_one_by_one(in_training(submission, weights, samples=50, tokens=5))


def test_the_output_of_the_feed_forward_network_is_dropped(submission):
    """Each feature that the feed-forward network adds is dropped by a draw of its own, and once."""
    weights = quiet_weights() | {"feed_forward.linear2.bias": given(FED)}
    dropped_one_by_one(in_training(submission, weights, samples=50, tokens=5))


def test_attention_weights_are_dropped(submission):
    """Where a token sees itself alone, a dropped weight silences its head: a quarter of them."""
    itself = given(np.eye(5, dtype=bool))
    weights = attention_adds_ones()
    share = silent(in_training(submission, weights, samples=50, tokens=5, masks=[itself])).mean()
    between(share, 0.15, 0.35, "share of heads that add nothing")


def test_hidden_features_are_dropped(submission):
    """A hidden feature that is dropped adds nothing to those it feeds; each has its own draw."""
    gone = silent(in_training(submission, feed_forward_adds_ones(), samples=100, tokens=5))
    between(gone.mean(), 0.15, 0.35, "share of hidden features that add nothing")
    drawn_one_by_one(gone, "hidden features", 0.13)


# The fine print


def test_arguments_can_be_given_by_position_or_by_name(submission):
    """The fourth argument of the constructor is `dropout`, and `forward` calls its first one x."""
    for width in (18, 12):
        layer = submission.EncoderLayer(width, 3, 11, 0.5)
        is_module(layer)
        shape = (*batch(), width)
        has_shape(layer(x=normal(*shape)), shape)


def test_two_layers_share_nothing(submission):
    """Each layer of a stack has weights of its own, also if all have the same sizes."""
    mine, others, x = random_weights(), random_weights(), normal(2, 5, 18, scale=SIZE)
    layer, other = loaded(submission, mine), loaded(submission, others)
    equal(other(x), Formulas(others).layer(x))
    equal(layer(x), Formulas(mine).layer(x))


def test_nothing_but_the_parts_learns(submission):
    """All that is learned is in attention, network and norms: nothing else affects the output."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    layer = loaded(submission, weights)
    known = by_own_name(layer, weights)
    own = layer.parameters(*known)
    others = {name: each for name, each in own.items() if name not in known}
    layer.load({name: normal(*each.shape) for name, each in others.items()})
    equal(layer(x), Formulas(weights).layer(x))


def test_scores_far_from_zero_neither_overflow_nor_unmask_keys(submission):
    """Scores may all be -980 or all be 980: hidden keys stay hidden, and nothing overflows."""
    weights, x, mask = random_weights(), normal(2, 5, 18, scale=SIZE), keep_mask(2, 5, 5)
    for linear, feature, size in (("w_query", 0, 60), ("w_key", 1, 40)):
        silence(weights, f"attention.{linear}")
        weights[f"attention.{linear}.weight"][::6, feature] = size  # the first feature of each head
    x[..., :2] = given([[[1.0, -1.0]], [[1.0, 1.0]]])
    weights["attention.w_out.weight"] /= 20  # such scores are rounded by a ten-thousandth
    equal(loaded(submission, weights)(x, mask), Formulas(weights).layer(x, mask))


def test_large_values_are_added_unchanged(submission):
    """Whatever the sub-layers add is added as it is: the norms take care of its size."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    for linear in ("attention.w_out", "feed_forward.linear2"):
        weights[f"{linear}.weight"] = 1e5 * weights[f"{linear}.weight"]
    equal(loaded(submission, weights)(x), Formulas(weights).layer(x))


def test_a_token_of_zeros_gets_the_shift_of_the_norm(submission):
    """A token whose features are all equal has a deviation of 0; the norm gives its shift then."""
    weights, x = random_weights(), given(np.zeros((2, 5, 18)))
    silence(weights, "attention.w_out")
    silence(weights, "feed_forward.linear2")
    equal(loaded(submission, weights)(x), Formulas(weights).layer(x))


def test_x_and_mask_may_be_transposed_views(submission):
    """x and mask may have been transposed before: their numbers do not lie in a row then."""
    weights, x, mask = random_weights(), normal(5, 2, 18, scale=SIZE), keep_mask(5, 2, 5)
    x, mask = x.transpose(0, 1), mask.transpose(0, 1)
    equal(loaded(submission, weights)(x, mask), Formulas(weights).layer(x, mask))


def test_one_sample_of_one_token_passes_both_halves(submission):
    """Dimensions of size 1 stay, and a lone token goes through both halves like every other."""
    weights, x = random_weights(), normal(1, 1, 18, scale=SIZE)
    equal(loaded(submission, weights)(x), Formulas(weights).layer(x))


def test_there_may_be_one_head_or_as_many_as_features(submission):
    """A lone head has an output projection, too, and heads may be one feature wide."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    for heads in (1, 18):
        equal(loaded(submission, weights, heads=heads)(x), Formulas(weights, heads).layer(x))


def test_each_head_has_its_own_mask(submission):
    """A mask (B, H, T, S) comes to the attention with all its four dimensions."""
    weights, x, mask = random_weights(), normal(2, 5, 18, scale=SIZE), keep_mask(2, 3, 5, 5)
    equal(loaded(submission, weights)(x, mask), Formulas(weights).layer(x, mask))


def test_a_mask_with_sizes_of_one_broadcasts(submission):
    """Any size of a mask may be 1: it then serves all samples, heads or queries."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    layer, right = loaded(submission, weights), Formulas(weights)
    small = [(1, 5), (1, 5, 5), (1, 3, 5, 5), (2, 1, 5, 5), (2, 1, 1, 5), (2, 3, 1, 5)]
    for shape in small:
        mask = keep_mask(*shape)
        equal(layer(x, mask), right.layer(x, mask))


def test_a_token_can_attend_to_one_far_away(submission):
    """Every token may look at every other one, however far away it is."""
    weights, x, mask = random_weights(), normal(1, 130, 18, scale=SIZE), keep_mask(130, 130)
    layer, right = loaded(submission, weights), Formulas(weights)
    equal(layer(x), right.layer(x))
    equal(layer(x, mask), right.layer(x, mask))


def test_a_tenth_is_dropped_by_default(submission):
    """A layer that is told no dropout has one of 0.1."""
    weights = quiet_weights() | {"attention.w_out.bias": given(FED)}
    share = dropped(in_training(submission, weights, dropout=None)).mean()
    between(share, 0.07, 0.13, "share of features that were dropped")


def test_each_attention_weight_is_dropped_independently(submission):
    """With two keys both weights of a query are dropped in one of 16 cases; no draw is shared."""
    gone = silent(in_training(submission, attention_adds_ones(), samples=500, tokens=2))
    between(gone.mean(), 0.03, 0.12, "share of heads that have lost both keys of a token")
    drawn_one_by_one(gone, "heads", 0.03)


def test_what_is_kept_makes_up_for_what_is_dropped(submission):
    """What is kept is divided by the share that is kept: the average stays what it is without."""
    for half in (attention_adds_ones(), feed_forward_adds_ones()):
        output = in_training(submission, half)
        zero, one = output[..., :1], output[..., 1:2]  # features 0 and 1 were that before the norm
        with np.errstate(all="ignore"):  # if feature 1 itself was dropped
            average = np.mean((output[..., 6:] - zero) / (one - zero))
        between(average, 0.85, 1.15, "average of what is added, 1 without dropout")


def test_what_a_sub_layer_adds_passes_dropout_exactly_twice(submission):
    """What a sub-layer adds passes two draws: it is 0, or divided by the share kept, twice.

    The first of three tokens is looked at by all, and the last one hidden.
    """
    peaked = attention_adds_ones()
    for linear, feature in (("w_query", 1), ("w_key", 2)):
        peaked[f"attention.{linear}.weight"][::6, feature] = 30
    peaked["attention.w_value.bias"] = given(np.zeros(18))
    peaked["attention.w_value.weight"][:, 3] = 1
    fed = feed_forward_adds_ones()
    fed["feed_forward.linear1.bias"] = given(np.zeros(3))
    fed["feed_forward.linear1.weight"][:, 1] = 1
    looked_at, value = np.eye(18)[2:4]
    tokens = [RULER + looked_at + value, RULER + 3 * value, RULER + 5 * value]  # all find a 1
    x, mask = given(np.tile(tokens, (100, 1, 1))), given([[True, True, False]])
    for half in (peaked, fed):
        output = loaded(submission, half, dropout=0.25).train()(x, mask)
        output = unshifted(output, half, (100, 3, 18))
        with np.errstate(all="ignore"):
            added = (output[..., 6:] - output[..., :1]) / (output[..., 1:2] - output[..., :1])
        known = np.isclose(added, 0, atol=1e-3) | np.isclose(added, 0.75**-2, atol=1e-3)
        between((~known).mean(), 0, 0, "share of features to which something else was added")


def test_the_two_halves_drop_independently(submission):
    """What is dropped of attention says nothing about the network: 1 of 16 features loses both."""
    weights = quiet_weights()
    weights |= {f"{last}.bias": given(FED) for last in ("attention.w_out", "feed_forward.linear2")}
    share = dropped(in_training(submission, weights)).mean()
    between(share, 0.03, 0.1, "share of features to which neither half adds anything")


def test_each_call_drops_other_features(submission):
    """What was dropped in one call says nothing about the next: 1 of 16 features loses both."""
    weights = quiet_weights() | {"attention.w_out.bias": given(FED)}
    layer = loaded(submission, weights, dropout=0.25).train()
    first, second = (dropped(rulers(layer, weights, samples=50, tokens=5)) for _ in range(2))
    between((first & second).mean(), 0.03, 0.1, "share of features that both calls have dropped")


def test_gradients_reach_x(submission):
    """x moves the output through both sub-layers and past them; its gradient sums these ways."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE, grad=True)
    backward(loaded(submission, weights)(x))
    found, x.grad = submission.see("the gradient of x", x.grad), None
    backward(Formulas(weights).layer(x))
    equal_gradient(found, x.grad, "x")


def test_a_token_of_zeros_has_a_finite_gradient(submission):
    """Where all features of a token are equal, its gradient is large, and finite."""
    weights, x = random_weights(), given(np.zeros((2, 5, 18)), grad=True)
    silence(weights, "attention.w_out")
    output = loaded(submission, weights)(x)
    equal(output, Formulas(weights).layer(x))
    backward(output)
    infinite = ~np.isfinite(numpy(submission.see("the gradient of x", x.grad)))
    between(infinite.mean(), 0, 0, "share of the gradient of x that is not finite")


def test_gradients_reach_every_parameter(submission):
    """Every part learns, under a mask too: its parameters get the gradient of the formulas."""
    weights, x, mask = random_weights(), normal(2, 5, 18, scale=SIZE), keep_mask(2, 5, 5)
    layer = loaded(submission, weights)
    backward(layer(x, mask))
    found = layer.gradients()
    learned = {name: each.requires_grad_() for name, each in weights.items()}
    backward(Formulas(learned).layer(x, mask))
    del weights["attention.w_key.bias"]  # zero in theory: it moves all scores of a row alike
    for name, each in by_own_name(layer, weights).items():
        equal_gradient(found[name], each.grad, name)


def test_gradients_follow_what_dropout_has_kept(submission):
    """What a call has dropped gets no gradient from it, and all that it has kept gets one."""
    fed = quiet_weights(hidden=12) | {"feed_forward.linear1.bias": given(np.ones(12))}
    fed["feed_forward.linear2.weight"] = given(np.eye(18)[:, 6:])
    halves = (("attention.w_value", attention_adds_ones()), ("feed_forward.linear1", fed))
    for linear, weights in halves:
        layer, name = loaded(submission, weights, dropout=0.25).train(), f"{linear}.bias"
        output = layer(given([[RULER]]))
        gone = dropped(unshifted(output, weights, (1, 1, 18))).ravel()
        backward(output)
        found = layer.gradients()[name]
        found = None if found is None else found[-12:]
        equal_gradient(found, np.zeros(12), f"what was dropped behind {linear}", where=gone)
        lost = (numpy(found) == 0) & ~gone
        between(lost.mean(), 0, 0, f"share of features kept behind {linear} without a gradient")


def test_x_stays_as_it_is(submission):
    """x belongs to the caller, who may need it again: the sums are new tensors."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    layer, right = loaded(submission, weights), Formulas(weights).layer(x)
    equal(layer(x), right)
    with torch.no_grad():
        equal(layer(x), right)
    arguments_kept()


def test_the_mask_stays_as_it_is(submission):
    """One mask serves every layer of a stack: no layer changes its values or its shape."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    layer, right = loaded(submission, weights), Formulas(weights)
    for shape in ((2, 5, 5), (5, 5), (2, 3, 5, 5)):
        mask = keep_mask(*shape)
        with torch.no_grad():
            equal(layer(x, mask), right.layer(x, mask))
    arguments_kept()


def test_evaluation_after_training_drops_nothing_either(submission):
    """The mode counts at each call, and nothing that training has drawn matters later."""
    weights, x = random_weights(), normal(2, 5, 18, scale=SIZE)
    layer = loaded(submission, weights, dropout=0.5).train()
    layer(x)
    equal(layer.eval()(x), Formulas(weights).layer(x))


def test_a_call_remembers_nothing(submission):
    """Each call stands alone: mask, length and tokens of another one do not matter."""
    weights, x, longer = random_weights(), normal(2, 5, 18, scale=SIZE), normal(2, 7, 18)
    layer, right, mask = loaded(submission, weights), Formulas(weights), keep_mask(5, 5)
    layer(longer, given(np.tri(7, dtype=bool)))
    layer(x, given(np.tri(5, dtype=bool)))
    equal(layer(x, mask), right.layer(x, mask))
    other = normal(2, 5, 18, scale=SIZE)
    with torch.no_grad():
        output = layer(x)
        equal(layer(other), right.layer(other))
    equal(output, right.layer(x))


def test_changed_weights_are_used(submission):
    """Weights change between calls, by training or loading; each call works with those of now."""
    before, after, x = random_weights(), random_weights(), normal(2, 5, 18, scale=SIZE)
    layer = loaded(submission, before)
    equal(layer(x), Formulas(before).layer(x))
    layer.load(by_own_name(layer, after))
    equal(layer(x), Formulas(after).layer(x))


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features make no 3 heads of equal size: the constructor says so, with both numbers."""
    for width in in_any_order([20, one_of(22, 14, 16, 25, 26, 28)]):
        call = partial(submission.EncoderLayer, width, 3, 11)
        raises("ValueError", call, mentions=[width, 3])
