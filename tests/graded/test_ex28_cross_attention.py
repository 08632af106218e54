"""What a decoder layer is: causal self-attention, attention to a memory, feed-forward network.

What each gives is added to what it got, and the sum is normalised. E = 18 features, H = 3 heads of
D = 6, hidden width F = 11; T = 5 tokens and S = 7 places of the memory, unless a claim says
otherwise. Claims load weights of their own, scales and shifts of the norms included.
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
    moves_along,
    raises,
)
from kata.judging.inputs import given, in_any_order, keep_mask, normal, nudged, numpy, one_of

ATTENTIONS = ("self_attention", "cross_attention")
NORMS = ("norm1", "norm2", "norm3")
LAST = ("self_attention.w_out", "cross_attention.w_out", "feed_forward.linear2")
RULER = np.eye(18)[1]  # what a token is in the claims about dropout
FED = np.repeat([0.0, 1.0, 1.0], 6)  # the features to which a step adds something there
SIZE = 4  # of x and memory: they vary so much that no eps matters, and so does what norms get


def projections(name):
    """The four Linears of an attention."""
    return [f"{name}.{each}" for each in ("w_query", "w_key", "w_value", "w_out")]


def shapes(hidden=11, width=18):
    """Shape of each parameter of the two attentions and the network, by name."""
    linears = {each: (width, width) for name in ATTENTIONS for each in projections(name)}
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
        return 1.0 if name.startswith("norm3") else 8.0
    inward = name.endswith(("w_query.weight", "w_key.weight"))
    return shape[-1] ** -0.5 / (SIZE if inward else 1)  # scores do not grow with x, nor rounding


def random_weights():
    """A layer's parameters, all random; those of the norms are called scale and shift here."""
    sizes, lengths, scales = plan()
    drawn = normal(sum(lengths))
    drawn = (drawn * scales.to(drawn.device)).split(lengths)
    named = zip(sizes.items(), drawn, strict=True)
    return {name: each.view(shape) for (name, shape), each in named}


def quiet_weights(hidden=11):
    """Steps that add zeros, norms that do not scale; the last shifts in a graded run."""
    weights = {name: torch.zeros(shape) for name, shape in shapes(hidden).items()}
    for norm in NORMS:
        weights |= {f"{norm}.scale": given(np.ones(18)), f"{norm}.shift": given(np.zeros(18))}
    return weights | {"norm3.shift": given(nudged(np.zeros(18), 1))}


def silence(weights, *linears):
    """The last Linear of a step at zero: whatever goes on inside, the step adds zeros."""
    for linear in linears:
        for each in ("weight", "bias"):
            weights[f"{linear}.{each}"] = 0 * weights[f"{linear}.{each}"]


def by_own_name(layer, weights):
    """The same weights, with the names that this layer has for those of its norms.

    They are gamma and beta, or weight and bias, in whatever order; other names stand for a scale
    and then a shift. One that has two names is loaded under one of them.
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
    layer = submission.DecoderLayer(d_model=18, num_heads=heads, d_hidden=hidden, **told)
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

    def attend(self, name, x, source, mask):
        """Multi-head attention of x to a source."""
        query, key, value, out = projections(name)
        q, k, v = self.heads_of(query, x), self.heads_of(key, source), self.heads_of(value, source)
        scores = q @ k.mT / (18 / self.heads) ** 0.5
        if mask is not None:
            seen = mask.cpu()
            scores = scores.masked_fill(~(seen[:, None] if seen.dim() == 3 else seen), -torch.inf)
        return self.linear(out, (scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def look(self, x):
        """The first step, without sum and norm: each token and those before it."""
        earlier = torch.from_numpy(np.tri(x.shape[1], dtype=bool))
        return self.attend("self_attention", x, x, earlier)

    def read(self, x, memory, mask=None):
        """The second step, without sum and norm: queries of x, keys and values of the memory."""
        return self.attend("cross_attention", x, memory, mask)

    def feed(self, x):
        """The third step, without sum and norm."""
        return self.linear("feed_forward.linear2", self.linear("feed_forward.linear1", x).relu())

    def norm(self, number, x, added=0):
        """Add and normalise."""
        name = f"norm{number}"
        scale, shift = self.weights[f"{name}.scale"], self.weights[f"{name}.shift"]
        return F.layer_norm(exact(x) + added, (18,), scale, shift)

    def layer(self, x, memory, mask=None):
        """All of it."""
        own = self.norm(1, x, self.look(x))
        both = self.norm(2, own, self.read(own, memory, mask))
        return self.norm(3, both, self.feed(both))


def texts(samples=2, tokens=5, places=7, **more):
    """The own text and the memory."""
    x = normal(samples, tokens, 18, scale=SIZE, **more)
    return x, normal(samples, places, 18, scale=SIZE, **more)


def check(layer, right, x, memory, *mask):
    """What the layer gives is what the formulas give."""
    equal(layer(x, memory, *mask), right.layer(x, memory, *mask))


def agree(submission, weights, *inputs, **more):
    """So does a layer with these weights."""
    check(loaded(submission, weights, **more), Formulas(weights), *inputs)


def apart(first, second, tokens=5):
    """How far two outputs differ at each place."""
    for output in (first, second):
        has_shape(output, (2, tokens, 18))
    return np.abs(numpy(first) - numpy(second))


def any_layer(submission, **more):
    """A layer with random weights, and the formulas with the same ones."""
    weights = random_weights()
    return loaded(submission, weights, **more), Formulas(weights, more.get("heads", 3))


def in_training(submission, weights, samples=160, tokens=1, places=1, dropout=0.25):
    """What a layer in training makes of rulers; its steps add to features 6 to 17 alone."""
    layer = loaded(submission, weights, dropout).train()
    return rulers(layer, weights, samples, tokens, places)


def rulers(layer, weights, samples, tokens, places=1):
    """What the layer makes of such tokens, without the shift of its last norm."""
    x, memory = (given(np.tile(RULER, (samples, count, 1))) for count in (tokens, places))
    return unshifted(layer(x, memory), weights, (samples, tokens, 18))


def unshifted(output, weights, shape):
    """An output of this shape, without the shift of the last norm."""
    has_shape(output, shape)
    return numpy(output) - numpy(weights["norm3.shift"])


def dropped(output):
    """Which of the features 6 to 17 are equal to feature 0: nothing was added to them."""
    return np.abs(output[..., 6:] - output[..., :1]) < 1e-3


def drawn_one_by_one(gone, those, most):
    """Samples, tokens and what the last axis has do not share their draws."""
    for axis, what in enumerate(("samples", "tokens of a sample", f"{those} of a token")):
        share = gone.all(axis).mean()
        between(share, 0, most, f"share of draws that are the same for all {what}")


def dropped_one_by_one(submission, last):
    """A quarter of the features that one step adds is dropped, each by a draw of its own."""
    weights = quiet_weights() | {f"{last}.bias": given(FED)}
    features = dropped(in_training(submission, weights, samples=50, tokens=5, places=7))
    between(features.mean(), 0.2, 0.3, "share of features that were dropped")
    drawn_one_by_one(features, "features", 0.05)


def silent(output):
    """Where nothing was added to any of the features 6 to 11, or 12 to 17."""
    return dropped(output).reshape(*output.shape[:2], 2, 6).all(-1)


def attention_adds_ones(name):
    """Values are 1: a head of one key adds its weight to its own six features."""
    weights = quiet_weights()
    weights[f"{name}.w_value.bias"] = given(np.ones(18))
    weights[f"{name}.w_out.weight"] = given(np.diag(FED))
    return weights | (after("norm1") if name == "cross_attention" else {})


def feed_forward_adds_ones():
    """Three hidden features, each of them 1, add themselves to six features each."""
    weights = quiet_weights(hidden=3) | after("norm2")
    weights["feed_forward.linear1.bias"] = given(np.ones(3))
    six_each = np.kron(np.eye(3), np.ones((6, 1)))
    weights["feed_forward.linear2.weight"] = given(six_each * FED[:, None])
    return weights


def after(norm):
    """Every token is a ruler again behind this norm, whatever it was before."""
    return {f"{norm}.scale": given(np.zeros(18)), f"{norm}.shift": given(RULER)}


def steps():
    """Weights with which one of the three steps adds ones, and the others zeros."""
    return (*map(attention_adds_ones, ATTENTIONS), feed_forward_adds_ones())


def added(output):
    """What was added to features 6 to 17; 0 and 1 were that before the norm."""
    zero, one = output[..., :1], output[..., 1:2]
    with np.errstate(all="ignore"):  # if feature 1 itself was dropped
        return (output[..., 6:] - zero) / (one - zero)


def peaked(name):
    """Attention that looks at the key with a 1 in feature 2, and reads feature 3 there."""
    weights = attention_adds_ones(name)
    for linear, feature in (("w_query", 1), ("w_key", 2)):
        weights[f"{name}.{linear}.weight"][::6, feature] = 30
    weights[f"{name}.w_value.bias"] = given(np.zeros(18))
    weights[f"{name}.w_value.weight"][:, 3] = 1
    return weights


# The idea


def test_the_parts_are_those_of_earlier_exercises(submission):
    """Two attentions and a network are parts of the layer, with known names; none of their
    parameters is shared."""
    for width, heads, hidden in ((18, 3, 11), (12, 2, 50)):
        has_parameters(submission.DecoderLayer(width, heads, hidden), shapes(hidden, width))


def test_each_norm_has_a_scale_and_a_shift_of_its_own(submission):
    """Three sums are normalised, and they differ: each norm learns a scale and a shift."""
    for width in (18, 12):
        layer = submission.DecoderLayer(width, 3, 11)
        is_module(layer)
        names = list(layer.parameters(*NORMS))
        inside = {norm: [name for name in names if name.startswith(f"{norm}.")] for norm in NORMS}
        for norm, found in inside.items():
            between(len(found), 2, 2, f"number of parameters in `{norm}` (a scale, a shift)")
        has_parameters(
            layer, dict.fromkeys((each for found in inside.values() for each in found), (width,))
        )


def test_one_tensor_of_the_shape_of_x_comes_back(submission):
    """The output comes alone, and with as many tokens as x has, however long the memory is."""
    for tokens, places in ((5, one_of(7, 8, 9)), (6, one_of(3, 2, 4))):
        samples = one_of(2, 3)
        x, memory = texts(samples, tokens, places)
        output = submission.DecoderLayer(18, 3, 11)(x, memory)
        has_shape(output, (samples, tokens, 18))


def test_no_token_hears_of_a_later_one(submission):
    """Whoever writes a text does not know its end: another last token changes its own output
    alone, with a mask for the memory and without one."""
    tokens = one_of(5, 4, 6)
    weights, (x, memory), mask = random_weights(), texts(2, tokens, 7), keep_mask(2, 1, 7)
    other, layer = x.clone(), loaded(submission, weights)
    other[:, -1] = normal(2, 18, scale=SIZE)
    for masks in ((), (mask,)):
        moved = apart(layer(x, memory, *masks), layer(other, memory, *masks), tokens)
        between(moved[:, :-1].max(), 0, 1e-3, "largest change before the last token")
        between(moved[:, -1].max(), 0.01, np.inf, "largest change of the last token")


def test_every_token_reads_all_of_the_memory(submission):
    """The memory is there from the beginning: its last place can move the first output."""
    layer = any_layer(submission)[0]
    for tokens, places in ((5, 7), (6, one_of(3, 4))):
        x, memory = texts(2, tokens, places)
        other = memory.clone()
        other[:, -1] = normal(2, 18, scale=4 * SIZE)
        moved = apart(layer(x, memory), layer(x, other), tokens).max((0, 2))
        between(moved.min(), 1e-3, np.inf, "smallest change of a token's output")


def test_with_silent_steps_x_is_normalised_three_times(submission, device):
    """If all three steps add zeros, the residual connections still carry x through, and nothing of
    the memory comes with it."""
    weights = random_weights()
    silence(weights, *LAST)
    agree(submission, weights, *texts(), device=device)


def test_self_attention_is_added_and_then_normalised(submission, device):
    """The first step gives norm1 of x plus self_attention(x), each token seeing itself and those
    before it; the other steps add zeros here."""
    weights = random_weights()
    silence(weights, *LAST[1:])
    agree(submission, weights, *texts(), device=device)


def test_attention_to_the_memory_is_added_and_then_normalised(submission, device):
    """The second step gives norm2 of y plus cross_attention, with queries from y, keys and values
    from the memory; the other steps add zeros here."""
    weights = random_weights()
    silence(weights, LAST[0], LAST[2])
    agree(submission, weights, *texts(), device=device)


def test_the_feed_forward_network_is_added_and_then_normalised(submission, device):
    """The third step gives norm3 of z plus feed_forward(z); the other steps add zeros here."""
    weights = random_weights()
    silence(weights, *LAST[:2])
    agree(submission, weights, *texts(), device=device)


def test_all_three_steps_at_work(submission, device):
    """Each step reads the output of the one before, with two heads as with three, and with a memory
    longer or shorter than the text."""
    for heads, places in ((3, 7), (2, 4)):
        check(*any_layer(submission, heads=heads, device=device), *texts(places=places))


def test_the_mask_reaches_the_memory(submission):
    """A mask makes a difference: the layer hands it on."""
    layer, (x, memory) = any_layer(submission)[0], texts()
    mask = given(np.arange(7) < 2)[None, None].repeat(2, 1, 1)
    difference = apart(layer(x, memory), layer(x, memory, mask)).max()
    between(difference, 0.01, np.inf, "largest change when most of the memory is hidden")


def test_padding_of_the_memory_is_hidden_from_every_token(submission, device):
    """A mask (B, 1, S) hides padded places of the memory from every query of their sample, and no
    query is hidden."""
    layer, right = any_layer(submission, device=device)
    x, memory = texts()
    mask = given(np.arange(7) < np.array([[[3]], [[6]]]))
    equal(layer(x, memory, memory_mask=mask), right.layer(x, memory, mask))


def test_each_sample_has_its_own_mask(submission):
    """A mask (B, T, S) belongs to samples, not to heads, also if there are as many of both."""
    layer, right = any_layer(submission)
    check(layer, right, *texts(3), keep_mask(3, 5, 7))
    check(layer, right, *texts(3), keep_mask(3, 1, 7))


def test_the_mask_says_nothing_about_the_own_text(submission):
    """With as many tokens as places, too, the mask is that of the memory alone, and self-attention
    stays causal."""
    weights = random_weights()
    silence(weights, LAST[1])
    layer, right = loaded(submission, weights), Formulas(weights)
    for shape in ((2, 1, 6), (6, 6)):
        check(layer, right, *texts(2, 6, 6), keep_mask(*shape))


def test_with_equal_sizes_masks_mean_the_same(submission):
    """What a mask means is told by its dimensions, also where B, T and S are equal."""
    layer, right = any_layer(submission)
    x, memory = texts(5, 5, 5)
    for shape in ((5, 5), (5, 1, 5), (5, 5, 5)):
        check(layer, right, x, memory, keep_mask(*shape))


def test_in_evaluation_nothing_is_dropped(submission):
    """Dropout is for training: in evaluation mode the layer computes as if there were none."""
    check(*any_layer(submission, dropout=0.5), *texts())


def test_a_dropout_of_zero_drops_nothing(submission):
    """`dropout` is the share for all places: with 0, training does what evaluation does."""
    layer, right = any_layer(submission, dropout=0.0)
    check(layer.train(), right, *texts(), keep_mask(2, 1, 7))


def test_the_output_of_self_attention_is_dropped(submission):
    """Each feature that self-attention adds is dropped by a draw of its own, and once."""
    dropped_one_by_one(submission, LAST[0])


def test_the_output_of_attention_to_the_memory_is_dropped(submission):
    """Each feature that is read from the memory is dropped by a draw of its own, and once."""
    dropped_one_by_one(submission, LAST[1])


def test_the_output_of_the_feed_forward_network_is_dropped(submission):
    """Each feature that the feed-forward network adds is dropped by a draw of its own, and once."""
    dropped_one_by_one(submission, LAST[2])


# The fine print


def test_arguments_can_be_given_by_position_or_by_name(submission):
    """`dropout` is the fourth argument of the constructor, and `forward` has x, memory and
    memory_mask."""
    layer = submission.DecoderLayer(12, 3, 11, 0.5)
    is_module(layer)
    x, memory, mask = normal(2, 5, 12), normal(2, 7, 12), keep_mask(2, 1, 7)
    has_shape(layer(memory_mask=mask, memory=memory, x=x), (2, 5, 12))


def test_two_layers_share_nothing(submission):
    """Each layer of a stack has weights of its own, with equal sizes too."""
    mine, others, (x, memory) = random_weights(), random_weights(), texts()
    layer, other = loaded(submission, mine), loaded(submission, others)
    check(other, Formulas(others), x, memory)
    check(layer, Formulas(mine), x, memory)


def test_nothing_but_the_parts_learns(submission):
    """All that is learned is in attentions, network and norms: nothing else affects the output."""
    weights, (x, memory) = random_weights(), texts()
    layer = loaded(submission, weights)
    known = by_own_name(layer, weights)
    own = layer.parameters(*known)
    others = {name: each for name, each in own.items() if name not in known}
    layer.load({name: normal(*each.shape) for name, each in others.items()})
    check(layer, Formulas(weights), x, memory)


def test_hidden_keys_stay_hidden_among_scores_of_ten_thousand(submission):
    """Scores may lie anywhere from −10,000 to 10,000, as in exercise 09. A hidden key gets nothing,
    even if it scores 9,999 and all others −9,999."""
    weights, (x, memory), mask = random_weights(), texts(), keep_mask(2, 1, 7)
    for name in ATTENTIONS:
        silence(weights, f"{name}.w_query", f"{name}.w_key")
        weights[f"{name}.w_query.bias"][::6] = math.sqrt(6) * 9999
        weights[f"{name}.w_key.weight"][::6, 0] = 1.0  # whose sign says which score
        weights[f"{name}.w_out.weight"] /= 1000  # some right answers round it by a thousandth
    x[..., 0] = memory[..., 0] = -1.0
    x[:, -1, 0], memory[:, 2, 0], mask[..., 2], mask[..., 0] = 1.0, 1.0, False, True
    agree(submission, weights, x, memory, mask)


def test_sums_may_lie_far_from_zero(submission):
    """What the third norm gives is right to a hundredth where the features of a token vary by 8
    round 20,000."""
    weights, (x, memory) = random_weights(), texts()
    silence(weights, LAST[2])
    weights["norm2.shift"] += 20_000
    layer, right = loaded(submission, weights), Formulas(weights)
    error = apart(layer(x, memory), right.layer(x, memory)).max()
    between(error, 0, 0.05, "largest error of an output")


def test_tokens_and_places_of_zeros_are_allowed(submission):
    """A token of equal features has a deviation of 0; the norm gives its shift then. A memory of
    zeros gives the biases."""
    weights = random_weights()
    silence(weights, LAST[0])
    agree(submission, weights, *(given(np.zeros((2, size, 18))) for size in (5, 7)))


def test_arguments_need_not_be_contiguous(submission):
    """All three may have been transposed or expanded before: numbers count, wherever they lie."""
    layer, right = any_layer(submission)
    x, memory = (normal(count, 2, 18, scale=SIZE).transpose(0, 1) for count in (5, 7))
    mask = keep_mask(1, 1, 7).expand(2, 5, 7)
    check(layer, right, x, memory, mask)
    check(layer, right, normal(2, 18, 5, scale=SIZE).mT, memory[:1].expand(2, 7, 18), mask)


def test_one_sample_of_one_token_and_one_place_passes_all_steps(submission):
    """Dimensions of size 1 stay, and a lone token goes through all steps like every other."""
    layer, right = any_layer(submission)
    for samples, tokens, places in ((1, 1, 1), (1, 5, 7), (2, 1, 7), (2, 5, 1)):
        check(layer, right, *texts(samples, tokens, places))


def test_a_mask_may_have_two_or_four_dimensions(submission):
    """(T, S) is for all samples, (B, H, T, S) has a mask for each head, and any size may be 1."""
    layer, right = any_layer(submission)
    x, memory = texts()
    for shape in ((5, 7), (2, 3, 5, 7), (1, 7), (2, 1, 5, 7), (1, 3, 1, 7), (1, 5, 7)):
        check(layer, right, x, memory, keep_mask(*shape))


def test_texts_may_be_long(submission):
    """Every token may look back to the first one, and at every place of the memory, however far
    away. 512 places or 1,024 tokens are no limit."""
    check(*any_layer(submission), *texts(1, 135, 515))
    layer, tokens = submission.DecoderLayer(2, 1, 2, 0.0), one_of(1030, 1040)
    with torch.no_grad():
        has_shape(layer(normal(1, tokens, 2), normal(1, 1, 2)), (1, tokens, 2))


def test_a_dropout_of_one_leaves_the_residuals(submission):
    """Where all that the steps add is dropped, x still comes through three norms."""
    weights, (x, memory) = random_weights(), texts()
    output = loaded(submission, weights, dropout=1.0).train()(x, memory)
    right = Formulas(weights)
    equal(output, right.norm(3, right.norm(2, right.norm(1, x))))


def test_a_tenth_is_dropped_by_default(submission):
    """A layer that is told no dropout has one of 0.1."""
    weights = quiet_weights() | {f"{LAST[0]}.bias": given(FED)}
    share = dropped(in_training(submission, weights, dropout=None)).mean()
    between(share, 0.07, 0.13, "share of features that were dropped")


def test_weights_of_self_attention_are_dropped(submission):
    """With one key a dropped weight silences its head: a quarter of the heads, for 0.25. A token
    with two keys has draws of its own for both."""
    weights = attention_adds_ones("self_attention")
    gone = silent(in_training(submission, weights, samples=300, tokens=2))
    between(gone[:, 0].mean(), 0.17, 0.33, "share of heads that have lost the only key")
    between(gone[:, 1].mean(), 0.03, 0.11, "share of heads that have lost both keys of a token")
    between(gone.all(1).mean(), 0, 0.036, "share of draws that are the same for both tokens")
    between(gone[:, 0].all(-1).mean(), 0, 0.11, "share of draws that are the same for two heads")


def test_weights_of_attention_to_the_memory_are_dropped(submission):
    """With two places both weights of a query are dropped in one of 16 cases; no draw is shared."""
    weights = attention_adds_ones("cross_attention")
    gone = silent(in_training(submission, weights, samples=300, tokens=2, places=2))
    between(gone.mean(), 0.03, 0.11, "share of heads that have lost both places of the memory")
    drawn_one_by_one(gone, "heads", 0.03)


def test_hidden_features_are_dropped(submission):
    """A hidden feature that is dropped adds nothing to those it feeds; each has its own draw."""
    weights = feed_forward_adds_ones()
    gone = silent(in_training(submission, weights, samples=100, tokens=5, places=7))
    between(gone.mean(), 0.15, 0.35, "share of hidden features that add nothing")
    drawn_one_by_one(gone, "hidden features", 0.13)


def test_what_is_kept_makes_up_for_what_is_dropped(submission):
    """What is kept is divided by the share that is kept: the average stays what it is without."""
    for weights in steps():
        average = np.mean(added(in_training(submission, weights)))
        between(average, 0.82, 1.18, "average of what is added, 1 without dropout")


def test_what_a_step_adds_passes_dropout_exactly_twice(submission):
    """What a step adds passes two draws: it is 0, or divided by the share kept, twice. Neither x
    nor the memory passes any.

    Every token looks at the first, which is a 1, and at the first place of the memory.
    """
    fed = feed_forward_adds_ones()
    fed["feed_forward.linear1.bias"] = given(np.zeros(3))
    fed["feed_forward.linear1.weight"][:, 1] = 1
    looked_at, value = np.eye(18)[2:4]
    tokens = [RULER + looked_at + value, RULER + 3 * value, RULER + 5 * value]
    x = given(np.tile(tokens, (60, 1, 1)))
    for weights in (*map(peaked, ATTENTIONS), fed):
        output = loaded(submission, weights, dropout=0.25).train()(x, x.clone())
        found = added(unshifted(output, weights, (60, 3, 18)))
        known = np.isclose(found, 0, atol=2e-3) | np.isclose(found, 0.75**-2, atol=2e-3)
        between((~known).mean(), 0, 0, "share of features to which something else was added")


def test_the_three_steps_drop_independently(submission):
    """What is dropped of one step says nothing about the next: 1 of 64 features loses all three."""
    weights = quiet_weights() | {f"{last}.bias": given(FED) for last in LAST}
    share = dropped(in_training(submission, weights, samples=300)).mean()
    between(share, 0.005, 0.035, "share of features to which no step adds anything")


def test_each_call_drops_other_features(submission):
    """What was dropped in one call says nothing about the next, or about another layer, with or
    without gradients: 1 of 16 features loses both."""
    weights = quiet_weights() | {f"{LAST[1]}.bias": given(FED)}
    layer = loaded(submission, weights, dropout=0.25).train()
    first, second = (dropped(rulers(layer, weights, 50, 5)) for _ in range(2))
    with torch.no_grad():
        other = dropped(in_training(submission, weights, 50, 5))
    for each in (second, other):
        between((first & each).mean(), 0.03, 0.1, "share of features that both calls have dropped")


def test_gradients_reach_x_and_the_memory(submission):
    """Both move the output, in training too: what made the memory learns through its readers."""
    (layer, right), mask = any_layer(submission), keep_mask(2, 1, 7)
    for switch, masks in ((layer.eval, (mask,)), (layer.train, ())):
        x, memory = texts(grad=True)
        backward(switch()(x, memory, *masks))
        found = [submission.see("a gradient", each.grad) for each in (x, memory)]
        x.grad = memory.grad = None
        backward(right.layer(x, memory, *masks))
        equal_gradient(found[0], x.grad, "x")
        equal_gradient(found[1], memory.grad, "memory")


def test_a_token_of_zeros_has_a_finite_gradient(submission):
    """Where all features of a token are equal, its gradient is large, and finite."""
    weights, x = random_weights(), given(np.zeros((2, 5, 18)), grad=True)
    silence(weights, LAST[0])
    backward(loaded(submission, weights)(x, texts()[1]))
    finite = np.isfinite(numpy(submission.see("a gradient", x.grad)))
    between(finite.mean(), 1, 1, "share of the gradient of x that is finite")


def test_gradients_reach_every_parameter(submission):
    """Every part learns, under a mask and with dropout too; without it as the formulas say."""
    weights, (x, memory), mask = random_weights(), texts(), keep_mask(2, 5, 7)
    layer, dropping = loaded(submission, weights), loaded(submission, weights, 0.25).train()
    for each, masks in ((layer, (mask,)), (dropping, ())):
        backward(0.03 * each(x, memory, *masks))
    found, some = layer.gradients(), dropping.gradients()
    learned = {name: each.requires_grad_() for name, each in weights.items()}
    backward(0.03 * Formulas(learned).layer(x, memory, mask))
    for name in ATTENTIONS:
        del weights[f"{name}.w_key.bias"]  # zero in theory: it moves all scores of a row alike
    for name, each in by_own_name(layer, weights).items():
        equal_gradient(found[name], each.grad, name)
        most = 0 if some[name] is None else np.abs(numpy(some[name])).max()
        between(most, 1e-9, np.inf, f"largest gradient of {name} with dropout")


def test_arguments_stay_as_they_are(submission):
    """x, memory and mask belong to the caller: one memory and one mask serve every layer."""
    layer, right = any_layer(submission)
    x, memory = texts()
    check(layer, right, x, memory, keep_mask(2, 5, 7))
    with torch.no_grad():
        check(layer, right, x, memory, keep_mask(2, 1, 7))
        check(layer.train(), right, x, memory, keep_mask(5, 7))
    arguments_kept()


def test_a_call_remembers_nothing(submission):
    """Each call stands alone: memory, mask, lengths and weights of another one do not matter,
    and no later call changes what an earlier one gave."""
    layer, right = any_layer(submission)
    (x, memory), weights = texts(), random_weights()
    with torch.no_grad():
        first = layer(x, memory)
        check(layer, right, *texts(2, 7, 5), keep_mask(2, 1, 5))
        check(layer, right, *texts(2, 5, 7))
        check(layer, right, x, texts()[1], keep_mask(2, 1, 7))
        check(layer, right, x, memory)
        layer.load(by_own_name(layer, weights))
        check(layer, Formulas(weights), x, memory)
    equal(first, right.layer(x, memory))


def test_the_causal_mask_is_made_where_x_is(submission):
    """The layer works on another device, too: here "meta", where tensors have shapes and no
    numbers. A mask left on the CPU, or kept from a call there, does not fit to x."""
    layer = submission.DecoderLayer(18, 3, 11)
    is_module(layer)
    layer(*texts())
    layer.to("meta")
    x, memory = (each.to("meta") for each in texts())
    outputs = []
    moves_along(lambda: outputs.append(layer(x, memory)))
    for output in outputs:
        has_shape(output, (2, 5, 18))


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features make no 3 heads of equal size: the constructor says so, with both numbers."""
    for width in in_any_order([20, one_of(22, 14, 16, 25, 26, 28)]):
        call = partial(submission.DecoderLayer, width, 3, 11)
        raises("ValueError", call, mentions=[width, 3])
