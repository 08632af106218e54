"""What grouped queries are: H heads of queries that share G heads of keys and values.

Every claim about values of the module puts the suite's own numbers into it and computes what must
come out, one head of queries at a time.
"""

import math
from functools import partial

import numpy as np
import torch

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
    is_exactly,
    is_module,
    is_pair,
    moves_along,
    raises,
)
from kata.judging.inputs import given, in_any_order, keep_mask, normal, numpy, one_of

B, G, H, S, D = 4, 2, 6, 5, 8
E = H * D
PROJECTIONS = ("w_query", "w_key", "w_value", "w_out")


def repeated(x, times):
    """One copy after the other: those of head 0, then those of head 1."""
    heads = numpy(x)
    copies = [heads[:, g] for g in range(heads.shape[1]) for _ in range(times)]
    return np.stack(copies, axis=1)


def repeats(submission, x, times, dtype=""):
    """The heads of x come back, repeated."""
    equal(submission.repeat_heads(x, times), repeated(x, times), dtype=dtype)


def sizes(width=E, kv_heads=G, heads=H):
    """The shapes of the four weights."""
    shared = kv_heads * width // heads
    outputs = (width, shared, shared, width)
    return {f"{name}.weight": (out, width) for name, out in zip(PROJECTIONS, outputs, strict=True)}


def drawn(width=E, kv_heads=G, heads=H, bias=False, grad=False):
    """Numbers for all four projections."""
    shapes = sizes(width, kv_heads, heads)
    numbers = {name: normal(*shape, scale=width**-0.5) for name, shape in shapes.items()}
    if bias:
        numbers |= {
            f"{name[:-7]}.bias": normal(shape[0], scale=0.5) for name, shape in shapes.items()
        }
    return {name: each.requires_grad_(grad) for name, each in numbers.items()}


def made(submission, numbers, kv_heads=G, heads=H, device="", **options):
    """A module with these numbers in it."""
    width = numbers["w_out.weight"].shape[0]
    module = submission.GroupedQueryAttention(
        d_model=width, num_heads=heads, num_kv_heads=kv_heads, **options
    )
    is_module(module)
    module.load(numbers)
    return module.to(device) if device == "cuda" else module


def pair(got):
    """Output and weights, if that is what came back."""
    is_pair(got)
    is_array(got[0], "output")
    is_array(got[1], "weights")
    return got


def softmax(scores):
    """Weights of arrays or tensors."""
    if hasattr(scores, "detach"):
        return scores.softmax(dim=-1)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def exact(values, grad):
    """In float64 on the CPU: arrays, which are faster, or tensors where gradients are wanted."""
    return values.cpu().double() if grad else values.detach().cpu().numpy().astype(np.float64)


def naive(numbers, x, kv_heads=G, heads=H, keep=None):
    """Each head of queries, its block of each matrix, and the block of its group: all in float64.

    keep: a mask spelled out to four dimensions, any of which may be 1.
    """
    grad = any(each.requires_grad for each in (x, *numbers.values()))
    known = {name: exact(each, grad) for name, each in numbers.items()}
    tokens, width = exact(x, grad), x.shape[-1] // heads
    output, maps = known.get("w_out.bias", 0), []

    def project(name, head):
        own = slice(head * width, (head + 1) * width)
        features = tokens @ known[f"{name}.weight"][own].T
        bias = known.get(f"{name}.bias")
        return features if bias is None else features + bias[own]

    for head in range(heads):
        group = head // (heads // kv_heads)
        scores = project("w_query", head) @ project("w_key", group).swapaxes(1, 2)
        scores = scores / math.sqrt(width)
        if keep is not None:
            shown = numpy(keep)
            shown = shown[:, head if shown.shape[1] > 1 else 0]
            hidden = 1e300 * ~shown
            scores = scores - (given(hidden, dtype="float64").cpu() if grad else hidden)
        maps.append(softmax(scores))
        block = known["w_out.weight"][:, head * width : (head + 1) * width]
        output = output + maps[-1] @ project("w_value", group) @ block.T
    return output, None if grad else np.stack(maps, axis=1)


def both_equal(got, right, where="", dtype=""):
    """The weights are right, which are looked at first, and so is the output."""
    output, weights = pair(got)
    equal_in(dtype, weights, right[1], f"weights{where}")
    equal_in(dtype, output, right[0], f"output{where}")


def equal_in(dtype, got, right, what):
    """In float64 no more digits count than float32 has: a softmax may be made in float32."""
    if dtype == "float64":
        has_dtype(got, dtype, what)
        got, dtype = got.float(), ""
    equal(got, right, what=what, dtype=dtype)


def check(submission, numbers, x, mask=None, keep=None, kv_heads=G, heads=H, **options):
    """A module with these numbers gives what it must."""
    module = made(submission, numbers, kv_heads, heads, **options)
    keep = mask if keep is None else keep
    got = module(x) if mask is None else module(x, mask)
    both_equal(got, naive(numbers, x, kv_heads, heads, keep))


def no_bias(module):
    """The four projections are there, and none has a bias."""
    has_parameters(module, sizes())
    names = [f"{name}.bias" for name in PROJECTIONS]
    own = module.parameters(*names)
    found = given([name in own for name in names])
    equal(found, [False] * 4, what="(w_query, w_key, w_value, w_out) with a bias")


# The idea


# repeat_heads


def test_copies_of_a_head_stand_next_to_each_other(submission):
    """Heads 3 and 4, twice each, are 3 3 4 4, and not 3 4 3 4: neighbouring heads of queries meet
    copies of one and the same head of keys."""
    a, b = (np.full((3, S, D), each) for each in in_any_order([3.0, 4.0]))
    x = given(np.stack([a, b], axis=1))
    equal(submission.repeat_heads(x, 2), np.stack([a, a, b, b], axis=1))


def test_a_copy_has_all_tokens_and_features_in_their_places(submission):
    """A head is repeated whole: copies have the tokens and the features of the head, as many and in
    the same order."""
    alike = normal(1, 2, S, D).repeat(7, 1, 1, 1)  # which sample it is does not matter yet
    repeats(submission, alike, 2)


def test_samples_keep_their_own_heads(submission, device):
    """With four samples, every copy stays with its sample."""
    repeats(submission, normal(B, 2, S, D), 2)


def test_heads_are_repeated_as_often_as_asked(submission):
    """`times` may be any number from 1 on; once means that heads come back as they are."""
    for times in (1, 2, one_of(5, 6, 7), 16):
        x = normal(B, 3, S, D)
        equal(submission.repeat_heads(x=x, times=times), repeated(x, times))


def test_the_heads_are_the_second_dimension_whatever_the_sizes(submission):
    """As many heads as samples, tokens, features or copies: sizes do not say which dimension is
    repeated, places do."""
    for shape, times in (
        ((3, 3, 3, 3), 3),
        ((2, 5, 5, 7), 2),
        ((4, 6, 5, 6), 6),
        ((2, 3, 7, 7), 4),
    ):
        repeats(submission, normal(*shape), times)


# cache_size


def test_keys_and_values_both_count(submission):
    """One layer, one head of one feature, one token: one number for the key and one for the
    value."""
    is_exactly(submission.cache_size(1, 1, 1, 1), 2, "cache_size(1, 1, 1, 1)")


def test_layers_heads_features_and_tokens_all_count(submission):
    """Each layer has a cache of its own, and in it each head of each token has D features: 3
    layers, 2 heads, 8 features and 50 tokens make 4,800 numbers."""
    for sizes in in_any_order(((3, 2, 8, 50), (1, 2, 8, 50), (3, 1, 8, 50), (3, 2, 8, 7))):
        count = 2 * math.prod(sizes)
        is_exactly(submission.cache_size(*sizes), count, f"cache_size{sizes}")


# GroupedQueryAttention


def test_keys_and_values_are_projected_to_fewer_features(submission):
    """`w_query` and `w_out` are nn.Linear from E to E features, `w_key` and `w_value` from E to
    G·D; each is registered and has parameters of its own."""
    module = submission.GroupedQueryAttention(d_model=E, num_heads=H, num_kv_heads=G)
    has_parameters(module, sizes())


def test_the_features_of_keys_follow_the_number_of_their_heads(submission):
    """One head, three or as many as queries: `w_key` and `w_value` have D features for each."""
    for kv_heads in in_any_order((1, 3, H)):
        module = submission.GroupedQueryAttention(E, H, kv_heads)
        has_parameters(module, sizes(kv_heads=kv_heads))


def test_with_bias_false_no_projection_has_one(submission):
    """`bias=False` takes the bias away from all four projections."""
    no_bias(submission.GroupedQueryAttention(E, H, G, bias=False))


def test_there_is_no_bias_unless_asked_for(submission):
    """Without a word about it no projection has a bias."""
    no_bias(submission.GroupedQueryAttention(E, H, G))


def test_calling_the_module_returns_output_and_weights(submission):
    """Calling the module runs its `forward`, which returns two tensors: the output, and the
    weights of every head of queries."""
    module = submission.GroupedQueryAttention(d_model=E, num_heads=H, num_kv_heads=G)
    is_module(module)
    x = normal(one_of(B, 3, 7), S, E)
    found = any(each.numel() == x.numel() for each in pair(module(x)))
    equal(given([found]), [True], what="whether one of the two is as large as x")


def test_each_head_of_queries_has_weights_of_its_own(submission, device):
    """Heads of queries 0, 1 and 2 look at head 0 of the keys, and 3, 4 and 5 at head 1, each with
    features of its own: the weights are (B, H, S, S)."""
    numbers, x = drawn(), normal(B, S, E)
    _, weights = pair(made(submission, numbers, device=device)(x))
    equal(weights, naive(numbers, x)[1], what="weights")


def test_each_head_takes_the_values_of_its_group(submission):
    """Without a mixing `w_out`, head h of queries stands at the features h·D to (h+1)·D − 1 of the
    output, made of the values of its group."""
    numbers, x = drawn(), normal(B, S, E)
    numbers["w_out.weight"] = given(np.eye(E))
    output, _ = pair(made(submission, numbers)(x))
    equal(output, naive(numbers, x)[0], what="output")


def test_the_output_layer_mixes_all_heads(submission, device):
    """The merged heads, all of them, go through `w_out`."""
    numbers, x = drawn(), normal(B, S, E)
    output, _ = pair(made(submission, numbers, device=device)(x))
    equal(output, naive(numbers, x)[0], what="output")


def test_a_head_of_keys_reaches_its_own_group_alone(submission):
    """If head 1 of the keys gets other weights, the maps of the heads of queries 3, 4 and 5 change,
    and those of 0, 1 and 2 stay."""
    numbers, x = drawn(), normal(B, S, E)
    module = made(submission, numbers)
    before = pair(module(x))[1]
    numbers["w_key.weight"][D:] = normal(D, E, scale=0.5)
    after = pair(module.load(numbers)(x))[1]
    right = naive(numbers, x)[1]
    equal(after[:, : H // G], before[:, : H // G], what="weights of the heads 0, 1 and 2")
    equal(after[:, H // G :], right[:, H // G :], what="weights of the heads 3, 4 and 5")


def test_all_heads_may_share_or_none(submission):
    """With G = H no head shares, which is multi-head attention; with G = 1, multi-query attention,
    all heads of queries use the same keys and values."""
    for kv_heads in (H, 1):
        check(submission, drawn(kv_heads=kv_heads), normal(B, S, E), kv_heads=kv_heads)


def test_split_and_scale_follow_from_the_sizes(submission):
    """Other widths, heads and groups: 4 heads of 5 features share 2, and 9 of 2 share 3."""
    for width, heads, kv_heads in ((20, 4, 2), (18, 9, 3)):
        numbers, x = drawn(width, kv_heads, heads), normal(3, 7, width)
        check(submission, numbers, x, kv_heads=kv_heads, heads=heads)


def test_equal_sizes_do_not_mix_up_dimensions(submission):
    """Four samples, heads, tokens and features of a head, or as many tokens as groups: dimensions
    have places, not sizes."""
    for samples, tokens in ((4, 4), (2, 2)):
        numbers, x = drawn(16, 2, 4), normal(samples, tokens, 16)
        check(submission, numbers, x, heads=4)


def test_a_mask_of_two_dimensions_holds_for_all_samples_and_heads(submission, device):
    """A mask (S, S) holds for every sample and every head of queries: row t says what query t may
    attend to, True means "may attend", and a hidden key gets weight zero."""
    mask = keep_mask(S, S)
    check(submission, drawn(), normal(B, S, E), mask, mask[None, None], device=device)


# The fine print


# repeat_heads


def test_repeated_numbers_keep_their_dtype(submission):
    """Numbers are copied and not computed with: integers of 60 bits, which no float holds,
    booleans, and float64 with infinities among them come back as they were."""
    whole = numpy(normal(2, 3, S, D, scale=1e12)).astype(np.int64)
    wide = np.where(abs(whole) > 2e12, np.sign(whole) * np.inf, whole / 7)
    for dtype, values in (("int64", whole * 2**20 + 1), ("bool", whole > 0), ("float64", wide)):
        repeats(submission, given(values, dtype=dtype), 2, dtype)


def test_heads_may_be_views(submission):
    """Heads come out of a transpose or of a slice: what counts is the shape, and not in which order
    the numbers lie in memory."""
    for x in (
        normal(B, S, 3, D).transpose(1, 2),
        normal(B, 3, D, S).transpose(2, 3),
        normal(B, 3, S, 2 * D)[..., 1::2],
        normal(B, 1, S, D).expand(B, 3, S, D),
    ):
        repeats(submission, x, 2)


def test_dimensions_of_length_one_stay(submission):
    """One sample, one head, one token, one feature: four dimensions go in and four come out, and
    one head is repeated like many."""
    for shape in ((B, 1, S, D), (1, 1, 1, 1), (1, 2, 1, 3), (2, 1, 3, 1)):
        repeats(submission, normal(*shape), 2)


def test_the_gradient_of_a_head_is_the_sum_over_its_copies(submission):
    """Whatever a copy contributes comes back to the head that it was made from: its gradient is the
    sum over all copies. So it is if there is one head, or one copy."""
    for heads, times in ((3, 3), (3, 1), (1, 3)):
        x = normal(2, heads, S, D, grad=True)
        got = submission.repeat_heads(x, times)
        equal(got, repeated(x, times))
        steps = np.linspace(-1, 1, 2 * heads * times * S * D).reshape(2, heads, times, S, D)
        equal_gradient(gradients(got, x)[0], steps.sum(axis=2), "`x`")


# cache_size


def test_counts_are_exact_however_large(submission):
    """A model of 80 layers needs 1,342,177,280 numbers for 8,192 tokens; a count is an integer and
    stays exact where a float would not be."""
    for sizes in ((80, 8, 128, 8192), (127, 9, 129, 10**12 + one_of(1, 3, 7))):
        count = 2 * math.prod(sizes)
        is_exactly(submission.cache_size(*sizes), count, f"cache_size{sizes}")


def test_without_tokens_a_cache_is_empty(submission):
    """Before the first token there are no keys and no values: 0."""
    is_exactly(submission.cache_size(2, 4, 8, 0), 0, "cache_size(2, 4, 8, 0)")


def test_cache_size_takes_its_arguments_by_name(submission):
    """`num_layers`, `num_kv_heads`, `head_dim` and `tokens` can be given by name, in any order."""
    named = {"tokens": 100, "head_dim": 8, "num_kv_heads": 4, "num_layers": 2}
    is_exactly(submission.cache_size(**named), 12800, "cache_size of the example")


# GroupedQueryAttention


def test_with_bias_all_four_projections_have_one(submission):
    """`bias=True` gives all four a bias, as wide as their output; it comes fourth, after the
    numbers of heads."""
    shapes = sizes()
    shapes |= {f"{name[:-7]}.bias": shape[:1] for name, shape in shapes.items()}
    has_parameters(submission.GroupedQueryAttention(E, H, G, True), shapes)


def test_biases_are_added(submission):
    """Each projection adds its bias, and `w_out` adds it after the heads were merged."""
    check(submission, drawn(bias=True), normal(B, S, E), bias=True)


def test_forward_takes_its_arguments_by_name(submission):
    """`x` and `mask` can be given by name."""
    numbers, x, mask = drawn(), normal(B, S, E), keep_mask(S, S)
    got = made(submission, numbers)(mask=mask, x=x)
    both_equal(got, naive(numbers, x, keep=mask[None, None]))


def test_float64_stays_float64(submission):
    """A module moved to float64 returns float64, even if its softmax is made in float32."""
    numbers, x = drawn(bias=True), normal(B, S, E, dtype="float64")
    mask = keep_mask(S, S)
    module = made(submission, numbers, bias=True).to("float64")
    for given_mask, keep in ((mask, mask[None, None]), (None, None)):
        both_equal(module(x, given_mask), naive(numbers, x, keep=keep), dtype="float64")


def test_hidden_keys_get_exactly_zero_weight(submission):
    """A hidden key gets exactly nothing, also where its score is above all others: by a thousand
    in sample 0, and by 19,000 in the other samples, where all that may be seen score less than
    −9,900."""
    numbers, x, mask = drawn(), normal(B, S, E), keep_mask(S, S)
    for name, feature in (("w_query.weight", 0), ("w_key.weight", 1)):
        numbers[name] = given(np.zeros(numbers[name].shape))
        numbers[name][::D, feature] = 1.0  # the first feature of each head, and no other
    x[..., 0] = 150.0
    x[0, :, 0] = 15.0
    x[..., 1] = given([188.0] + [0.2 * t - 188.0 for t in range(1, S)])
    mask[:, 0], mask[:, 1] = False, True  # nobody sees the key that scores highest
    _, weights = pair(made(submission, numbers)(x, mask))
    right = naive(numbers, x, keep=mask[None, None])[1]
    equal(weights, right, where=~mask, what="weights")
    found = (weights != 0) & ~mask
    equal(found, np.zeros((B, H, S, S), bool), what="hidden keys with a weight")


def test_a_mask_can_hide_different_keys_from_each_sample(submission):
    """A mask (B, 1, S, S) has a map for each sample, which all heads of queries use."""
    check(submission, drawn(), normal(B, S, E), keep_mask(B, 1, S, S))


def test_a_mask_can_hide_different_keys_from_each_head_of_queries(submission):
    """A mask (B, H, S, S) has a map for each head of queries, whether they share their keys in
    groups, all of them share one head, or none shares."""
    for kv_heads in (G, 1, H):
        numbers, x = drawn(kv_heads=kv_heads), normal(B, S, E)
        check(submission, numbers, x, keep_mask(B, H, S, S), kv_heads=kv_heads)


def test_mask_dimensions_of_length_one_broadcast(submission):
    """Any dimension of a mask may be 1 and then stands for all: (1, S), (B, 1, 1, S), as padding
    has it, (1, H, S, S), (1, H, 1, S), (B, H, 1, S), or (S, 1), which then shows every key."""
    numbers, x = drawn(), normal(B, S, E)
    module = made(submission, numbers)
    of_heads = (1, H, S, S), (1, H, 1, S), (B, H, 1, S)
    for shape in ((1, S), (B, 1, 1, S), *of_heads, (1, 1, S, S), (S, 1)):
        mask = keep_mask(*shape) if shape[-1] > 1 else given(np.ones(shape, bool))
        right = naive(numbers, x, keep=mask.reshape((1, 1, *shape)[-4:]))
        both_equal(module(x, mask), right, where=f" under a mask {shape}")


def test_masks_of_equal_sizes_do_not_mix_up_dimensions(submission):
    """Six samples, heads and tokens: (S, S) stays one map for all, and (B, 1, S, S) one for each
    sample."""
    numbers, x = drawn(), normal(H, H, E)
    for shape in ((H, H), (H, 1, H, H), (1, H, H, H)):
        mask = keep_mask(*shape)
        check(submission, numbers, x, mask, mask.reshape((1, 1, *shape)[-4:]))


def test_inputs_may_be_views(submission):
    """x and mask may be transposed, sliced or expanded: what counts is the shape, and not in which
    order the numbers lie in memory."""
    numbers, mask = drawn(), keep_mask(S, S).T.contiguous().T
    of_heads = keep_mask(H, B, S, S).transpose(0, 1)
    for x, each in (
        (normal(S, B, E).transpose(0, 1), mask),
        (normal(B, E, S).transpose(1, 2), mask),
        (normal(B, S, 2 * E)[..., ::2], of_heads),
        (normal(1, S, E).expand(B, S, E), mask),
    ):
        check(submission, numbers, x, each, each if each.ndim == 4 else each[None, None])


def test_every_size_may_be_one(submission):
    """One sample, one token, one head, or one feature in each head: a dimension of length 1 is a
    dimension."""
    numbers = drawn()
    for samples, tokens in ((1, S), (B, 1), (1, 1)):
        check(submission, numbers, normal(samples, tokens, E))
    for width, kv_heads, heads in ((D, 1, 1), (4, 2, 4)):
        x = normal(B, S, width)
        check(submission, drawn(width, kv_heads, heads), x, kv_heads=kv_heads, heads=heads)


def test_a_text_may_be_long(submission):
    """No number of tokens is built in: here there are 80, and 4 heads of 3 features share 1."""
    check(submission, drawn(12, 1, 4), normal(3, 80, 12), kv_heads=1, heads=4)


def test_inputs_get_gradients(submission):
    """Whatever comes before attention learns through queries, keys and values, all three, also
    where all heads of queries share one head of keys."""
    for kv_heads in (G, 1):
        numbers, x = drawn(kv_heads=kv_heads), normal(B, S, E, grad=True)
        output, _ = pair(made(submission, numbers, kv_heads)(x))
        right, _ = naive(numbers, x, kv_heads)
        equal(output, right, what="output")
        equal_gradient(gradients(output, x)[0], gradients(right, x)[0], "`x`")


def test_projections_get_gradients(submission):
    """All four projections learn, under a mask too; a head of keys learns from all heads of
    queries in its group."""
    numbers, x, mask = drawn(bias=True, grad=True), normal(B, S, E), keep_mask(S, S)
    module = made(submission, numbers, bias=True)
    output, _ = pair(module(x, mask))
    right, _ = naive(numbers, x, keep=mask[None, None])
    equal(output, right, what="output")
    backward(output)
    found, expected = module.gradients(), gradients(right, *numbers.values())
    for name, gradient in zip(numbers, expected, strict=True):
        if name != "w_key.bias":  # it shifts all scores of a query alike: zero but for rounding
            equal_gradient(found[name], gradient, f"`{name}`")


def test_training_and_evaluation_are_the_same(submission):
    """The mode makes no difference, and nothing is kept for a later call in either, with gradients
    or without: in evaluation, too, every call has its own keys alone, and takes the weights of
    the projections as they are then."""
    mask, module = keep_mask(S, S), made(submission, drawn())
    for switch, learns in ((module.eval, True), *[(module.eval, False)] * 2, (module.train, True)):
        numbers, x = drawn(), normal(B, S, E)
        with torch.set_grad_enabled(learns):
            got = switch().load(numbers)(x, mask)
        both_equal(got, naive(numbers, x, keep=mask[None, None]))


def test_the_module_moves_to_another_device(submission):
    """`.to()` takes the module to another device, and its calls make what they need there: here
    "meta", where tensors have shapes and no numbers."""
    module, outputs = made(submission, drawn()).to("meta"), []
    x, mask = normal(B, S, E).to("meta"), keep_mask(S, S).to("meta")
    for given_mask in (None, mask):
        moves_along(lambda given_mask=given_mask: outputs.append(pair(module(x, given_mask))[0]))
    for output in outputs:
        has_shape(output, (B, S, E), "output")


def test_modules_of_different_groups_share_nothing(submission):
    """A model has many of them: building or calling another one changes nothing in the first."""
    numbers, x = drawn(), normal(B, S, E)
    module = made(submission, numbers)
    other = drawn(kv_heads=3, heads=12)
    check(submission, other, x, kv_heads=3, heads=12)
    both_equal(module(x), naive(numbers, x))


# repeat_heads and GroupedQueryAttention


def test_arguments_stay_as_they_are(submission):
    """Heads, x and mask belong to the caller, who may need them again, be it with gradients or
    without."""
    for times in (1, 2):
        heads = normal(2, 3, S, D)
        repeats(submission, heads, times)
    numbers = drawn()
    module = made(submission, numbers)
    for mask in (keep_mask(S, S), keep_mask(B, 1, S, S)):
        x = normal(B, S, E)
        with torch.set_grad_enabled(mask.ndim == 2):
            got = module(x, mask)
        arguments_kept()
        keep = mask if mask.ndim == 4 else mask[None, None]
        both_equal(got, naive(numbers, x, keep=keep))


def test_calls_do_not_affect_each_other(submission):
    """A call leaves nothing behind and changes no earlier result, where no gradients are wanted
    either: the next one may have other sizes, or the same sizes and other numbers, and no mask or
    another one."""
    heads, numbers, x, mask = normal(2, 3, S, D), drawn(), normal(B, S, E), keep_mask(B, 1, S, S)
    copies, module = submission.repeat_heads(heads, 2), made(submission, numbers).eval()
    with torch.no_grad():
        first, bare = pair(module(x, mask)), pair(module(x))
        for samples, tokens in ((B, S), (B, 7), (3, 1)):
            repeats(submission, normal(2, 3, S, D), 2)
            other = normal(samples, tokens, E)
            both_equal(module(other), naive(numbers, other), where=" of a later call")
        other, another = normal(B, S, E), keep_mask(B, 1, S, S)
        right = naive(numbers, other, keep=another)
        both_equal(module(other, another), right, where=" under another mask")
    equal(copies, repeated(heads, 2), what="the first copies, after later ones")
    for got, keep in ((first, mask), (bare, None)):
        right = naive(numbers, x, keep=keep)
        both_equal(got, right, where=" of an early call, after later ones")


# Refusals


def test_the_heads_must_divide_the_width(submission):
    """20 features cannot be split into 6 equal heads, nor 3 into 6, however many heads the keys
    have: the constructor raises a ValueError that names both numbers."""
    more = one_of(22, 26, 27, 28, 29, 31), 6, 1
    for width, heads, kv_heads in in_any_order(((3, 6, 1), (20, 6, 3), more)):
        build = partial(submission.GroupedQueryAttention, width, heads, kv_heads)
        raises("ValueError", build, mentions=(width, heads))


def test_groups_must_divide_the_heads(submission):
    """6 heads of queries cannot share 5 or 4 heads of keys evenly, nor 7 or 12: the constructor
    raises a ValueError that names both numbers. 1, 2, 3 and 6 are fine."""
    for kv_heads in (one_of(7, 9, 10, 11), 5, 4, 12):
        build = partial(submission.GroupedQueryAttention, 24, 6, kv_heads)
        raises("ValueError", build, mentions=(6, kv_heads))
    for kv_heads in in_any_order((1, 2, 3, 6)):
        is_module(submission.GroupedQueryAttention(24, 6, kv_heads))
