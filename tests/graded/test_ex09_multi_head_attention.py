"""What multi-head attention is: four projections, H heads side by side, masks, dropout on weights.

Every claim about values puts the suite's own numbers into the module and computes what must come
out, one head at a time.
"""

import math
from functools import partial
from itertools import pairwise, product

import numpy as np
import torch

from kata.judging.claims import (
    arguments_kept,
    backward,
    between,
    equal,
    equal_gradient,
    gradients,
    has_dtype,
    has_parameters,
    has_shape,
    is_array,
    is_module,
    is_pair,
    raises,
)
from kata.judging.inputs import given, in_any_order, keep_mask, normal, nudged, numpy, one_of

B, H, T, S, D = 2, 3, 5, 7, 6
E = H * D
PROJECTIONS = ("w_query", "w_key", "w_value", "w_out")


def drawn(width=E, bias=True, grad=False):
    """Numbers for all four projections."""
    weights, biases = normal(4, width, width, scale=width**-0.5), normal(4, width, scale=0.5)
    numbers = {f"{name}.weight": each for name, each in zip(PROJECTIONS, weights, strict=True)}
    if bias:
        numbers |= {f"{name}.bias": each for name, each in zip(PROJECTIONS, biases, strict=True)}
    return {name: each.clone().requires_grad_() if grad else each for name, each in numbers.items()}


def identities(*names):
    """Numbers with which these projections change nothing."""
    numbers = {}
    for name in names:
        numbers[f"{name}.weight"] = given(torch.eye(E).numpy())
        numbers[f"{name}.bias"] = given([0.0] * E)
    return numbers


def made(submission, numbers, heads=H, device="", **options):
    """A module with these numbers in it, in evaluation mode."""
    width = numbers["w_out.weight"].shape[0]
    module = submission.MultiHeadAttention(d_model=width, num_heads=heads, **options)
    is_module(module)
    module.load(numbers)
    return (module.to(device) if device == "cuda" else module).eval()


def pair(got):
    """Output and weights, if that is what came back."""
    is_pair(got)
    is_array(got[0], "output")
    is_array(got[1], "weights")
    return got


def both_equal(got, right, where=""):
    """The weights are right, which are looked at first, and so is the output."""
    output, weights = pair(got)
    equal(weights, right[1], what=f"weights{where}")
    equal(output, right[0], what=f"output{where}")


def softmax(scores):
    """Weights of arrays or tensors."""
    if isinstance(scores, torch.Tensor):
        return scores.softmax(dim=-1)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def exact(values, *, grad):
    """In float64 on the CPU: arrays, which are faster, or tensors where gradients are wanted."""
    return values.cpu().double() if grad else values.detach().cpu().numpy().astype(np.float64)


def naive(numbers, query, key, value, *, keep=None, heads=H, thin=None):
    """Attention from its definition: each head has matrices of its own, in float64 on the CPU.

    Head h has its own block of rows of three matrices, and its own block of columns of the last.
    keep: a mask spelled out to 4 dimensions; thin: the factor by which dropout multiplies each
    weight.
    """
    grad = any(each.requires_grad for each in (query, key, value, *numbers.values()))
    known = {name: exact(each, grad=grad) for name, each in numbers.items()}
    width = query.shape[-1] // heads

    def project(name, x):
        matrices = known[f"{name}.weight"].reshape(heads, width, -1)
        own = exact(x, grad=grad)[:, None] @ matrices.swapaxes(1, 2)  # (B, H, S, D)
        bias = known.get(f"{name}.bias")
        return own if bias is None else own + bias.reshape(heads, 1, width)

    q, k, v = project("w_query", query), project("w_key", key), project("w_value", value)
    scores = q @ k.swapaxes(2, 3) / math.sqrt(width)
    if keep is not None:
        scores = scores - 1e300 * exact(~keep, grad=grad)
    weights = softmax(scores)
    contexts = (weights if thin is None else weights * thin) @ v
    blocks = known["w_out.weight"].T.reshape(heads, width, -1)  # (H, D, E)
    return (contexts @ blocks).sum(1) + known.get("w_out.bias", 0), weights


def no_bias(module):
    """None of the four projections has a bias."""
    biases = [f"{name}.bias" for name in PROJECTIONS]
    own = module.parameters(*biases)
    found = given([name in own for name in biases])
    equal(found, [False] * 4, what="(w_query, w_key, w_value, w_out) with a bias")


def in_training(submission, mask=None, keep=None, grad=False):
    """What comes of 100 queries in training with dropout=0.25, their inputs, and what computes it.

    Values pass as they are, so that the output shows what dropout left of the weights, and shows it
    twice: key s has a one at the features s and s + 3 of every head's 6. In a graded run it has
    numbers near one there, which nobody knows beforehand.
    """
    numbers = drawn() | identities("w_value", "w_out")
    query, key = normal(4, 100, E, grad=grad), normal(4, 3, E, grad=grad)
    sizes = nudged(np.ones(6), 0.4)
    value = given(np.tile(np.tile(np.eye(3), 2) * sizes, (4, 1, H)), grad=grad)
    module = made(submission, numbers, dropout=0.25).train()
    got = pair(module(query, key, value, mask))
    has_shape(got[0], (4, 100, E), what="output")
    left, attend = left_weights(got[0], sizes), partial(naive, numbers, query, key, value)
    return left, got, (query, key, value), partial(attend, keep=keep)


def left_weights(output, sizes):
    """What dropout left of the weights: (samples, heads, queries, keys)."""
    shown = output.detach().reshape(4, 100, H, 6) / given(sizes)
    once, again = shown.transpose(1, 2).split(3, dim=-1)
    equal(again, once, what="the weights, as the features s and s + 3 show them")
    return once


# The idea


def test_all_four_projections_are_linear_layers(submission):
    """`w_query`, `w_key`, `w_value` and `w_out` are nn.Linear from E to E features, each with
    parameters of its own: what is no registered parameter is never trained."""
    module = submission.MultiHeadAttention(d_model=E, num_heads=H)
    weights = {f"{name}.weight": (E, E) for name in PROJECTIONS}
    biases = {f"{name}.bias": (E,) for name in PROJECTIONS}
    has_parameters(module, weights | biases)


def test_calling_the_module_returns_output_and_weights(submission):
    """Calling the module runs its `forward`, which returns two tensors: the output, and the
    attention weights of every head."""
    module = submission.MultiHeadAttention(d_model=E, num_heads=H)
    is_module(module)
    x = normal(one_of(B, *range(6, 20)), T, E)
    found = any(each.numel() == x.numel() for each in pair(module(x, x, x)))
    equal(given([found]), [True], what="whether one of the two is as large as the query")


def test_each_head_has_attention_weights_of_its_own(submission, device):
    """Head h compares its own D features of the projected queries and keys: the features h·D to
    (h+1)·D − 1. The weights are (B, H, T, S), and each row sums to one."""
    numbers, x = drawn(), normal(B, T, E)
    _, weights = pair(made(submission, numbers, device=device)(x, x, x))
    equal(weights, naive(numbers, x, x, x)[1], what="weights")


def test_heads_stand_side_by_side(submission):
    """With projections that change nothing, head h mixes the tokens' features h·D to (h+1)·D − 1,
    and its result stands in the same place of the output."""
    numbers, x = identities(*PROJECTIONS), normal(B, T, E)
    output, _ = pair(made(submission, numbers)(x, x, x))
    equal(output, naive(numbers, x, x, x)[0], what="output")


def test_each_input_has_its_projection_and_w_out_mixes_the_heads(submission, device):
    """Queries, keys and values each have a projection of their own, and `w_out` mixes what the
    heads found."""
    numbers, x = drawn(), normal(B, T, E)
    output, _ = pair(made(submission, numbers, device=device)(x, x, x))
    equal(output, naive(numbers, x, x, x)[0], what="output")


def test_keys_have_a_length_of_their_own(submission):
    """In cross-attention 5 queries look at 7 keys, or 7 at 5: keys and values are as long as the
    memory, whatever the number of queries."""
    numbers = drawn()
    for queries, keys in ((T, S), (S, T)):
        query, memory = normal(B, queries, E), normal(B, keys, E)
        module = made(submission, numbers)
        both_equal(module(query, memory, memory), naive(numbers, query, memory, memory))


def test_keys_and_values_are_two_inputs(submission):
    """The keys decide where a query looks, the values what it finds there; a caller may give two
    different tensors."""
    numbers, query, key, value = drawn(), normal(B, T, E), normal(B, S, E), normal(B, S, E)
    output, _ = pair(made(submission, numbers)(query, key, value))
    equal(output, naive(numbers, query, key, value)[0], what="output")


def test_split_and_scale_follow_the_number_of_heads(submission):
    """18 features make two heads of 9 or nine of 2: split and scale follow from H."""
    numbers, x = drawn(), normal(B, T, E)
    for heads in (2, 9):
        right = naive(numbers, x, x, x, heads=heads)
        both_equal(made(submission, numbers, heads)(x, x, x), right)


def test_equal_sizes_do_not_mix_up_samples_heads_and_tokens(submission):
    """Three samples, heads, tokens and features of a head: axes have places, not sizes."""
    numbers, x = drawn(9), normal(3, 3, 9)
    both_equal(made(submission, numbers)(x, x, x), naive(numbers, x, x, x))


def test_with_bias_false_no_projection_has_a_bias(submission):
    """`bias=False` takes the bias away from all four projections."""
    numbers, x = drawn(bias=False), normal(B, T, E)
    module = made(submission, numbers, bias=False)
    no_bias(module)
    both_equal(module(x, x, x), naive(numbers, x, x, x))


def test_a_2d_mask_holds_for_every_sample_and_every_head(submission, device):
    """A mask (T, S) holds for every sample and every head; True means "may attend", and a hidden
    key gets weight zero."""
    numbers, query, memory = drawn(), normal(B, T, E), normal(B, S, E)
    mask = keep_mask(T, S)
    right = naive(numbers, query, memory, memory, keep=mask[None, None])
    both_equal(made(submission, numbers, device=device)(query, memory, memory, mask), right)


def test_a_causal_mask_hides_later_tokens(submission):
    """Row t of a mask says what query t may attend to: under a causal mask these are the tokens up
    to t, or only the last two of them; the future is hidden."""
    numbers, x = drawn(), normal(B, T, E)
    for window in (T, 2):
        mask = given([[t - window < s <= t for s in range(T)] for t in range(T)])
        right = naive(numbers, x, x, x, keep=mask[None, None])
        both_equal(made(submission, numbers)(x, x, x, mask), right)


def test_a_3d_mask_belongs_to_samples_even_if_there_are_as_many_heads(submission):
    """A mask (B, T, S) has one map for each sample, also where B = H: sample b's map serves all
    heads of sample b. It is not head b's map."""
    numbers, query, memory = drawn(), normal(H, T, E), normal(H, S, E)
    mask = keep_mask(H, T, S)
    right = naive(numbers, query, memory, memory, keep=mask[:, None])
    both_equal(made(submission, numbers)(query, memory, memory, mask), right)


def test_a_3d_mask_can_hide_different_keys_from_each_sample(submission):
    """A mask (B, T, S) fits any number of heads, also as many as there are queries: the axis
    of the heads is added to it, with length 1."""
    numbers = drawn()
    for tokens in (T, H):
        x, mask = normal(B, tokens, E), keep_mask(B, tokens, tokens)
        right = naive(numbers, x, x, x, keep=mask[:, None])
        both_equal(made(submission, numbers)(x, x, x, mask), right)


def test_a_padding_mask_hides_the_same_keys_from_all_queries(submission):
    """A mask (B, 1, S), as ex05's padding_mask makes it, hides the same keys from all queries of a
    sample: 4 tokens of the first sample are real, and 6 of the second."""
    numbers, x = drawn(), normal(B, S, E)
    mask = given([[[True] * 4 + [False] * 3], [[True] * 6 + [False]]])
    right = naive(numbers, x, x, x, keep=mask[:, None])
    both_equal(made(submission, numbers)(x, x, x, mask), right)


def test_a_4d_mask_can_hide_different_keys_from_each_head(submission):
    """A mask (B, H, T, S) can hide different keys from each head."""
    numbers, query, memory = drawn(), normal(B, T, E), normal(B, S, E)
    mask = keep_mask(B, H, T, S)
    right = naive(numbers, query, memory, memory, keep=mask)
    both_equal(made(submission, numbers)(query, memory, memory, mask), right)


def test_evaluation_drops_nothing(submission, device):
    """After `eval()` a module with dropout computes what it would without."""
    numbers, x, mask = drawn(), normal(B, T, E), keep_mask(T, T)
    module = made(submission, numbers, device=device, dropout=0.5)
    both_equal(module(x, x, x, mask), naive(numbers, x, x, x, keep=mask[None, None]))


def test_dropout_acts_on_weights(submission):
    """A dropped weight takes all features of its value with it, and a kept one leaves them all."""
    in_training(submission)


def test_dropout_is_the_share_of_weights_that_are_dropped(submission):
    """`dropout=0.25` drops a quarter of the weights: it is the share that goes, not the one that
    stays."""
    left, *_ = in_training(submission)
    share = (left == 0).float().mean().item()
    between(share, 0.20, 0.30, "share of 3600 weights that became zero")  # 6.9 sigma each way


def test_kept_weights_are_divided_by_one_minus_dropout(submission):
    """With `dropout=0.25` a weight that is kept is divided by 0.75: so the expected sum of a row
    stays 1. The row is not normalised again."""
    left, *_, attend = in_training(submission)
    equal(left, attend()[1] / 0.75, where=left != 0, what="weights after dropout")


# The fine print


def test_the_module_knows_d_model_num_heads_and_head_dim(submission):
    """E, H and D = E / H can be read from `d_model`, `num_heads` and `head_dim`, as integers."""
    module = submission.MultiHeadAttention(E, H)
    is_module(module)
    names = ("d_model", "num_heads", "head_dim")
    found = given([module.number(name) for name in names])
    equal(found, [E, H, D], what="(d_model, num_heads, head_dim)")


def test_the_constructor_takes_its_arguments_by_position(submission):
    """Width, heads, dropout, bias: in this order the constructor takes them without names."""
    module = submission.MultiHeadAttention(E, H, 1.0, False)
    is_module(module)
    no_bias(module)


def test_forward_takes_its_arguments_by_name(submission):
    """`query`, `key`, `value` and `mask` can be given by name, in any order."""
    numbers, query, memory = drawn(), normal(B, T, E), normal(B, S, E)
    mask = keep_mask(T, S)
    got = made(submission, numbers)(mask=mask, value=memory, key=memory, query=query)
    both_equal(got, naive(numbers, query, memory, memory, keep=mask[None, None]))


def test_float64_stays_float64(submission):
    """A module moved to float64 takes and returns float64, without a mask and with one."""
    query, memory = normal(B, T, E, dtype="float64"), normal(B, S, E, dtype="float64")
    numbers, mask = drawn(), keep_mask(T, S)
    module = made(submission, numbers).to("float64")
    for given_mask, keep in ((None, None), (mask, mask[None, None])):
        right = naive(numbers, query, memory, memory, keep=keep)
        output, weights = pair(module(query, memory, memory, given_mask))
        has_dtype(weights, "float64", what="weights")
        has_dtype(output, "float64", what="output")
        both_equal((output.float(), weights.float()), right)  # float32's digits are enough


def test_scores_may_lie_thousands_away_from_zero(submission):
    """Scores around 9,998 in one sample, around −9,998 in the next: only differences count."""
    numbers = drawn(32)
    for name in ("w_query.weight", "w_query.bias", "w_key.weight", "w_key.bias"):
        numbers[name] *= 0
    numbers["w_query.bias"][::16] = 4.0  # the root of 16 features a head
    numbers["w_key.weight"][::16, 0] = 1.0  # a key's first feature is its score, in every head
    query, key, value = normal(B, T, 32), normal(B, S, 32), normal(B, S, 32)
    # One key is 100 above the others: some right answers round such a score by a thousandth.
    key[..., 0] = given([[9998.0], [-9998.0]]) - 100.0 * (normal(B, S).argsort() > 0)
    right = naive(numbers, query, key, value, heads=2)
    both_equal(made(submission, numbers, heads=2)(query, key, value), right)


def test_hidden_keys_get_exactly_zero_weight(submission):
    """A hidden key gets exactly nothing, whether scores lie close together or thousands apart, and
    whether its own score is far above the others or all of them are far below zero."""
    numbers, query, key = drawn() | identities("w_value", "w_out"), normal(B, T, E), normal(B, D, E)
    numbers["w_query.weight"] *= 0.1
    numbers["w_key.bias"] = given([-0.5] * E)
    value = given(torch.eye(D).repeat(B, 1, H).numpy())  # with it the output shows the weights
    mask = keep_mask(T, D)
    for size in (2000.0, 1.0):
        numbers["w_query.bias"] = given([size] * E)
        output, weights = pair(made(submission, numbers)(query, key, value, mask))
        right = naive(numbers, query, key, value, keep=mask[None, None])
        equal(weights, right[1], where=~mask, what="weights")
        largest = weights.masked_fill(mask, 0.0).max().item()
        between(largest, 0.0, 0.0, "the largest weight of a hidden key")
        equal(output, right[0], where=~mask.repeat(1, H), what="output for hidden keys")


def test_a_hidden_key_may_score_far_above_the_others(submission):
    """A hidden key has no say, however high it scores: a softmax over all keys would give it all
    the weight, and leave nothing to the visible ones."""
    numbers, query, key, value = drawn(), normal(B, T, E), normal(B, S, E), normal(B, S, E)
    for name in ("w_query.weight", "w_query.bias", "w_key.weight", "w_key.bias"):
        numbers[name] *= 0
    numbers["w_query.bias"][::D] = math.sqrt(D)
    numbers["w_key.weight"][::D, 0] = 1.0  # a key's first feature is its score, in every head
    mask = keep_mask(T, S)
    key[:, 2, 0], mask[:, 2], mask[:, 0] = 150.0, False, True
    right = naive(numbers, query, key, value, keep=mask[None, None])
    both_equal(made(submission, numbers)(query, key, value, mask), right)


def test_hidden_keys_stay_hidden_among_scores_of_ten_thousand(submission):
    """Scores may lie anywhere between −10,000 and 10,000. A hidden key gets nothing, even where its
    own score is 9,999 and those of all visible keys are −9,999."""
    numbers, query, key, value = drawn(), normal(B, T, E), normal(B, S, E), normal(B, S, E)
    for name in ("w_query.weight", "w_query.bias", "w_key.weight", "w_key.bias"):
        numbers[name] *= 0
    numbers["w_query.bias"][::D] = math.sqrt(D) * 9999
    numbers["w_key.weight"][::D, 0] = 1.0  # a key's first feature says at which end its score is
    numbers["w_out.weight"] /= 1000  # some right answers round such a score by a thousandth
    mask, key[..., 0] = keep_mask(T, S), -1.0
    key[:, 2, 0], mask[:, 2], mask[:, 0] = 1.0, False, True
    output, weights = pair(made(submission, numbers)(query, key, value, mask))
    right = naive(numbers, query, key, value, keep=mask[None, None])
    equal(weights, right[1], where=~mask, what="weights")
    equal(output, right[0], what="output")


def test_inputs_may_be_views(submission):
    """Query, memory and mask may be transposed views of other tensors: what counts is the shape,
    and not in which order the numbers lie in memory."""
    numbers = drawn()
    query, memory = normal(T, B, E).transpose(0, 1), normal(B, E, S).mT
    mask = keep_mask(B, T, S).mT.contiguous().mT
    right = naive(numbers, query, memory, memory, keep=mask[:, None])
    both_equal(made(submission, numbers)(query, memory, memory, mask), right)


def test_every_size_may_be_one(submission):
    """One sample, one head, one query, one key, or all at once, or one feature in each head: an
    axis of length 1 is an axis."""
    numbers = drawn()
    for samples, heads, queries, keys in ((1, 1, 1, 1), (B, H, 1, S), (B, H, T, 1), (B, E, T, S)):
        query, memory = normal(samples, queries, E), normal(samples, keys, E)
        right = naive(numbers, query, memory, memory, heads=heads)
        both_equal(made(submission, numbers, heads)(query, memory, memory), right)


def test_a_2d_mask_is_for_all_samples_even_if_sizes_are_equal(submission):
    """A mask (T, S) stays one for all when there happen to be T samples and T heads: the number of
    its dimensions says what it is, not their lengths."""
    numbers, query, memory = drawn(), normal(H, H, E), normal(H, S, E)
    mask = keep_mask(H, S)
    right = naive(numbers, query, memory, memory, keep=mask[None, None])
    both_equal(made(submission, numbers)(query, memory, memory, mask), right)


def test_a_4d_mask_gets_no_further_axis_for_heads(submission):
    """A mask (B, 1, T, S) has its axis for the heads already, and is used as it is."""
    numbers, query, memory = drawn(), normal(B, T, E), normal(B, S, E)
    mask = keep_mask(B, 1, T, S)
    right = naive(numbers, query, memory, memory, keep=mask)
    both_equal(made(submission, numbers)(query, memory, memory, mask), right)


def test_mask_axes_of_length_one_broadcast(submission):
    """Any size of a mask may be 1 and then stands for all: all queries, samples or heads."""
    numbers, query, memory = drawn(), normal(B, T, E), normal(B, S, E)
    module = made(submission, numbers)
    for shape in ((1, S), (1, T, S), (B, 1, S), (1, H, T, S), (B, H, 1, S)):
        mask = keep_mask(*shape)
        keep = mask[:, None] if mask.ndim == 3 else mask
        right = naive(numbers, query, memory, memory, keep=keep)
        both_equal(module(query, memory, memory, mask), right, where=f" under a mask {shape}")


def test_a_single_sample_head_or_query_obeys_its_mask(submission):
    """One sample, one head or one query obeys its mask as many do: no mask may be left out."""
    numbers = drawn()
    for samples, heads, queries in ((1, H, T), (B, 1, T), (B, H, 1)):
        query, memory = normal(samples, queries, E), normal(samples, S, E)
        mask = keep_mask(samples, queries, S)
        right = naive(numbers, query, memory, memory, keep=mask[:, None], heads=heads)
        both_equal(made(submission, numbers, heads)(query, memory, memory, mask), right)


def test_the_last_of_many_tokens_and_samples_obeys_its_mask(submission):
    """The last of 70 tokens and the last of 10 samples have their own row and their own map of the
    mask, like the first."""
    numbers = drawn()
    for samples, tokens in ((1, 70), (10, T)):
        x, mask = normal(samples, tokens, E), keep_mask(samples, tokens, tokens)
        right = naive(numbers, x, x, x, keep=mask[:, None])
        both_equal(made(submission, numbers)(x, x, x, mask), right)


def test_a_mask_hides_keys_under_no_grad_too(submission):
    """Under torch.no_grad() a module computes what it does while gradients are recorded: masks are
    not for training alone."""
    numbers, query, memory = drawn(), normal(B, T, E), normal(B, S, E)
    mask = keep_mask(B, T, S)
    with torch.no_grad():
        got = made(submission, numbers)(query, memory, memory, mask)
    both_equal(got, naive(numbers, query, memory, memory, keep=mask[:, None]))


def test_there_is_no_dropout_unless_asked_for(submission):
    """`dropout` is 0 unless the caller says otherwise: then training drops nothing either."""
    numbers, x = drawn(), normal(B, T, E)
    both_equal(made(submission, numbers).train()(x, x, x), naive(numbers, x, x, x))


def test_dropout_of_one_drops_every_weight(submission):
    """In training with `dropout=1.0` no value gets through, be there many keys or one: every
    context is zero, and the output is the bias of `w_out`."""
    numbers, query = drawn(), normal(B, T, E)
    right = numbers["w_out.bias"].double().expand(B, T, E)
    module = made(submission, numbers, dropout=1.0).train()
    for keys in (S, 1):
        memory = normal(B, keys, E)
        output, _ = pair(module(query, memory, memory))
        equal(output, right, what="output")


def test_the_mask_holds_in_training(submission):
    """Dropout and mask go together: a hidden key gets nothing in training either, and the weights
    of the others are what they are under the mask."""
    keep = given([[[[True, False, True]]]])
    for mask in (keep[0], keep[0, 0]):
        left, *_, attend = in_training(submission, mask, keep)
        equal(left, attend()[1] / 0.75, where=(left != 0) | ~keep, what="weights after dropout")


def test_each_weight_is_dropped_independently(submission):
    """Weights of different samples, heads, queries and keys are dropped independently: with
    `dropout=0.25` two of them are dropped together in 1 of 16 cases."""
    left, *_ = in_training(submission)
    for (axis, name), step in product(enumerate(("samples", "heads", "queries", "keys")), (1, 2)):
        both = (left == 0) & (left == 0).roll(step, dims=axis)
        share = both.float().mean().item()  # at least 6.7 sigma each way
        between(share, 0.02, 0.11, f"share of pairs of {name} whose weights are both dropped")


def test_each_call_in_training_draws_new_weights_to_drop(submission):
    """Every call in training draws anew which weights it drops."""
    numbers, x = drawn(), normal(one_of(B, *range(6, 20)), T, E)
    module = made(submission, numbers, dropout=0.5).train()
    outputs = [pair(module(x, x, x))[0] for _ in range(3)]
    has_shape(outputs[0], x.shape, what="output")
    for one, next_one in pairwise(outputs):
        has_shape(next_one, one.shape, what="output")
        share = (one == next_one).all(dim=-1).float().mean().item()
        between(share, 0.0, 0.5, "share of queries with one and the same output in two calls")


def test_weights_returned_in_training_come_from_no_second_dropout(submission):
    """The weights that come back in training are those before dropout, or those that made the
    output: no others that another dropout made."""
    left, (_, weights), _, attend = in_training(submission)
    before = attend()[1]
    has_shape(weights, before.shape, what="weights")
    untouched = np.allclose(numpy(weights), before, atol=1e-4)
    equal(weights, before if untouched else left, what="weights")


def test_inputs_get_gradients(submission):
    """What is learned before attention needs the gradients of query, key and value, all three, be
    the memory as long as the queries or not."""
    numbers = drawn()
    for keys in (T, S):
        lengths = {"query": T, "key": keys, "value": keys}
        inputs = {name: normal(B, length, E, grad=True) for name, length in lengths.items()}
        output, _ = pair(made(submission, numbers)(*inputs.values()))
        right, _ = naive(numbers, *inputs.values())
        equal(output, right, what="output")
        found, expected = (gradients(each, *inputs.values()) for each in (output, right))
        for name, *both in zip(inputs, found, expected, strict=True):
            equal_gradient(*both, f"`{name}`")


def test_projections_get_gradients(submission):
    """All four projections learn: each weight and bias gets its gradient, under a mask too."""
    numbers, query, memory = drawn(grad=True), normal(B, T, E), normal(B, S, E)
    mask = keep_mask(T, S)
    module = made(submission, numbers)
    output, _ = pair(module(query, memory, memory, mask))
    right, _ = naive(numbers, query, memory, memory, keep=mask[None, None])
    equal(output, right, what="output")
    backward(output)
    found, expected = module.gradients(), gradients(right, *numbers.values())
    for name, gradient in zip(numbers, expected, strict=True):
        if name != "w_key.bias":  # it shifts all scores of a query alike: zero but for rounding
            equal_gradient(found[name], gradient, f"`{name}`")


def test_gradients_pass_through_dropout(submission):
    """A backward pass runs in training with dropout, and query, key and value learn through the
    weights that are left."""
    left, (output, _), inputs, attend = in_training(submission, grad=True)
    right, _ = attend(thin=(left != 0).double() / 0.75)
    found, expected = (gradients(each, *inputs) for each in (output, right))
    for name, *both in zip(("query", "key", "value"), found, expected, strict=True):
        equal_gradient(*both, f"`{name}`")


def test_inputs_stay_as_they_are(submission):
    """Query, key, value and mask belong to the caller: a module that writes into them spoils the
    next call."""
    numbers = drawn()
    module = made(submission, numbers)
    mask, inputs = keep_mask(T, S), (normal(B, T, E), normal(B, S, E), normal(B, S, E))
    got = module(*inputs, mask)
    arguments_kept()
    both_equal(got, naive(numbers, *inputs, keep=mask[None, None]))
    for shape in ((B, T, S), (B, H, T, S)):
        mask = keep_mask(*shape)
        pair(module(normal(B, T, E), normal(B, S, E), normal(B, S, E), mask))
    arguments_kept()


def test_calls_do_not_affect_each_other(submission):
    """A call leaves nothing behind and changes no earlier result: the next one may have other
    sizes, or the same sizes and other numbers, and no mask."""
    numbers, query, memory = drawn(), normal(B, T, E), normal(B, S, E)
    module, mask = made(submission, numbers), keep_mask(B, T, S)
    first = pair(module(query, memory, memory, mask))
    for samples, queries, keys in ((B, T, T), (B, T, S), (B, 1, 1), (B, 1, 1)):
        other, x = normal(samples, queries, E), normal(samples, keys, E)
        both_equal(module(other, x, x), naive(numbers, other, x, x), where=" of a later call")
    right = naive(numbers, query, memory, memory, keep=mask[:, None])
    both_equal(first, right, where=" of the first call, after later ones")


def test_a_call_uses_the_weights_as_they_are_now(submission):
    """Parameters change with every step of training: a call uses what they are now, and not what
    they were in the first call."""
    module, x = made(submission, drawn()), normal(B, T, E)
    for _ in range(2):
        numbers = drawn()
        both_equal(module.load(numbers)(x, x, x), naive(numbers, x, x, x))


def test_two_modules_share_nothing(submission):
    """A model has many of them: building one, loading it or switching its mode changes nothing in
    another."""
    numbers, x = drawn(), normal(B, T, E)
    module = made(submission, numbers)
    other = made(submission, drawn(), heads=2, dropout=0.5).train()
    pair(other(x, x, x))
    both_equal(module(x, x, x), naive(numbers, x, x, x))


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features cannot be split into 6 equal heads, nor 4 or 3 into 6: the constructor raises a
    ValueError that names both numbers, before anything is built on a wrong width."""
    more = one_of(22, 26, 27, 28, 29, 31), 6
    for width, heads in in_any_order(((20, 6), (4, 6), (3, 6), more, (6, 1))):
        build = partial(submission.MultiHeadAttention, d_model=width, num_heads=heads)
        if width % heads:
            raises("ValueError", build, mentions=(width, heads))
        else:
            is_module(build())
