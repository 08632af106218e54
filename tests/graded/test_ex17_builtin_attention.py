"""What PyTorch's own attention asks for: weights packed, the batch first, masks inverted or not.

The attention that is converted is the suite's, with the suite's numbers in it; what comes back is
called like any nn.MultiheadAttention, and compared with attention as it is defined.
"""

import math
from itertools import product

import torch
from torch import nn
from torch.nn import functional

from kata.judging.claims import (
    arguments_kept,
    backward,
    equal,
    equal_gradient,
    gradients,
    has_dtype,
    has_parameters,
    has_shape,
    is_array,
    is_module,
    is_pair,
)
from kata.judging.inputs import given, keep_mask, normal, nudged, one_of

B, H, T, S, D = 2, 3, 5, 7, 6
E = H * D
INNER = ("w_query", "w_key", "w_value")
PROJECTIONS = (*INNER, "w_out")


def drawn(width=E, bias=True, grad=False):
    """Numbers for all four projections."""
    weights, biases = normal(4, width, width, scale=width**-0.5), normal(4, width, scale=0.5)
    numbers = {f"{name}.weight": each for name, each in zip(PROJECTIONS, weights, strict=True)}
    if bias:
        numbers |= {f"{name}.bias": each for name, each in zip(PROJECTIONS, biases, strict=True)}
    return {name: each.clone().requires_grad_() if grad else each for name, each in numbers.items()}


def attention_with(submission, numbers, heads=H):
    """The suite's own attention, with these numbers in it."""
    bias, width = "w_out.bias" in numbers, numbers["w_out.weight"].shape[0]
    return submission.probe("projections", width, heads, bias=bias).load(numbers)


def converted(submission, numbers, heads=H):
    """What became of an attention with these numbers, in evaluation mode."""
    module = submission.to_builtin(attention_with(submission, numbers, heads))
    is_module(module)
    return module.eval()


def packed(numbers, kind):
    """The weights or the biases of three projections, one below the other."""
    return torch.cat([numbers[f"{name}.{kind}"] for name in INNER])


def right_parameters(numbers):
    """What nn.MultiheadAttention calls these numbers."""
    right = {
        "in_proj_weight": packed(numbers, "weight"),
        "out_proj.weight": numbers["w_out.weight"],
    }
    if "w_out.bias" in numbers:
        right["in_proj_bias"] = packed(numbers, "bias")
        right["out_proj.bias"] = numbers["w_out.bias"]
    return right


def equal_parameters(module, numbers, where=""):
    """All parameters of a converted attention are these numbers."""
    right = right_parameters(numbers)
    has_parameters(module, {name: each.shape for name, each in right.items()})
    own = module.parameters()
    for name, each in right.items():
        equal(own[name], each, what=f"`{name}`{where}")


def attend(query, key, value, keep=None):
    """Attention from its definition in float64, where keep is True: output, weights."""
    scores = query.double() @ key.double().mT / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(~keep, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value.double(), weights


def projected(numbers, name, x):
    """What one projection makes of x."""
    bias = numbers.get(f"{name}.bias")
    bias = None if bias is None else bias.double()
    return functional.linear(x.double(), numbers[f"{name}.weight"].double(), bias)


def naive(numbers, query, key, value, keep=None, heads=H):
    """Multi-head attention from its definition: each head has features of its own."""
    inputs = zip(INNER, (query, key, value), strict=True)
    rows = (projected(numbers, name, x).unflatten(-1, (heads, -1)) for name, x in inputs)
    context, weights = attend(*(each.transpose(1, 2) for each in rows), keep)
    return projected(numbers, "w_out", context.transpose(1, 2).flatten(2)), weights


def run(module, query, key, value, **options):
    """Output and weights of a converted attention, one map for each head."""
    options = {"average_attn_weights": False} | options
    got = module(query=query, key=key, value=value, **options)
    is_pair(got)
    is_array(got[0], "output")
    is_array(got[1], "weights")
    return got


def both_equal(got, right):
    """The weights are right, which are looked at first, and so is the output."""
    equal(got[1], right[1], what="weights")
    equal(got[0], right[0], what="output")


def hidden(submission, mask):
    """What builtin_mask returns, if it has the right shape and a dtype that the built-in takes: it
    adds a mask of float32 to the scores, and refuses other numbers."""
    got = submission.builtin_mask(mask)
    has_shape(got, mask.shape)
    if got.dtype != torch.float32:
        has_dtype(got, "bool")
    return got


def fused(submission, query, key, value, *mask):
    """What the fused attention gives is attention as it is defined."""
    got = submission.fused_attention(query, key, value, *mask)
    equal(got, attend(query, key, value, *mask)[0])


# The idea


# to_builtin


def test_the_built_in_has_four_parameters(submission):
    """nn.MultiheadAttention has four parameters where exercise 09 has eight: `in_proj_weight` and
    `in_proj_bias` hold three projections each, and `out_proj` is the fourth."""
    module = submission.to_builtin(attention_with(submission, drawn()))
    shapes = {
        "in_proj_weight": (3 * E, E),
        "in_proj_bias": (3 * E,),
        "out_proj.weight": (E, E),
        "out_proj.bias": (E,),
    }
    has_parameters(module, shapes)


def test_the_built_in_knows_its_width_and_heads(submission):
    """The width E and the number of heads H are those of the attention: the weights alone do not
    say among how many heads they are shared."""
    module = converted(submission, drawn())
    found = given([module.number(name) for name in ("embed_dim", "num_heads")])
    equal(found, [E, H], what="(embed_dim, num_heads)")


def test_the_batch_comes_first(submission):
    """Inputs are (B, T, E), so the weights of all heads are (B, H, T, T). With the batch in second
    place the output has the same shape, but each token attends to those of other samples."""
    samples, tokens = one_of(B, 3, 4, 6), one_of(T, 7, 8, 9)
    x = normal(samples, tokens, E)
    output, weights = run(converted(submission, drawn()), x, x, x)
    has_shape(weights, (samples, H, tokens, tokens), "weights")
    has_shape(output, (samples, tokens, E), "output")


def test_in_proj_weight_stacks_query_key_and_value(submission):
    """`in_proj_weight` has the E rows of `w_query` on top, then those of `w_key`, then those of
    `w_value`: each as nn.Linear stores it, and with all heads in it."""
    numbers = drawn()
    own = converted(submission, numbers).parameters()
    equal(own.get("in_proj_weight"), packed(numbers, "weight"), what="`in_proj_weight`")


def test_in_proj_bias_stacks_query_key_and_value(submission):
    """`in_proj_bias` has the biases of queries, keys and values, in the order of the weights. The
    built-in starts with zeros there, which look right next to a new attention only."""
    numbers = drawn()
    own = converted(submission, numbers).parameters()
    equal(own.get("in_proj_bias"), packed(numbers, "bias"), what="`in_proj_bias`")


def test_out_proj_is_w_out(submission):
    """`out_proj` is `w_out`: the same weight, not transposed, and the same bias."""
    numbers = drawn()
    own = converted(submission, numbers).parameters()
    equal(own.get("out_proj.weight"), numbers["w_out.weight"], what="`out_proj.weight`")
    equal(own.get("out_proj.bias"), numbers["w_out.bias"], what="`out_proj.bias`")


def test_the_built_in_gives_the_same_output_and_weights(submission):
    """Called with `average_attn_weights=False`, it returns the output and the map of every head
    that multi-head attention has by its definition."""
    numbers, x = drawn(), normal(B, T, E)
    both_equal(run(converted(submission, numbers), x, x, x), naive(numbers, x, x, x))


def test_without_biases_the_built_in_has_none_either(submission):
    """An attention without biases becomes a built-in without biases, which would otherwise learn
    what the other cannot."""
    numbers = drawn(bias=False)
    module = converted(submission, numbers)
    equal_parameters(module, numbers)
    x = normal(B, T, E)
    both_equal(run(module, x, x, x), naive(numbers, x, x, x))
    found = given([name in module.parameters() for name in ("in_proj_bias", "out_proj.bias")])
    equal(found, [False, False], what="(in_proj_bias, out_proj.bias) are there")


# builtin_mask


def test_builtin_mask_hides_the_same_keys_in_the_built_in(submission):
    """An nn.MultiheadAttention under the mask that comes back hides the keys that the given mask
    hides, and no others: where it is given the mask of this kata, it hides the allowed ones."""
    builtin = nn.MultiheadAttention(E, H, batch_first=True)
    query = normal(B, T, E)
    for keys in (S, T):
        memory, mask = normal(B, keys, E), keep_mask(T, keys)
        with torch.no_grad():
            _, weights = builtin(query, memory, memory, attn_mask=hidden(submission, mask))
        equal(weights > 0, mask.expand(B, T, keys), what="what is attended to")


def test_builtin_mask_inverts_the_mask(submission, device):
    """What may be attended to is True here and False there, so that the answer is boolean too: an
    nn.MultiheadAttention adds a mask of numbers to the scores."""
    some = [*product((True, False), repeat=3)][1:-1]  # every row but all True and all False
    mask = given(one_of(((True, False, True), (False, False, True)), *product(some, repeat=2)))
    equal(submission.builtin_mask(mask), ~mask)


# fused_attention


def test_fused_attention_returns_the_output_alone(submission):
    """F.scaled_dot_product_attention never writes the weights down, and what is not there cannot
    be returned: a tensor (B, H, T, Dv) comes back, and no pair."""
    queries, keys, width = one_of(T, 3, 4, 6, 8), one_of(S, 9, 10), one_of(4, 3, 5, 7)
    inputs = normal(B, H, queries, D), normal(B, H, keys, D), normal(B, H, keys, width)
    has_shape(submission.fused_attention(*inputs), (B, H, queries, width))


def test_weights_are_the_softmax_of_scaled_products(submission, device):
    """Products 2·log 1, 2·log 2 and 2·log 5, divided by √4, become the weights 1/8, 2/8 and 5/8, in
    all samples and heads: without a mask every key counts, and the scale is there already."""
    query = given([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    key = [[math.log(x) for x in row] for row in ((1, 4, 1, 1), (2, 2, 1, 1), (5, 2, 1, 1))]
    value = given(nudged([[8.0, 0.0], [0.0, 8.0], [8.0, 8.0]], 2))
    right = given([[1.0, 2.0, 5.0], [4.0, 2.0, 2.0]]).double() / 8 @ value.double()
    inputs = (each.repeat(B, H, 1, 1) for each in (query, given(key), value))
    equal(submission.fused_attention(*inputs), right.repeat(B, H, 1, 1))


def test_the_scale_follows_the_width_of_queries_and_keys(submission):
    """The scale follows the width of queries and keys, which is 11 here, and not that of values."""
    fused(submission, normal(B, H, T, 11), normal(B, H, S, 11), normal(B, H, S, 4))


def test_true_means_may_attend_in_fused_attention(submission, device):
    """This function reads a mask as the kata does: under a causal mask with True for past and
    present no query sees the future."""
    mask = given([[s <= t for s in range(T)] for t in range(T)])
    fused(submission, normal(B, H, T, D), normal(B, H, T, D), normal(B, H, T, 4), mask)


def test_fused_attention_obeys_masks_of_any_pattern(submission):
    """Which keys are hidden is up to the mask, query by query: causal masks are only one kind, and
    they look different where there are more keys than queries."""
    lower = given([[s <= t + S - T for s in range(S)] for t in range(T)])
    for mask in (keep_mask(T, S), lower, keep_mask(T, T), keep_mask(3, 70)):
        shapes = zip((*mask.shape, mask.shape[1]), (D, D, 4), strict=True)
        fused(submission, *(normal(B, H, *each) for each in shapes), mask)


def test_each_sample_and_head_has_its_own_mask(submission, device):
    """A mask may differ from sample to sample and from head to head."""
    inputs = (normal(B, H, T, D), normal(B, H, S, D), normal(B, H, S, 4))
    fused(submission, *inputs, keep_mask(B, H, T, S))


# The fine print


# to_builtin


def test_weights_are_averaged_over_heads_by_default(submission):
    """Unless it is told otherwise, nn.MultiheadAttention returns the mean of all heads' weights,
    (B, T, T): callers of a built-in rely on that."""
    numbers, x = drawn(), normal(B, T, E)
    got = converted(submission, numbers)(query=x, key=x, value=x)
    is_pair(got)
    output, weights = naive(numbers, x, x, x)
    both_equal(got, (output, weights.mean(dim=1)))


def test_true_hides_a_key_in_the_built_in(submission):
    """Under an `attn_mask` the module hides a key where the mask is True, as every
    nn.MultiheadAttention does: it takes the mask that builtin_mask gives, not one of this kata."""
    numbers, query, key, value = drawn(), normal(B, T, E), normal(B, S, E), normal(B, S, E)
    keep = keep_mask(T, S)
    got = run(converted(submission, numbers), query, key, value, attn_mask=~keep)
    both_equal(got, naive(numbers, query, key, value, keep))


def test_any_number_of_heads_can_be_converted(submission):
    """One head, 18 heads of one feature, or 3 heads of 3: sizes follow from the attention."""
    for width, heads in ((E, 1), (E, E), (9, 3)):
        numbers, x = drawn(width), normal(B, T, width)
        got = run(converted(submission, numbers, heads), x, x, x)
        both_equal(got, naive(numbers, x, x, x, heads=heads))


def test_the_new_parameters_get_gradients(submission):
    """The new parameters can be trained: each gets the gradients of those that it holds."""
    numbers, x = drawn(grad=True), normal(B, T, E)
    plain = {name: each.detach() for name, each in numbers.items()}
    module = converted(submission, plain)
    output, _ = run(module, x, x, x)
    right, _ = naive(numbers, x, x, x)
    equal(output, right, what="output")
    backward(output)
    found = module.gradients()
    expected = dict(zip(numbers, gradients(right, *numbers.values()), strict=True))
    keys = (
        torch.arange(3 * E) // E == 1
    )  # their bias shifts all scores alike: zero but for rounding
    for name, each in right_parameters(expected).items():
        where = ~keys if name == "in_proj_bias" else None
        equal_gradient(found.get(name), each, f"`{name}`", where=where)


def test_the_attention_stays_as_it_is(submission):
    """The attention that was converted keeps its numbers and its mode, and still learns."""
    numbers = drawn()
    attention = attention_with(submission, numbers)
    equal_parameters(submission.to_builtin(attention), numbers)
    own = attention.parameters()
    for name, each in numbers.items():
        equal(own.get(name), each, what=f"`{name}` of the attention")
    equal(given([attention.number("training")]), [True], what="`training` of the attention")
    for name in PROJECTIONS:
        backward(attention.part(name)(normal(B, T, E)))
    for name, each in attention.gradients().items():
        has_shape(each, numbers[name].shape, f"the gradient of `{name}`")


def test_the_built_in_shares_no_parameter_with_the_attention(submission):
    """Training one of the two leaves the other alone: no parameter belongs to both."""
    numbers, others = drawn(), drawn()
    attention = attention_with(submission, numbers)
    module = submission.to_builtin(attention)
    is_module(module)
    attention.load(others)
    equal_parameters(module, numbers, where=" after the attention was trained")
    module.load(right_parameters(drawn()))
    own = attention.parameters()
    for name, each in others.items():
        equal(
            own.get(name), each, what=f"`{name}` of the attention, after the built-in was trained"
        )


def test_each_conversion_is_new(submission):
    """An attention that was trained on is converted with the numbers that it has now, and what was
    made before keeps the old ones; so do two attentions of the same size."""
    numbers, others, last = drawn(), drawn(), drawn()
    attention = attention_with(submission, numbers)
    first = submission.to_builtin(attention)
    equal_parameters(first, numbers)
    second = submission.to_builtin(attention.load(others))
    third = submission.to_builtin(attention_with(submission, last))
    equal_parameters(second, others, where=" of the second")
    equal_parameters(third, last, where=" of the third")
    equal_parameters(first, numbers, where=" of the first, after the others")


# builtin_mask


def test_builtin_mask_keeps_axes_of_length_one(submission):
    """One query or one key is an axis too: a mask has two dimensions, whatever their lengths."""
    for shape in ((1, one_of(S, 5, 6, 8, 9)), (one_of(T, 6, 7, 8), 1), (1, 1)):
        mask = given([[(t + s) % 2 == 0 for s in range(shape[1])] for t in range(shape[0])])
        equal(submission.builtin_mask(mask), ~mask)


def test_the_mask_stays_as_it_is(submission):
    """The mask belongs to the caller, who may want to give it to the other built-in as it is."""
    mask = keep_mask(S, T)
    equal(hidden(submission, mask), ~mask)
    arguments_kept()


def test_each_mask_is_new(submission):
    """A second mask of the same size gives an answer of its own, and leaves the first one alone."""
    one, other = keep_mask(T, S), keep_mask(T, S)
    first, second = hidden(submission, one), hidden(submission, other)
    equal(second, ~other, what="the second mask")
    equal(first, ~one, what="the first mask, after the second")


# fused_attention


def test_there_may_be_any_number_of_leading_dimensions(submission):
    """Leading dimensions repeat, however many there are, none included, and a mask (T, S) serves
    all of them."""
    mask = keep_mask(T, S)
    for leading in ((), (B,), (B, H), (B, 4, H)):
        inputs = (normal(*leading, T, D), normal(*leading, S, D), normal(*leading, S, 4))
        fused(submission, *inputs)
        fused(submission, *inputs, mask)


def test_fused_attention_takes_its_arguments_by_name(submission):
    """`query`, `key`, `value` and `mask` can be given by name, in any order."""
    query, key, value, mask = normal(T, D), normal(S, D), normal(S, 4), keep_mask(T, S)
    got = submission.fused_attention(mask=mask, value=value, key=key, query=query)
    equal(got, attend(query, key, value, mask)[0])


def test_hidden_keys_get_nothing(submission):
    """A hidden key gets exactly nothing, though its score is 1,000 and that of the only key which
    is left −1,000; and scores of ±1,000 give no NaN."""
    query, key = given([[40.0], [-40.0]]), given([[25.0], [-25.0], [24.0]])
    mask = given([[False, True, False], [True, False, False]])
    value = given(nudged([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 0.3))
    equal(submission.fused_attention(query, key, value, mask), value[[1, 0]])


def test_large_scores_need_no_mask(submission):
    """Without a mask too scores of ±1,000 give no NaN, and none is cut off: 1,000 lies so far above
    960 that it takes all the weight."""
    query, key = given([[40.0], [-40.0]]), given([[25.0], [-25.0], [24.0]])
    value = given(nudged([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 0.3))
    equal(submission.fused_attention(query, key, value), value[:2])


def test_inputs_may_be_views(submission):
    """Heads that were split off by a transpose do not lie in memory in order, nor does a mask that
    was transposed; what counts is the shape."""
    query, key, value = (normal(B, n, H, d).transpose(1, 2) for n, d in ((T, D), (S, D), (S, 4)))
    fused(submission, query, key, value, keep_mask(T, S).mT.contiguous().mT)


def test_a_mask_with_sizes_of_one_broadcasts(submission):
    """A size of 1 stands for all: all samples, all heads, or all queries."""
    inputs = (normal(B, H, T, D), normal(B, H, S, D), normal(B, H, S, 4))
    for shape in ((1, S), (B, 1, T, S), (B, 1, 1, S), (1, H, T, S), (1, 1, T, S), (1, T, S)):
        fused(submission, *inputs, keep_mask(*shape))


def test_without_heads_each_sample_has_its_own_mask(submission):
    """For (B, T, D) a mask (B, T, S) has one map for each sample, and (B, 1, S) is what
    padding_mask of exercise 05 gives."""
    inputs = (normal(B, T, D), normal(B, S, D), normal(B, S, 4))
    for shape in ((B, T, S), (B, 1, S)):
        fused(submission, *inputs, keep_mask(*shape))


def test_with_as_many_samples_as_heads_masks_belong_to_heads(submission):
    """A mask (H, T, S) has one map for each head, also where there are as many samples: missing
    dimensions are added in front."""
    inputs = (normal(H, H, T, D), normal(H, H, S, D), normal(H, H, S, 4))
    fused(submission, *inputs, keep_mask(H, T, S))


def test_every_size_may_be_one(submission):
    """One sample, one head, one query, one key, one feature: an axis of length 1 stays an axis."""
    for b, h, t, s, d in ((1, 1, 1, 1, 1), (1, H, T, S, D), (B, 1, 1, S, D), (B, H, T, 1, 1)):
        inputs = (normal(b, h, t, d), normal(b, h, s, d), normal(b, h, s, d))
        fused(submission, *inputs, given([[True] * s]))


def test_a_mask_works_under_no_grad(submission):
    """Under torch.no_grad() a mask hides what it hides while gradients are recorded."""
    with torch.no_grad():
        fused(submission, normal(T, D), normal(S, D), normal(S, 4), keep_mask(T, S))


def test_inputs_get_gradients(submission):
    """Query, key and value learn, all three, and under a mask too."""
    for mask in ((), (keep_mask(T, S),)):
        shapes = {"query": (B, T, D), "key": (B, S, D), "value": (B, S, 4)}
        inputs = {name: normal(*shape, grad=True) for name, shape in shapes.items()}
        output = submission.fused_attention(*inputs.values(), *mask)
        right, _ = attend(*inputs.values(), *mask)
        equal(output, right)
        found, expected = (gradients(each, *inputs.values()) for each in (output, right))
        for name, *both in zip(inputs, found, expected, strict=True):
            equal_gradient(*both, f"`{name}`")


def test_arguments_stay_as_they_are(submission):
    """Query, key, value and mask belong to the caller, who may need them again."""
    for mask in (keep_mask(T, S), keep_mask(B, T, S)):
        fused(submission, normal(B, T, D), normal(B, S, D), normal(B, S, 4), mask)
    arguments_kept()


def test_a_call_remembers_nothing(submission):
    """A call leaves nothing behind: the next one may have another mask of the same size, or none,
    and changes no earlier output."""
    query, key, value = normal(B, T, D), normal(B, S, D), normal(B, S, 4)
    mask, other = keep_mask(T, S), keep_mask(T, S)
    first = submission.fused_attention(query, key, value, mask)
    equal(first, attend(query, key, value, mask)[0])
    fused(submission, -query, key, -value, other)
    fused(submission, query, key, value)
    equal(first, attend(query, key, value, mask)[0], what="the first output, after later calls")
