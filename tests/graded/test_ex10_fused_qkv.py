"""What one layer for queries, keys and values is: whose features stand where, in two layouts.

Four heads and three tensors: with three of each no claim could tell heads from tensors.
"""

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
    is_array,
    is_module,
    is_tuple,
)
from kata.judging.inputs import given, in_any_order, normal, nudged, numpy

B, H, S, D, N = 2, 4, 5, 6, 7
E = H * D
COINCIDENCES = (  # samples, heads, tokens, width of a head
    (4, 4, 5, 6),
    (2, 4, 4, 6),
    (2, 4, 6, 6),
    (2, 4, 5, 4),
    (5, 2, 12, 6),
    (5, 2, 12, 2),
)
THREES = ((3, 4, 5, 6), (2, 3, 5, 6), (2, 4, 3, 6), (3, 3, 3, 3))
TWELVE = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]
NAMES = ("query", "key", "value")
LAYERS = ("w_query", "w_key", "w_value")


def numbered(samples, tokens, features):
    """Numbers that say where they stand: 10203 is sample 1, token 2, feature 3.

    In a graded run some of them are negative, so that nobody knows them beforehand.
    """
    sample, token = 10000.0 * np.arange(samples), 100.0 * np.arange(tokens)
    places = sample[:, None, None] + token[:, None] + np.arange(features)
    return given(places * np.sign(nudged(np.ones(places.shape), 2.0)))


def sorted_out(qkv, heads, place):
    """Query, key and value, one block of D features after the other: place says whose it is."""
    whole = numpy(qkv)
    samples, tokens, features = whole.shape
    width = features // heads // 3
    parts = np.empty((3, samples, heads, tokens, width))
    for block in range(3 * heads):
        which, head = place(block, heads)
        parts[which, :, head] = whole[:, :, block * width : (block + 1) * width]
    return tuple(parts)


def in_blocks(qkv, heads):
    """All queries, all keys, all values: the heads follow one another within each."""
    return sorted_out(qkv, heads, divmod)


def per_head(qkv, heads):
    """Query, key and value follow one another within each head."""
    return sorted_out(qkv, heads, lambda block, _: divmod(block, 3)[::-1])


def split(got):
    """Query, key and value, if that is what came back."""
    is_tuple(got, 3, "(query, key, value)")
    for name, each in zip(NAMES, got, strict=True):
        is_array(each, name)
    return got


def all_equal(got, right, where="", dtype=""):
    """Query, key and value are right."""
    for name, mine, expected in zip(NAMES, split(got), right, strict=True):
        equal(mine, expected, what=f"{name}{where}", dtype=dtype)


def blocks_read(submission, qkv, heads=H):
    """The learner's reading of the layout in blocks is right."""
    all_equal(submission.split_qkv_blocks(qkv, heads), in_blocks(qkv, heads))


def heads_read(submission, qkv, heads=H):
    """The learner's reading of the layout per head is right."""
    all_equal(submission.split_qkv_per_head(qkv, heads), per_head(qkv, heads))


def gradients_flow(read, right):
    """The gradient of each of the three is found in its own features, and is zero elsewhere."""
    places = right(np.arange(3.0 * E)[None, None], H)  # (1, H, 1, D): which feature it was
    for which, name in enumerate(NAMES):
        qkv = normal(B, S, 3 * E, grad=True)
        got = split(read(qkv, H))
        all_equal(got, right(qkv, H))
        steps = np.linspace(-1, 1, B * H * S * D).reshape(B, H, S, D)
        expected = np.zeros((B, S, 3 * E))
        expected[:, :, places[which][0, :, 0].astype(int)] = steps.swapaxes(1, 2)
        equal_gradient(gradients(got[which], qkv)[0], expected, f"`qkv`, sent from the {name}")


def drawn(features=N, width=E, bias=True):
    """Numbers for three layers."""
    weights, biases = normal(3, width, features, scale=features**-0.5), normal(3, width)
    if bias:
        return [{"weight": w, "bias": b} for w, b in zip(weights, biases, strict=True)]
    return [{"weight": each} for each in weights]


def layers(submission, numbers, device=""):
    """Three layers with these numbers in them."""
    width, features = numbers[0]["weight"].shape
    bias = "bias" in numbers[0]
    made = [submission.probe("linear", features, width, bias=bias).load(each) for each in numbers]
    return [each.to(device) for each in made] if device == "cuda" else made


def fused(submission, numbers, device=""):
    """What the learner makes of them."""
    module = submission.fuse(*layers(submission, numbers, device))
    is_module(module)
    return module


def joined(numbers, name):
    """The weights or biases of all three, one below the other."""
    return torch.cat([each[name] for each in numbers])


def projected(numbers, x):
    """What the three layers give by themselves, side by side, in float64 on the CPU."""
    known = [{name: each.cpu().double() for name, each in own.items()} for own in numbers]
    return torch.cat([x.cpu().double() @ own["weight"].T + own.get("bias", 0) for own in known], -1)


# The idea


# split_qkv_blocks


def test_blocks_are_all_queries_then_all_keys_then_all_values(submission):
    """The first third of the features are queries, the next keys, the last values; each third has
    the heads side by side. All tokens are alike, so that nothing else counts."""
    f = in_any_order(TWELVE)
    query = [[[f[0:2]] * 5, [f[2:4]] * 5]] * 4
    key = [[[f[4:6]] * 5, [f[6:8]] * 5]] * 4
    value = [[[f[8:10]] * 5, [f[10:12]] * 5]] * 4
    qkv = given([[f] * 5] * 4)
    all_equal(submission.split_qkv_blocks(qkv, 2), (query, key, value))


def test_blocks_keep_tokens_together(submission, device):
    """Token 2 is token 2 in every head: 203 is feature 3 of token 2, and stays with its token."""
    blocks_read(submission, numbered(1, S, 3 * E).repeat(B, 1, 1))


def test_blocks_keep_samples_apart(submission, device):
    """The heads of a sample hold numbers of that sample: 10203 is of sample 1, and stays there."""
    blocks_read(submission, numbered(B, S, 3 * E))


def test_axes_of_equal_length_are_not_confused_in_blocks(submission):
    """As many samples, tokens or features as heads, or as many tokens as features: no length says
    which axis is which. 10203 is sample 1, token 2, feature 3 there too."""
    for samples, heads, tokens, width in COINCIDENCES:
        blocks_read(submission, numbered(samples, tokens, 3 * heads * width), heads)


# split_qkv_per_head


def test_each_head_is_its_query_then_its_key_then_its_value(submission):
    """Per head: the first D features are the query of head 0, the next D its key, then its value;
    head 1 begins after these. All tokens are alike, so that nothing else counts."""
    f = in_any_order(TWELVE)
    query = [[[f[0:2]] * 5, [f[6:8]] * 5]] * 4
    key = [[[f[2:4]] * 5, [f[8:10]] * 5]] * 4
    value = [[[f[4:6]] * 5, [f[10:12]] * 5]] * 4
    qkv = given([[f] * 5] * 4)
    all_equal(submission.split_qkv_per_head(qkv, 2), (query, key, value))


def test_per_head_keeps_tokens_together(submission, device):
    """Token 2 is token 2 in every head: 203 is feature 3 of token 2, and stays with its token."""
    heads_read(submission, numbered(1, S, 3 * E).repeat(B, 1, 1))


def test_per_head_keeps_samples_apart(submission, device):
    """The heads of a sample hold numbers of that sample: 10203 is of sample 1, and stays there."""
    heads_read(submission, numbered(B, S, 3 * E))


def test_axes_of_equal_length_are_not_confused_per_head(submission):
    """As many samples, tokens or features as heads, or as many tokens as features: no length says
    which axis is which. 10203 is sample 1, token 2, feature 3 there too."""
    for samples, heads, tokens, width in COINCIDENCES:
        heads_read(submission, numbered(samples, tokens, 3 * heads * width), heads)


# both layouts


def test_the_two_layouts_differ_in_ten_of_twelve_blocks(submission):
    """Both layouts sort out the same numbers, and the shapes are the same. With four heads 2 of 12
    blocks get the same place, the first and the last; the other ten hold other numbers."""
    qkv = numbered(B, S, 3 * E)
    one, other = submission.split_qkv_blocks(qkv, H), submission.split_qkv_per_head(qkv, H)
    all_equal(one, in_blocks(qkv, H), " in blocks")
    all_equal(other, per_head(qkv, H), " per head")
    pairs = zip(split(one), split(other), strict=True)
    same = [[bool((a[:, h] == b[:, h]).all()) for h in range(H)] for a, b in pairs]
    right = [[True, False, False, False], [False] * 4, [False, False, False, True]]
    equal(given(same), right, what="the blocks that are the same in both readings")


# fuse


def test_fused_is_one_layer(submission):
    """Three layers from 7 to 24 features become one from 7 to 72: a weight (72, 7) and a bias (72,)
    that are registered parameters, and no other parameter."""
    module = fused(submission, drawn())
    has_parameters(module, {"weight": (3 * E, N), "bias": (3 * E,)})
    between(len(module.parameters()), 2, 2, "the number of parameters")


def test_fused_weight_is_the_three_below_one_another(submission, device):
    """Rows are outputs: the first 24 rows are those of `w_query`, then come those of `w_key`, then
    those of `w_value`, number by number, and in float32."""
    numbers = drawn()
    module = fused(submission, numbers, device)
    own = module.parameters()
    has_parameters(module, {"weight": (3 * E, N)})
    equal(own["weight"], joined(numbers, "weight"), what="weight", dtype="float32")


def test_fused_bias_is_the_three_after_one_another(submission, device):
    """The bias has the order of the rows: `w_query`, `w_key`, `w_value`."""
    numbers = drawn()
    module = fused(submission, numbers, device)
    own = module.parameters()
    has_parameters(module, {"bias": (3 * E,)})
    equal(own["bias"], joined(numbers, "bias"), what="bias", dtype="float32")


def test_no_bias_stays_no_bias(submission):
    """Three layers without a bias make one without: a bias of zeros would be trained, and then be
    zero no longer."""
    numbers = drawn(bias=False)
    module = fused(submission, numbers)
    own = module.parameters()
    equal(given(["bias" in own]), [False], what="whether it has a bias")
    has_parameters(module, {"weight": (3 * E, N)})
    equal(own["weight"], joined(numbers, "weight"), what="weight")


def test_fused_layer_gives_queries_keys_and_values(submission, device):
    """One product does the work of three: read in blocks, the output of the fused layer is what
    each of the three gives, split into heads."""
    numbers, x = drawn(), normal(B, S, N)
    qkv = fused(submission, numbers, device)(x)
    equal(qkv, projected(numbers, x))
    all_equal(submission.split_qkv_blocks(qkv, H), in_blocks(projected(numbers, x), H))


def test_fused_output_read_per_head_is_wrong_without_an_error(submission):
    """Reading the fused layer's output per head raises no error and has the right shape, but what
    is called the query of head 1 is that of head 3, and what is called its value is its key."""
    numbers, x = drawn(), normal(B, S, N)
    qkv = fused(submission, numbers)(x)
    equal(qkv, projected(numbers, x))
    got = split(submission.split_qkv_per_head(qkv, H))
    right = in_blocks(projected(numbers, x), H)
    equal(got[0][:, 1], right[0][:, 3], what="the query of head 1, which is that of head 3")
    equal(got[2][:, 1], right[1][:, 1], what="the value of head 1, which is the key of head 1")
    all_equal(got, per_head(projected(numbers, x), H), " in the other reading")


def test_with_reordered_rows_a_fused_layer_is_read_per_head(submission):
    """With its rows put into the other order, the same layer can be read per head: the layout is an
    agreement between the rows of a weight and the code that reads the output."""
    numbers, x = drawn(), normal(B, S, N)
    module = fused(submission, numbers)
    has_parameters(module, {"weight": (3 * E, N), "bias": (3 * E,)})
    moved = {}
    for name in ("weight", "bias"):
        blocks = joined(numbers, name).unflatten(0, (3, H, D))
        moved[name] = blocks.transpose(0, 1).flatten(0, 2)
    got = submission.split_qkv_per_head(module.load(moved)(x), H)
    all_equal(got, in_blocks(projected(numbers, x), H))


# The fine print


# split_qkv_blocks


def test_blocks_keep_the_axis_of_a_single_sample_or_token(submission):
    """One sample, one token, or one of each: a dimension of length one stays."""
    for samples, tokens in ((1, S), (B, 1), (1, 1)):
        blocks_read(submission, numbered(samples, tokens, 3 * E))


def test_blocks_may_have_three_samples_tokens_or_heads(submission):
    """There are three tensors; samples, tokens, heads or features may happen to be three too."""
    for samples, heads, tokens, width in THREES:
        blocks_read(submission, numbered(samples, tokens, 3 * heads * width), heads)


def test_gradients_flow_through_the_layout_in_blocks(submission):
    """Reading moves numbers, so that each gradient moves back to where its number came from: from
    query, key and value alike."""
    gradients_flow(submission.split_qkv_blocks, in_blocks)


# split_qkv_per_head


def test_per_head_keeps_the_axis_of_a_single_sample_or_token(submission):
    """One sample, one token, or one of each: a dimension of length one stays per head, too."""
    for samples, tokens in ((1, S), (B, 1), (1, 1)):
        heads_read(submission, numbered(samples, tokens, 3 * E))


def test_per_head_may_have_three_samples_tokens_or_heads(submission):
    """There are three tensors; samples, tokens, heads or features may happen to be three too."""
    for samples, heads, tokens, width in THREES:
        heads_read(submission, numbered(samples, tokens, 3 * heads * width), heads)


def test_gradients_flow_through_the_layout_per_head(submission):
    """Reading per head moves numbers too: what was last in a head is last in its gradient."""
    gradients_flow(submission.split_qkv_per_head, per_head)


# both layouts


def test_integers_float64_and_float16_keep_their_type(submission):
    """Numbers are moved, whatever they are: integers as in the examples, float64 or float16."""
    numbers = normal(B, S, 3 * E, scale=100.0)
    read = {}
    for kind in ("int64", "float64", "float16"):
        qkv = given(numpy(numbers), dtype=kind)
        both = submission.split_qkv_blocks(qkv, H), submission.split_qkv_per_head(qkv, H)
        read[kind] = qkv, both
    for kind, (qkv, (one, other)) in read.items():
        all_equal(one, in_blocks(qkv, H), " in blocks", dtype=kind)
        all_equal(other, per_head(qkv, H), " per head", dtype=kind)


def test_a_transposed_view_is_read_like_a_copy(submission):
    """What came tokens or features first is out of order in memory; 203 is still token 2."""
    for axis in (0, 2):
        qkv = numbered(B, S, 3 * E).transpose(axis, 1).contiguous().transpose(axis, 1)
        blocks_read(submission, qkv)
        heads_read(submission, qkv)


def test_with_one_head_both_layouts_are_the_same(submission):
    """With one head both layouts are one and the same: query, key, value. Dimensions of length one
    stay, be it heads, samples or tokens."""
    for samples, tokens in ((B, S), (1, S), (B, 1), (1, 1)):
        qkv = numbered(samples, tokens, 3 * D)
        blocks_read(submission, qkv, 1)
        heads_read(submission, qkv, 1)


def test_any_number_of_heads_is_read_in_both_layouts(submission):
    """36 features are three times two heads of six, or three times twelve heads of one. A width
    need not be even: 15 features are five heads of three."""
    for features, heads in ((12, 2), (12, 3), (12, 6), (12, 12), (15, 5)):
        qkv = numbered(B, S, 3 * features)
        blocks_read(submission, qkv, heads)
        heads_read(submission, qkv, heads)


def test_many_heads_tokens_or_samples_are_read_like_a_few(submission):
    """Sixteen heads of 48 features, seventy tokens or ten samples are read like a few: the last one
    of each is where it belongs."""
    for samples, tokens, heads, width in ((1, 2, 16, 48), (1, 70, H, D), (10, S, H, D)):
        qkv = normal(samples, tokens, 3 * heads * width)
        blocks_read(submission, qkv, heads)
        heads_read(submission, qkv, heads)


def test_arguments_stay_as_they_are(submission):
    """The caller's tensor keeps its shape and its numbers, since others may read it too."""
    wide, narrow, trained = normal(B, S, 3 * E), normal(B, S, 3 * D), normal(B, S, 3 * E, grad=True)
    view = normal(S, B, 3 * E).transpose(0, 1)
    for qkv, heads in ((wide, H), (narrow, 1), (trained, H), (view, H)):
        blocks_read(submission, qkv, heads)
        heads_read(submission, qkv, heads)
    arguments_kept()


def test_earlier_results_stay_as_they_are(submission):
    """One layer after the other is read: a later call changes no earlier result."""
    qkv = normal(B, S, 3 * E)
    one, other = submission.split_qkv_blocks(qkv, H), submission.split_qkv_per_head(qkv, H)
    submission.split_qkv_blocks(qkv + 1, H)
    submission.split_qkv_per_head(qkv + 1, H)
    all_equal(one, in_blocks(qkv, H), " of the first call of split_qkv_blocks")
    all_equal(other, per_head(qkv, H), " of the first call of split_qkv_per_head")


# fuse


def test_fused_knows_its_size(submission):
    """`in_features` and `out_features` of an nn.Linear say what it takes and gives; printing,
    saving and quantising a layer rely on them."""
    module = fused(submission, drawn())
    found = [module.number(name) for name in ("in_features", "out_features")]
    equal(given(found), [N, 3 * E], what="(in_features, out_features)")


def test_a_bias_of_zeros_is_a_bias(submission):
    """Many layers start with a bias of zeros and are trained from there: whether there is a bias
    does not depend on what it holds."""
    numbers = drawn()
    for each in numbers:
        each["bias"] = given([0.0] * E)
    module = fused(submission, numbers)
    has_parameters(module, {"weight": (3 * E, N), "bias": (3 * E,)})
    equal(module.parameters()["bias"], [0.0] * (3 * E), what="bias")


def test_layers_of_any_size_can_be_fused(submission):
    """N = E is the usual case, in which a weight has the right shape on its side too; N may also be
    larger. Like any nn.Linear the fused one takes inputs with any leading dimensions."""
    for features, width in ((E, E), (11, D), (1, D)):
        numbers, x = drawn(features, width), normal(S, features)
        module = fused(submission, numbers)
        has_parameters(module, {"weight": (3 * width, features), "bias": (3 * width,)})
        sizes = [module.number(name) for name in ("in_features", "out_features")]
        equal(given(sizes), [features, 3 * width], what="(in_features, out_features)")
        equal(module(x), projected(numbers, x))


def test_the_fused_layer_gets_the_gradients_and_the_three_get_none(submission):
    """The fused layer is what is trained from here on: its weight and its bias, if it has one, get
    the gradients, and the three layers get none."""
    x = normal(B, S, N)
    for bias in (True, False):
        numbers = drawn(bias=bias)
        parts = layers(submission, numbers)
        module = submission.fuse(*parts)
        is_module(module)
        output = module(x)
        equal(output, projected(numbers, x))
        backward(output)
        own = {name: joined(numbers, name).requires_grad_() for name in numbers[0]}
        right = gradients(x @ own["weight"].T + own.get("bias", 0), *own.values())
        found = module.gradients()
        for name, expected in zip(own, right, strict=True):
            equal_gradient(found.get(name), expected, f"`{name}`")
        reached = [each is not None for part in parts for each in part.gradients().values()]
        what = "whether the parameters of the three have a gradient"
        equal(given(reached), [False] * len(reached), what=what)


def test_the_three_layers_stay_as_they_are(submission):
    """The three belong to the caller: they keep their sizes, their numbers and the gradients that
    they have, to which a further backward pass adds."""
    numbers, x = drawn(), normal(B, S, N)
    parts = layers(submission, numbers)
    for part in parts:
        backward(part(x))
    module = submission.fuse(*parts)
    is_module(module)
    equal(module(x), projected(numbers, x))
    for name, part, own in zip(LAYERS, parts, numbers, strict=True):
        has_parameters(part, {"weight": (E, N), "bias": (E,)})
        for each, value in part.parameters().items():
            equal(value, own[each], what=f"`{name}.{each}` after the call")
        backward(part(x))
        weight = own["weight"].clone().requires_grad_()
        once = gradients(x @ weight.T + own["bias"], weight)[0]
        found = part.gradients()["weight"]
        equal_gradient(found, 2 * once, f"`{name}.weight`, one before the call and one after it")


def test_the_fused_layer_ignores_later_changes_to_the_three(submission):
    """It is a copy: numbers that come into the three layers later do not reach the fused one."""
    numbers, x = drawn(), normal(B, S, N)
    parts = layers(submission, numbers)
    module = submission.fuse(*parts)
    is_module(module)
    for part, later in zip(parts, drawn(), strict=True):
        part.load(later)
    equal(module(x), projected(numbers, x))


def test_training_the_fused_layer_leaves_the_three_unchanged(submission):
    """The three layers keep their numbers when those of the fused layer are changed by training."""
    numbers, later, x = drawn(), drawn(), normal(B, S, N)
    parts = layers(submission, numbers)
    module = submission.fuse(*parts)
    is_module(module)
    has_parameters(module, {"weight": (3 * E, N), "bias": (3 * E,)})
    module.load({name: joined(later, name) for name in ("weight", "bias")})
    equal(module(x), projected(later, x))
    for name, part, own in zip(LAYERS, parts, numbers, strict=True):
        equal(part(x), projected([own], x), what=f"what `{name}` gives")


def test_each_call_makes_a_layer_of_its_own(submission):
    """A model has many attentions: each call of `fuse` gives a new layer, of what it was given,
    also of the same three layers with new numbers."""
    first, second, x = drawn(), drawn(), normal(B, S, N)
    parts = layers(submission, first)
    one = submission.fuse(*parts)
    is_module(one)
    for part, numbers in zip(parts, second, strict=True):
        part.load(numbers)
    other = submission.fuse(*parts)
    is_module(other)
    equal(other(x), projected(second, x), what="what the second layer gives")
    equal(one(x), projected(first, x), what="what the first layer gives")


# all three functions


def test_arguments_can_be_given_by_name(submission):
    """`qkv` and `num_heads`, `w_query`, `w_key` and `w_value` can be given by name, in any order:
    a reader of such a call need not know which comes first."""
    numbers, qkv, x = drawn(), normal(B, S, 3 * E), normal(B, S, N)
    all_equal(submission.split_qkv_blocks(num_heads=H, qkv=qkv), in_blocks(qkv, H))
    all_equal(submission.split_qkv_per_head(num_heads=H, qkv=qkv), per_head(qkv, H))
    parts = dict(zip(LAYERS, layers(submission, numbers), strict=True))
    module = submission.fuse(**dict(reversed(parts.items())))
    is_module(module)
    equal(module(x), projected(numbers, x))
