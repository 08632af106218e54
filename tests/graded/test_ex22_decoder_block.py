"""What a decoder block is: attention with a cache, then a feed-forward network, each of which reads
normalised features and adds what it finds to the features as they were.

E = 18 features, H = 3 heads of D = 6, hidden width F = 11. No claim trusts the weights that a block
starts with: each loads its own, scales of the norms included, and computes what must come out in
float64, with pairs of features turned as complex numbers.
"""

import math
from functools import partial

import numpy as np
import torch

from kata.judging.claims import (
    arguments_kept,
    backward,
    between,
    equal,
    equal_gradient,
    gradients,
    has_parameters,
    has_shape,
    is_array,
    is_module,
    is_pair,
    moves_along,
    raises,
)
from kata.judging.inputs import given, in_any_order, normal, numpy, one_of

B, H, D, F = 2, 3, 6, 11  # samples, heads, features of a head, hidden width
E = H * D
P, T, C = 7, 5, 13  # earlier tokens, new tokens, context length
INWARD = ("attention.w_query", "attention.w_key", "attention.w_value")
OUTWARD = ("attention.w_out", "feed_forward.w_down")  # what each step adds comes from here
PARTS = (*INWARD, *OUTWARD, "feed_forward.w_gate", "feed_forward.w_up", "norm1", "norm2")
RULER = np.eye(E)[1]  # what a token is in the claims about dropout
FED = np.repeat([0.0, 1.0, 1.0], D)  # the features to which a step adds something there


def shapes(width=E, hidden=F):
    """Shape of each parameter, by name."""
    linears = dict.fromkeys((*INWARD, "attention.w_out"), (width, width))
    linears |= dict.fromkeys(("feed_forward.w_gate", "feed_forward.w_up"), (hidden, width))
    linears |= {"feed_forward.w_down": (width, hidden), "norm1": (width,), "norm2": (width,)}
    return {f"{name}.weight": shape for name, shape in linears.items()}


def drawn(width=E, hidden=F, grad=False):
    """Numbers for all parameters; no scale of a norm is 1."""
    sizes = shapes(width, hidden)
    lengths = [math.prod(shape) for shape in sizes.values()]
    found = {}
    for (name, shape), each in zip(sizes.items(), normal(sum(lengths)).split(lengths), strict=True):
        scale = 1.5 if name.startswith("norm") else shape[-1] ** -0.5
        found[name] = (scale * each.view(shape)).requires_grad_(grad)
    return found


def silent(numbers, *outward):
    """The same, with these projections at zero: the step behind each of them adds zeros."""
    return numbers | {f"{name}.weight": 0 * numbers[f"{name}.weight"] for name in outward}


def made(submission, numbers, *, heads=H, dropout=0.0, context=C, device=""):
    """A block with these numbers in it, in evaluation mode."""
    hidden, width = numbers["feed_forward.w_up.weight"].shape
    told = {} if dropout is None else {"dropout": dropout}
    block = submission.DecoderBlock(width, heads, hidden, context, **told)
    is_module(block)
    block.load(numbers)
    return (block.to(device) if device == "cuda" else block).eval()


def parts(got):
    """Output and cache, if that is what came back."""
    is_pair(got, "(x, cache)")
    is_array(got[0], "x")
    is_pair(got[1], "cache: (keys, values)")
    is_array(got[1][0], "keys")
    is_array(got[1][1], "values")
    return got


def exact(value):
    """In float64 on the CPU."""
    return value.cpu().double()


def turned(heads, start):
    """The tokens of (B, H, T, D), the first of them at position `start`."""
    size, width = heads.shape[2:]
    speeds = 10_000.0 ** (-torch.arange(0, width, 2).double() / width)
    angles = torch.arange(start, start + size)[:, None] * speeds
    pairs = torch.view_as_complex(heads.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


class Formulas:
    """The block from its formulas, in float64 on the CPU."""

    def __init__(self, numbers, heads=H):
        self.heads = heads
        self.numbers = {name: exact(each) for name, each in numbers.items()}

    def linear(self, name, x):
        """One projection."""
        return x @ self.numbers[f"{name}.weight"].mT

    def norm(self, name, x):
        """One norm."""
        root = (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()
        return x / root * self.numbers[f"{name}.weight"]

    def attend(self, x, cache=None):
        """Cached attention: output, keys and values."""
        query, key, value = (
            self.linear(name, x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for name in INWARD
        )
        past = cache[0].shape[2] if cache else 0
        query, key = turned(query, past), turned(key, past)
        if cache:
            key = torch.cat((exact(cache[0]), key), 2)
            value = torch.cat((exact(cache[1]), value), 2)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        new, all_keys = torch.arange(x.shape[1])[:, None], torch.arange(key.shape[2])
        scores = scores.masked_fill(all_keys > past + new, -torch.inf)
        merged = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
        return self.linear("attention.w_out", merged), key, value

    def feed(self, x):
        """The feed-forward network."""
        gate = self.linear("feed_forward.w_gate", x)
        hidden = gate * gate.sigmoid() * self.linear("feed_forward.w_up", x)
        return self.linear("feed_forward.w_down", hidden)

    def block(self, x, cache=None):
        """All of it: output, keys and values."""
        x = exact(x)
        attended, key, value = self.attend(self.norm("norm1", x), cache)
        x = x + attended
        return x + self.feed(self.norm("norm2", x)), key, value


def right_of(numbers, x, cache=None, heads=H):
    """What must come out, without the cache."""
    return Formulas(numbers, heads).block(x, cache)[0]


def cached(samples=B, heads=H, tokens=P, width=D, **options):
    """Keys and values of the suite's own: a cache of which nobody knows how it was made."""
    size = (samples, heads, tokens, width)
    return normal(*size, **options), normal(*size, **options)


def in_parts(block, x, *sizes):
    """The outputs of a text in parts of these sizes, side by side, and the last cache."""
    outputs, cache = [], None
    for part in x.split(sizes, dim=1):
        output, cache = parts(block(part, cache) if cache else block(part))
        has_shape(output, part.shape, what="x")
        outputs.append(output)
    return torch.cat(outputs, dim=1), cache


def far_apart():
    """Numbers, x, and where the first token is: its own score is far below those of later keys."""
    numbers, first = drawn(), (torch.arange(T) == 0)[:, None]
    size = 9_000**0.5 / D**0.25  # so in each head the score of a row of ones with itself is −9,000
    numbers |= {"norm1.weight": torch.ones(E), "attention.w_query.weight": size * torch.eye(E)}
    numbers["attention.w_key.weight"] = -size * torch.eye(E)
    return numbers, 2.0 * first - 1 + 0.02 * normal(1, T, E) * ~first, first


def quiet():
    """Norms that scale nothing, and steps that add zeros: to be changed by a claim."""
    ones = given(np.ones(E))
    weights = {name: torch.zeros(shape) for name, shape in shapes().items()}
    return weights | {"norm1.weight": ones, "norm2.weight": ones}


def attention_adds_ones():
    """Each value of a ruler is 1, whatever the weights, and the features of FED get one each."""
    weights = quiet()
    weights["attention.w_value.weight"][:, 1] = E**-0.5  # feature 1 of a normalised ruler is √E
    weights["attention.w_out.weight"] = given(np.diag(FED))
    return weights


def feed_forward_adds_ones():
    """Hidden feature 0 of a ruler is 1, and goes to the features of FED."""
    weights, silu_of_one = quiet(), 1 / (1 + math.exp(-1))
    weights["feed_forward.w_gate.weight"][0, 1] = E**-0.5
    weights["feed_forward.w_up.weight"][0, 1] = E**-0.5 / silu_of_one
    weights["feed_forward.w_down.weight"][:, 0] = given(FED)
    return weights


def added(block, samples=50, tokens=5):
    """What the block in training adds to tokens whose feature 1 is 1, and all others 0."""
    x = np.tile(RULER, (samples, tokens, 1))
    output, _ = parts(block.train()(given(x)))
    has_shape(output, x.shape, what="x")
    return numpy(output) - x


def dropped(block, samples=50):
    """To which of the features 6 to 17 nothing was added."""
    return np.abs(added(block, samples)[..., D:]) < 1e-3


def drawn_one_by_one(gone):
    """A quarter is dropped, each feature of each token by a draw of its own."""
    between(gone.mean(), 0.2, 0.3, "share of features that were dropped")
    for axis, what in enumerate(("samples", "tokens of a sample", "features of a token")):
        between(gone.all(axis).mean(), 0, 0.05, f"share of draws that drop all {what}")


def all_equal(found, right, names):
    """These gradients are the right ones."""
    for got, expected, name in zip(found, right, names, strict=True):
        equal_gradient(got, expected, name)


# The idea


def test_the_parts_are_those_of_earlier_exercises(submission):
    """`norm1`, `attention`, `norm2` and `feed_forward` are parts of the block, made once, each with
    parameters of its own: two norms are two scales."""
    more = one_of(16, 20, 24)
    for width, heads, hidden in ((E, H, F), (more, 2, 50)):
        has_parameters(submission.DecoderBlock(width, heads, hidden, C), shapes(width, hidden))


def test_no_part_has_a_bias(submission):
    """Attention is made without a bias, as it comes; norms and network have none either."""
    hidden = one_of(F, 9, 10, 13)
    block = submission.DecoderBlock(E, H, hidden, C)
    is_module(block)
    biases = [f"{name}.bias" for name in PARTS]
    there = block.parameters(*biases)
    found = given([name in there for name in biases])
    equal(found, [False] * len(biases), what=f"({', '.join(PARTS)}) with a bias")


def test_a_call_returns_x_and_the_cache(submission):
    """A call returns two things: x in the shape that it had, so that blocks can stand on one
    another, and the cache, keys and values (B, H, T, D)."""
    samples, tokens = one_of(B, 3, 4), one_of(T, 3, 7, 8)
    output, cache = parts(submission.DecoderBlock(E, H, F, C)(normal(samples, tokens, E)))
    has_shape(output, (samples, tokens, E), what="x")
    has_shape(cache[0], (samples, H, tokens, D), what="keys")
    has_shape(cache[1], (samples, H, tokens, D), what="values")


def test_with_silent_steps_x_comes_through_unchanged(submission, device):
    """If both steps add zeros, x comes out as it went in: no norm lies on its way."""
    numbers, x = silent(drawn(), *OUTWARD), normal(B, T, E)
    output, _ = parts(made(submission, numbers, device=device)(x))
    equal(output, x, what="x")


def test_attention_reads_the_first_norm_and_is_added(submission, device):
    """The first step is x plus attention of norm1(x); here the second step adds zeros."""
    numbers, x = silent(drawn(), "feed_forward.w_down"), normal(B, T, E)
    output, _ = parts(made(submission, numbers, device=device)(x))
    right = Formulas(numbers)
    equal(output, exact(x) + right.attend(right.norm("norm1", exact(x)))[0], what="x")


def test_the_feed_forward_network_reads_the_second_norm_and_is_added(submission, device):
    """The second step is y plus feed_forward of norm2(y), y being x where attention adds zeros."""
    numbers, x = silent(drawn(), "attention.w_out"), normal(B, T, E)
    output, _ = parts(made(submission, numbers, device=device)(x))
    right = Formulas(numbers)
    equal(output, exact(x) + right.feed(right.norm("norm2", exact(x))), what="x")


def test_the_second_step_begins_with_the_sum_of_the_first(submission, device):
    """With everything at work, norm2 and the second sum get x with what attention has added."""
    numbers, x = drawn(), normal(B, T, E)
    output, _ = parts(made(submission, numbers, device=device)(x))
    equal(output, right_of(numbers, x), what="x")


def test_the_size_of_x_changes_nothing_that_is_added(submission):
    """The norms take the size of x away before attention and network see it, and the sums do not: a
    large x stays large."""
    numbers, x = drawn(), normal(B, T, E, scale=30)
    x[1] *= 100
    output, _ = parts(made(submission, numbers)(x))
    equal(output, right_of(numbers, x), what="x")


def test_heads_and_hidden_width_are_those_asked_for(submission):
    """There may be few heads or many, and the hidden width may be smaller than d_model or larger:
    weights have the same shapes for every number of heads."""
    for width, heads, hidden in ((16, 2, 4), (E, 9, 40)):
        numbers, x = drawn(width, hidden), normal(B, T, width)
        output, _ = parts(made(submission, numbers, heads=heads)(x))
        equal(output, right_of(numbers, x, heads=heads), what=f"x with {heads} heads")


def test_no_later_token_reaches_an_earlier_output(submission):
    """The block is causal without being told so: whatever comes later leaves earlier outputs as
    they are."""
    numbers, x = drawn(), normal(B, T, E)
    block = made(submission, numbers)
    before, _ = parts(block(x))
    for later in (1, T - 1):
        other = x.clone()
        other[:, later] = normal(B, E)
        output, _ = parts(block(other))
        what = f"x after a change of token {later}"
        equal(output, before, where=(torch.arange(T) < later)[:, None], what=what)


def test_the_cache_comes_from_normalised_tokens(submission, device):
    """Keys and values of the cache are those of norm1(x), and what comes after attention is not in
    them."""
    numbers, x = drawn(), normal(B, T, E)
    _, (keys, values) = parts(made(submission, numbers, device=device)(x))
    _, right_keys, right_values = Formulas(numbers).block(x)
    equal(keys, right_keys, what="keys")
    equal(values, right_values, what="values")


def test_the_cache_reaches_the_attention(submission, device):
    """With a cache, new tokens attend to the earlier ones, too, and stand behind them."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    output, _ = parts(made(submission, numbers, device=device)(x, cache))
    equal(output, right_of(numbers, x, cache), what="x")


def test_the_new_cache_holds_all_tokens_so_far(submission):
    """What comes back is the cache of the attention: the earlier tokens and then the new ones."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    _, (keys, values) = parts(made(submission, numbers)(x, cache))
    _, right_keys, right_values = Formulas(numbers).block(x, cache)
    equal(keys, right_keys, what="keys")
    equal(values, right_values, what="values")


def test_parts_are_the_same_as_one_call(submission, device):
    """A text in parts, each with the cache of the one before, gives the outputs of one call."""
    numbers, x = drawn(), normal(B, P + T, E)
    block, right = made(submission, numbers, device=device), right_of(numbers, x)
    for sizes in ((9, 3), (2, 6, 4)):
        output, _ = in_parts(block, x, *sizes)
        equal(output, right, what=f"x in parts of {sizes}")


def test_in_evaluation_nothing_is_dropped(submission):
    """Dropout is for training: in evaluation mode the block computes as if there were none, also
    after a call in training."""
    numbers, x = drawn(), normal(B, T, E)
    block, right = made(submission, numbers, dropout=0.5), right_of(numbers, x)
    equal(parts(block(x))[0], right, what="x")
    block.train()(x)
    equal(parts(block.eval()(x))[0], right, what="x after a call in training")


def test_a_dropout_of_zero_drops_nothing(submission):
    """With 0, training does what evaluation does, with a cache and without."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    block = made(submission, numbers, dropout=0.0).train()
    for before in (cache, None):
        equal(parts(block(x, before))[0], right_of(numbers, x, before), what="x")


def test_dropout_leaves_the_cache_alone(submission):
    """What attention and network give is dropped, and keys and values are not: the cache is the
    same in training and in evaluation."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    _, (keys, values) = parts(made(submission, numbers, dropout=0.5).train()(x, cache))
    _, right_keys, right_values = Formulas(numbers).block(x, cache)
    equal(keys, right_keys, what="keys")
    equal(values, right_values, what="values")


def test_the_output_of_attention_is_dropped(submission):
    """Each feature that attention adds to a token is dropped by a draw of its own."""
    drawn_one_by_one(dropped(made(submission, attention_adds_ones(), dropout=0.25)))


def test_the_output_of_the_feed_forward_network_is_dropped(submission):
    """Each feature that the feed-forward network adds is dropped by a draw of its own."""
    drawn_one_by_one(dropped(made(submission, feed_forward_adds_ones(), dropout=0.25)))


def test_nothing_else_is_dropped(submission):
    """What a step adds is 0, or divided once by the share that is kept: there is no dropout on
    weights, on hidden features, on what the steps read, or on x."""
    for weights in (attention_adds_ones(), feed_forward_adds_ones()):
        found = added(made(submission, weights, dropout=0.25), 20)
        changed = np.abs(found[..., :D]) > 1e-3
        between(changed.mean(), 0, 0, "share of features that no step adds to and that change")
        found = found[..., D:]
        known = np.isclose(found, 0, atol=1e-3) | np.isclose(found, 1 / 0.75, atol=1e-3)
        between((~known).mean(), 0, 0, "share of features to which something else was added")


# The fine print


def test_the_norms_begin_with_scales_of_one(submission):
    """Both norms are made as in exercise 20, with a scale of ones: drawing weights anew is not for
    them."""
    block = submission.DecoderBlock(E, H, F, C)
    is_module(block)
    names = ("norm1.weight", "norm2.weight")
    found = block.parameters(*names)
    for name in names:
        equal(found.get(name), np.ones(E), what=f"`{name}`")


def test_nothing_but_the_parts_learns(submission):
    """All that is learned are the weights of the four parts: no other parameter affects the output,
    in a norm or a network neither."""
    numbers, x = drawn(), normal(B, T, E)
    block = made(submission, numbers)
    own = block.parameters(*numbers)
    mine = [name for name in own if name not in numbers and not name.startswith("attention.")]
    output, _ = parts(block.load({name: normal(*own[name].shape) for name in mine})(x))
    equal(output, right_of(numbers, x), what="x")


def test_arguments_can_be_given_by_name(submission):
    """The constructor's arguments and those of `forward` have the names of the docstring, and
    `cache=None` is a first call."""
    sizes = {"d_model": E, "num_heads": H, "d_hidden": F, "context_length": C, "dropout": 0.0}
    block = submission.DecoderBlock(**sizes)
    is_module(block)
    numbers, x, before = drawn(), normal(B, T, E), cached()
    block.load(numbers).eval()
    for cache in (before, None):
        output, _ = parts(block(cache=cache, x=x))
        equal(output, right_of(numbers, x, cache), what="x")


def test_scores_may_be_large(submission):
    """Where the scores of attention are as large as some hundreds, its weights are what they should
    be, as in exercise 21."""
    numbers, x = drawn(), normal(1, T, E)
    numbers["attention.w_query.weight"] *= 100
    numbers["attention.w_value.weight"] *= 0.01  # an error of the scores counts for little
    output, _ = parts(made(submission, numbers)(x))
    equal(output, right_of(numbers, x), what="x")


def test_a_hidden_key_has_no_weight_however_high_it_scores(submission):
    """The first token attends to itself, also where its own score is −9,000 and those of later
    tokens are far above, as in exercise 21: a hidden key has no influence at all."""
    numbers, x, first = far_apart()
    output, _ = parts(made(submission, numbers)(x))
    equal(output, right_of(numbers, x), where=first, what="x")


def test_small_tokens_are_normalised_with_the_eps_of_exercise_20(submission):
    """Where the features of x are as small as a thousandth, the eps of the norms counts: it is the
    default of exercise 20, 1e-6."""
    numbers = drawn()
    for outward in OUTWARD:
        some, x = silent(numbers, outward), normal(B, T, E, scale=1e-3)
        output, _ = parts(made(submission, some)(x))
        equal(output, right_of(some, x), what="x")


def test_inputs_may_be_views(submission):
    """x and the tensors of the cache may be transposed views of others: their numbers do not lie in
    a row then."""
    numbers, x = drawn(), normal(T, E, B).permute(2, 0, 1)
    cache = normal(B, P, H, D).transpose(1, 2), normal(D, P, H, B).permute(3, 2, 1, 0)
    output, _ = parts(made(submission, numbers)(x, cache))
    equal(output, right_of(numbers, x, cache), what="x")


def test_tokens_may_come_one_by_one(submission, device):
    """A single new token attends to all earlier ones: the text goes on as it would in one call."""
    numbers, x = drawn(), normal(B, P + T, E)
    block = made(submission, numbers, device=device)
    output, _ = in_parts(block, x, 9, 1, 1, 1)
    equal(output, right_of(numbers, x), what="x in parts of (9, 1, 1, 1)")
    new, cache = normal(B, 1, E), cached()
    output, _ = parts(block(new, cache))
    equal(output, right_of(numbers, new, cache), what="x")


def test_every_size_may_be_one(submission):
    """One sample, one head, one earlier token or one new one: an axis of length 1 is an axis."""
    numbers = drawn()
    for samples, heads, past, size in ((1, H, 1, 1), (B, 1, 1, T)):
        x, cache = normal(samples, size, E), cached(samples, heads, past, E // heads)
        block = made(submission, numbers, heads=heads)
        for before in (cache, None):
            output, _ = parts(block(x, before))
            equal(output, right_of(numbers, x, before, heads), what="x")


def test_a_text_may_be_as_long_as_context_length(submission):
    """context_length is handed on to the attention: as many tokens fit, in one call or in parts."""
    context = one_of(40, 38, 44)
    numbers, x = drawn(), normal(1, context, E)
    block, right = made(submission, numbers, context=context), right_of(numbers, x)
    equal(parts(block(x))[0], right, what="x")
    equal(in_parts(block, x, context - 1, 1)[0], right, what="x in parts")


def test_a_text_may_have_more_than_a_thousand_tokens(submission):
    """Tokens after 1,100 others are tokens like any others. norm1 makes them small here: angles may
    be off by a thousandth."""
    numbers, past = drawn(), one_of(1_100, 1_090, 1_095)
    numbers["norm1.weight"] *= 1e-3
    x, cache = normal(1, T, E), cached(1, tokens=past)
    output, (keys, _) = parts(made(submission, numbers, context=past + T)(x, cache))
    has_shape(keys, (1, H, past + T, D), what="keys")
    equal(output, right_of(numbers, x, cache), what="x")


def test_a_dropout_of_one_leaves_x(submission):
    """Where all that is added is dropped, x itself is left, exactly as it was: with a cache and
    without, for many tokens or one, with gradients recorded or without, and also after a call in
    evaluation mode."""
    block, one = made(submission, drawn(), dropout=1.0), normal(1, 1, E)
    parts(block(one))
    block.train()
    x, cache = normal(B, T, E), cached()
    for tokens, before, recorded in ((x, None, False), (x, cache, True), (one, None, True)):
        with torch.set_grad_enabled(recorded):
            output, _ = parts(block(tokens, before))
        equal(output, tokens, what="x")


def test_a_tenth_is_dropped_by_default(submission):
    """A block that is told no dropout has one of 0.1."""
    share = dropped(made(submission, attention_adds_ones(), dropout=None)).mean()
    between(share, 0.07, 0.13, "share of features that were dropped")


def test_the_two_steps_drop_independently(submission):
    """What is dropped of attention says nothing about the network: 1 of 16 features loses both."""
    weights = attention_adds_ones()
    weights["norm2.weight"] = given(30 * RULER)  # gates see feature 1 alone, whatever is added
    weights["feed_forward.w_gate.weight"][0, 1] = 1
    weights["feed_forward.w_up.weight"][0, 1] = 1
    weights["feed_forward.w_down.weight"][:, 0] = given(FED)
    share = dropped(made(submission, weights, dropout=0.25)).mean()
    between(share, 0.03, 0.1, "share of features to which neither step adds anything")


def test_each_call_drops_other_features(submission):
    """What was dropped in one call says nothing about the next: 1 of 16 features loses both."""
    block = made(submission, attention_adds_ones(), dropout=0.25)
    first, second = dropped(block), dropped(block)
    between((first & second).mean(), 0.03, 0.1, "share of features that both calls have dropped")


def test_each_block_drops_other_features(submission):
    """What one block has dropped says nothing about the next one of a stack: no block begins with
    a seed of its own that is always the same."""
    first, second = (
        dropped(made(submission, attention_adds_ones(), dropout=0.25), 30) for _ in range(2)
    )
    between((first & second).mean(), 0.03, 0.1, "share of features that both blocks have dropped")


def test_x_and_the_cache_stay_as_they_are(submission):
    """x and the cache belong to the caller, with gradients recorded or without, in training and in
    evaluation: the sums are new tensors."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    block, right = made(submission, numbers), right_of(numbers, x, cache)
    equal(parts(block(x, cache))[0], right, what="x")
    parts(block.train()(x))
    block.eval()
    with torch.no_grad():
        equal(parts(block(x, cache))[0], right, what="x under no_grad")
    arguments_kept()


def test_two_texts_may_take_turns(submission):
    """A block keeps nothing of a call: two texts, each with a cache of its own, may take turns, and
    what it has returned stays as it is, here where no gradients are recorded."""
    numbers, texts = drawn(), (normal(B, P, E), normal(B, P, E))
    block, caches, outputs = made(submission, numbers), [None, None], ([], [])
    with torch.no_grad():
        for part in (slice(0, 4), slice(4, P)):
            for place, text in enumerate(texts):
                output, caches[place] = parts(block(text[:, part], caches[place]))
                has_shape(output, text[:, part].shape, what=f"x of text {place}")
                outputs[place].append(output)
    for place, text in enumerate(texts):
        right = right_of(numbers, text)
        equal(torch.cat(outputs[place], 1), right, what=f"x of text {place}")


def test_changed_weights_are_used(submission):
    """Weights change between calls, by training or loading; each call works with those of now, also
    where no gradients are recorded."""
    block, x = made(submission, drawn()), normal(B, T, E)
    for _ in range(2):
        numbers = drawn()
        with torch.no_grad():
            output, _ = parts(block.load(numbers)(x))
        equal(output, right_of(numbers, x), what="x")


def test_two_blocks_share_nothing(submission):
    """Each block of a stack has weights of its own, also if all have the same sizes."""
    mine, others, x = drawn(), drawn(), normal(B, T, E)
    block, other = made(submission, mine), made(submission, others)
    parts(other(x))
    equal(parts(block(x))[0], right_of(mine, x), what="x")


def test_all_that_forward_needs_moves_to_another_device(submission):
    """`.to()` takes the whole block to another device, after a call too: here to "meta", where
    tensors have shapes and no numbers. Dropout has to draw there, too."""
    samples, outputs = one_of(B, 4, 5, 6), []
    block, x = made(submission, drawn(), dropout=0.5).train(), normal(samples, T, E)
    parts(block(x))
    block.to("meta")
    moves_along(lambda: outputs.append(block(x.to("meta"))))
    for output in outputs:
        has_shape(parts(output)[0], (samples, T, E), what="x")


def test_gradients_reach_x_and_the_cache(submission):
    """x moves the output through both steps and past them, and the cache through attention: their
    gradients sum these ways."""
    numbers, x, cache = drawn(), normal(B, T, E, grad=True), cached(grad=True)
    output, _ = parts(made(submission, numbers)(x, cache))
    right = right_of(numbers, x, cache)
    equal(output, right, what="x")
    names, inputs = ("x", "the cached keys", "the cached values"), (x, *cache)
    found = gradients(0.03 * output, *inputs)  # an error of the largest counts for little
    all_equal(found, gradients(0.03 * right, *inputs), names)


def test_gradients_reach_the_tokens_of_earlier_calls(submission):
    """In two calls the tokens of a text get the gradients of one call: the cache that a call
    returns is not cut off, nor is it where a single token comes next."""
    numbers, x = drawn(), normal(B, T, E, grad=True)
    output = 0.03 * in_parts(made(submission, numbers), x, T - 1, 1)[0]  # as in the next claim
    all_equal(gradients(output, x), gradients(0.03 * right_of(numbers, x), x), ["x"])


def test_gradients_reach_every_parameter(submission):
    """Every part learns, in training: its parameters get the gradients of the formulas, those of
    one call from a text in two parts."""
    numbers, x = drawn(grad=True), normal(B, T, E)
    block = made(submission, numbers).train()
    backward(0.03 * in_parts(block, x, 3, 2)[0])  # an error of the largest counts for little
    found = block.gradients()
    right = gradients(0.03 * right_of(numbers, x), *numbers.values())
    all_equal([found[name] for name in numbers], right, numbers)


def test_hidden_keys_get_no_gradient(submission):
    """However far a hidden score is above the visible ones, what the first token becomes sends no
    gradient to later tokens: it is zero there, and not NaN."""
    numbers, x, first = far_apart()
    output, _ = parts(made(submission, numbers)(x.requires_grad_()))
    (found,) = gradients(output[:, :1], x)
    equal_gradient(found, torch.zeros(1, T, E), "x", where=~first)


def test_gates_may_be_large(submission):
    """What w_gate gives may be as large as some hundreds, above zero or below, as in exercise 20:
    neither outputs nor gradients overflow."""
    numbers, x = drawn(), normal(1, T, E, grad=True)
    numbers["feed_forward.w_gate.weight"] *= 100
    numbers["feed_forward.w_down.weight"] *= 1e-4  # an error of the gate counts for little
    output, _ = parts(made(submission, numbers)(x))
    right = right_of(numbers, x)
    equal(output, right, what="x")
    all_equal(gradients(output, x), gradients(right, x), ["x"])


def test_gradients_follow_what_dropout_has_kept(submission):
    """What a call has dropped gets no gradient from it, and all that it has kept gets one, divided
    by the share that is kept."""
    halves = ((attention_adds_ones(), OUTWARD[0]), (feed_forward_adds_ones(), OUTWARD[1]))
    for weights, outward in halves:
        block, name = made(submission, weights, dropout=0.25).train(), f"{outward}.weight"
        output, _ = parts(block(given([[100 * RULER]])))  # so large that eps does not count
        has_shape(output, (1, 1, E), what="x")
        gone = np.abs(numpy(output)[0, 0, D:]) < 1e-3
        sent = numpy(backward(output))[0, 0, D:]  # a step has a one for each feature
        found = block.gradients()[name]
        found = None if found is None else found[D:, 0]
        right = np.where(gone, 0, sent / 0.75)
        equal_gradient(found, right, f"the features behind {outward}")


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features make no 6 heads of equal size: the constructor says so, with both numbers."""
    for width in in_any_order([20, one_of(22, 14, 16, 26, 28)]):
        call = partial(submission.DecoderBlock, width, 6, F, C)
        raises("ValueError", call, mentions=[width, 6])


def test_a_longer_text_raises(submission):
    """One token more than context_length in the first call raises a ValueError that names both
    numbers: how many there are, and how many there may be."""
    context = one_of(C, 14, 15, 16)
    block = made(submission, drawn(), context=context)
    for size in (context + 1, 31):
        raises("ValueError", partial(block, normal(B, size, E)), mentions=(size, context))


def test_a_text_that_grows_too_long_raises(submission):
    """Earlier and new tokens together may not be more than context_length, however few are new: the
    ValueError names their sum and the limit."""
    block, (keys, values) = made(submission, drawn()), cached(tokens=C)
    for past, size in in_any_order(((C, 1), (4, C - 2))):
        call = partial(block, normal(B, size, E), (keys[:, :, :past], values[:, :, :past]))
        raises("ValueError", call, mentions=(past + size, C))
