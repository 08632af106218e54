"""What a sliding window is: a token attends to itself and to the W − 1 before it, and to no other.

Expected outputs are computed token by token: each slices its own window out of the whole text, so
that neither a mask nor a cache is needed. A text in parts has to give what it gives in one call.
"""

from functools import partial
from itertools import accumulate, pairwise, product

import numpy as np
import torch
from torch.nn import functional

from kata.judging.case import current
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
    moves_along,
    raises,
)
from kata.judging.inputs import given, in_any_order, normal, one_of

B, H, W, D = 2, 3, 4, 6  # samples, heads, window, width of a head
E = H * D
LONG = 11  # tokens of a text that is longer than the window
PROJECTIONS = ("w_query", "w_key", "w_value", "w_out")
PAIR = "(keys, values)"


def seen(size, window, past=0):
    """The mask from its definition: whether a key is too late, or too far back."""
    behind = [[past + t - s for s in range(past + size)] for t in range(size)]
    return [[0 <= distance < window for distance in row] for row in behind]


def cut(submission, cache, window):
    """Keys and values that were kept."""
    kept = submission.keep_last(cache, window)
    is_pair(kept, PAIR)
    for each, name in zip(kept, ("keys", "values"), strict=True):
        is_array(each, name)
    return kept


def drawn(width=E, bias=False, grad=False):
    """Numbers for all four projections."""
    weights, biases = normal(4, width, width, scale=width**-0.5), normal(4, width, scale=0.5)
    numbers = {f"{name}.weight": each for name, each in zip(PROJECTIONS, weights, strict=True)}
    if bias:
        numbers |= {f"{name}.bias": each for name, each in zip(PROJECTIONS, biases, strict=True)}
    return {name: each.clone().requires_grad_() if grad else each for name, each in numbers.items()}


def made(submission, numbers, window=W, heads=H, device=""):
    """A module with these numbers in it, in evaluation mode."""
    width = numbers["w_out.weight"].shape[0]
    told = {"bias": True} if "w_out.bias" in numbers else {}
    module = submission.WindowAttention(d_model=width, num_heads=heads, window=window, **told)
    is_module(module)
    module.load(numbers)
    return (module.to(device) if device == "cuda" else module).eval()


def call(module, x, *cache):
    """Output and cache of one call, if that is what came back."""
    pair = module(x, *cache)
    is_pair(pair, "(output, cache)")
    is_array(pair[0], "output")
    is_pair(pair[1], f"cache = {PAIR}")
    return pair


def written(module, x, *sizes):
    """The outputs of a text that is read in parts of these sizes, side by side; the last cache."""
    outputs, cache, given_on = [], None, ()
    for start, stop in pairwise(accumulate(sizes, initial=0)):
        part = x[:, start:stop]
        output, cache = call(module, part, *given_on)
        has_shape(output, part.shape, f"output of the tokens {start} to {stop - 1}")
        given_on = (cache,)
        outputs.append(output)
    return torch.cat(outputs, dim=1), cache


def in_heads(numbers, name, x, heads):
    """What one projection gives to each head, in float64: (B, H, T, D)."""
    known = [numbers.get(f"{name}.{kind}") for kind in ("weight", "bias")]
    weight, bias = (None if each is None else each.cpu().double() for each in known)
    own = functional.linear(x.cpu().double(), weight, bias)
    return torch.stack(own.chunk(heads, dim=-1), dim=1)


def naive(numbers, x, window=W, heads=H):
    """The output for a whole text in float64, one token after the other with its own window."""
    query, key, value = (in_heads(numbers, name, x, heads) for name in PROJECTIONS[:3])
    rows = []
    for t in range(x.shape[1]):
        near = slice(max(0, t - window + 1), t + 1)
        scores = query[:, :, t : t + 1] @ key[:, :, near].mT / query.shape[-1] ** 0.5
        rows.append(scores.softmax(dim=-1) @ value[:, :, near])  # (B, H, 1, D)
    merged = torch.cat(list(torch.cat(rows, dim=2).unbind(dim=1)), dim=-1)
    return in_heads(numbers, "w_out", merged, 1)[:, 0]


def kept_of(numbers, x, count, heads=H):
    """The keys and values of the last tokens of a text, so many of them."""
    both = (in_heads(numbers, name, x, heads) for name in ("w_key", "w_value"))
    return [each[:, :, x.shape[1] - count :] for each in both]


def same_cache(cache, right, where=""):
    """Keys and values are right."""
    is_pair(cache, PAIR)
    for mine, each, name in zip(cache, right, ("keys", "values"), strict=True):
        equal(mine, each, what=f"{name}{where}")


def cache_kept(place):
    """No call of this claim changed the cache that it was given at this place."""
    for event in current().events:
        if len(event.before) > place and isinstance(event.before[place], tuple):
            pairs = zip(event.after[place], event.before[place], ("keys", "values"), strict=True)
            for after, before, name in pairs:
                equal(after, before, what=f"{name} that were given, after the call")


# The idea


# window_mask


def test_the_mask_has_a_row_for_each_new_token_and_a_column_for_each_key(submission):
    """5 new tokens after 7 earlier ones: a boolean mask of 5 rows, and of 12 columns, as the
    earlier tokens are only looked at."""
    size, past = one_of(5, 3, 4, 6), one_of(7, 8, 9)
    mask = submission.window_mask(size, W, past)
    has_shape(mask, (size, past + size))
    has_dtype(mask, "bool")
    equal(mask.diagonal(past), [True] * size, what="whether each token sees itself")


def test_with_a_window_of_two_a_token_sees_itself_and_the_one_before(submission):
    """The token itself counts: a window of two leaves room for one earlier token, and nobody sees
    a later one."""
    right = [[True, False, False, False], [True, True, False, False]]
    right += [[False, True, True, False], [False, False, True, True]]
    equal(submission.window_mask(size=4, window=2, past=0), right)


def test_earlier_tokens_are_the_first_columns(submission):
    """Two new tokens after three: with a window of three, the first of them is token 3 and sees the
    tokens 1, 2 and 3; the window is counted back from there."""
    right = [[False, True, True, True, False], [False, False, True, True, True]]
    equal(submission.window_mask(2, 3, 3), right)


def test_in_a_window_of_one_a_token_sees_itself(submission):
    """The smallest window holds the token itself, whatever came before it."""
    for past in (0, 1):
        equal(submission.window_mask(4, 1, past), seen(4, 1, past))


def test_all_small_masks_follow_the_definition(submission):
    """A key is seen if it is the token's own or one of the W − 1 before it: for every number of new
    tokens up to 4, of earlier ones up to 5, and every window that is shorter than both together."""
    for size, past in product((2, 3, 4), range(6)):
        for window in range(1, size + past):
            right = seen(size, window, past)
            equal(submission.window_mask(size, window, past), right)


def test_a_single_new_token_has_a_window_too(submission):
    """A text that is written token by token asks for a mask of one row: the last W keys are seen,
    and the keys before them are not."""
    for past, window in ((6, 4), (2, 4), (3, 4), (4, 4), (9, 1)):
        right = seen(1, window, past)
        equal(submission.window_mask(1, window, past), right)


def test_a_window_longer_than_the_text_hides_the_future_alone(submission):
    """Where the window reaches back to the first token or beyond it, the mask is causal."""
    for size, window, past in ((5, 5, 0), (5, 9, 0), (3, 7, 4), (3, 8, 4), (3, 99, 4), (1, 5, 0)):
        equal(submission.window_mask(size, window, past), seen(size, window, past))


# keep_last


def test_the_last_tokens_are_kept_in_their_order(submission):
    """Five tokens, and a window of two: tokens 3 and 4 stay, in this order, as keys and values."""
    numbers = np.tile(np.arange(5.0)[:, None], (B, H, 1, D))
    keys, values = cut(submission, (given(numbers), given(numbers + 10)), 2)
    equal(keys, numbers[:, :, 3:], what="keys")
    equal(values, numbers[:, :, 3:] + 10, what="values")


def test_a_cache_with_fewer_tokens_than_the_window_stays_whole(submission):
    """Three tokens fit into a window of three, of four, or of ten: all are kept, and none is made
    up."""
    cache = normal(B, H, 3, D), normal(B, H, 3, D)
    for window in (3, 4, 5, 10):
        same_cache(cut(submission, cache, window), cache)


# WindowAttention


def test_all_four_projections_are_linear_layers(submission):
    """`w_query`, `w_key`, `w_value` and `w_out` are nn.Linear from E to E features, each with
    parameters of its own: what is no registered parameter is never trained."""
    module = submission.WindowAttention(d_model=E, num_heads=H, window=W)
    has_parameters(module, {f"{name}.weight": (E, E) for name in PROJECTIONS})


def test_there_is_no_bias_unless_asked_for(submission):
    """`bias` is False unless the caller says otherwise: then no projection has one."""
    biases = [f"{name}.bias" for name in PROJECTIONS]
    for told in ({}, {"bias": False}):
        module = submission.WindowAttention(d_model=E, num_heads=H, window=W, **told)
        is_module(module)
        own = module.load(drawn()).parameters(*biases)
        found = given([name in own for name in biases])
        equal(found, [False] * 4, what="(w_query, w_key, w_value, w_out) with a bias")


def test_bias_true_gives_every_projection_a_bias(submission):
    """`bias=True` gives a bias to all four projections, also by position: width, heads, window and
    bias come in this order."""
    module = submission.WindowAttention(E, H, W, True)
    has_parameters(module, {f"{name}.bias": (E,) for name in PROJECTIONS})


def test_a_call_returns_the_output_and_the_cache(submission):
    """Calling the module runs its `forward`: an output for each token, and a pair of keys and
    values, each (B, H, T, D) as long as all of them fit into the window."""
    tokens = one_of(3, 2)
    output, cache = call(made(submission, drawn()), normal(B, tokens, E))
    has_shape(output, (B, tokens, E), "output")
    for each, name in zip(cache, ("keys", "values"), strict=True):
        has_shape(each, (B, H, tokens, D), name)


def test_in_a_window_of_one_the_output_is_the_projected_value(submission):
    """A token that sees itself alone has a weight of 1: its value goes through `w_out`, and neither
    query nor key matters."""
    numbers, x = drawn(), normal(B, LONG, E)
    value = in_heads(numbers, "w_value", x, 1)[:, 0]
    right = in_heads(numbers, "w_out", value, 1)[:, 0]
    equal(call(made(submission, numbers, window=1), x)[0], right, what="output")


def test_with_zero_queries_the_output_is_a_moving_average(submission, device):
    """Where all scores are zero, the output is the mean of the last W values: of fewer at the start
    of the text, and never of more."""
    numbers, x = drawn(), normal(B, LONG, E)
    numbers["w_query.weight"] = given(np.zeros((E, E)))
    numbers["w_value.weight"] = numbers["w_out.weight"] = given(np.eye(E))
    text = x.cpu().double()
    means = [text[:, max(0, t - W + 1) : t + 1].mean(dim=1) for t in range(LONG)]
    output, _ = call(made(submission, numbers, device=device), x)
    equal(output, torch.stack(means, dim=1), what="output")


def test_a_text_within_the_window_gets_causal_attention(submission, device):
    """As long as the window reaches back to the first token, each token attends to itself and to
    all before it, with scores divided by the root of D."""
    numbers, x = drawn(), normal(B, 5, E)
    output, _ = call(made(submission, numbers, window=7, device=device), x)
    equal(output, naive(numbers, x, window=7), what="output")


def test_biases_are_added(submission):
    """With `bias=True` queries, keys, values and the output are shifted by their biases."""
    numbers, x = drawn(bias=True), normal(B, LONG, E)
    equal(call(made(submission, numbers), x)[0], naive(numbers, x), what="output")


def test_the_cache_holds_what_the_projections_give(submission):
    """Keys and values are kept as `w_key` and `w_value` have made them, biases included, split into
    heads: whoever reads the cache need not compute them again."""
    numbers, x = drawn(bias=True), normal(B, 3, E)
    _, cache = call(made(submission, numbers), x)
    same_cache(cache, kept_of(numbers, x, 3))


def test_the_cache_of_a_long_text_holds_the_last_w_tokens(submission):
    """No later token can see what is further back, so it is not kept: of 11 tokens the last 4 stay,
    the newest among them. Each module has a window of its own."""
    numbers, x = drawn(), normal(B, LONG, E)
    modules = {window: made(submission, numbers, window) for window in (W, 1, LONG - 1)}
    for window, module in modules.items():
        _, cache = call(module, x)
        same_cache(cache, kept_of(numbers, x, window))


def test_a_token_sees_what_the_call_before_has_left(submission, device):
    """The second call gets one token and the cache of the first: its output is that of a text of
    three in one call."""
    numbers, x = drawn(), normal(B, 3, E)
    output, _ = written(made(submission, numbers, device=device), x, 2, 1)
    equal(output, naive(numbers, x), what="output of both calls")


def test_a_full_cache_has_one_token_too_many_for_the_next_one(submission):
    """W tokens are kept, and the next token is one of the W that it may see: the first of the cache
    is out of its window."""
    numbers, x = drawn(), normal(B, W + 1, E)
    output, _ = written(made(submission, numbers), x, W, 1)
    equal(output, naive(numbers, x), what="output of both calls")


def test_token_by_token_gives_what_one_call_gives(submission):
    """A text of 11 tokens that is read one token at a time: each output is the one that the token
    has in a single call, before the window is full and after that."""
    numbers, x = drawn(bias=True), normal(B, LONG, E)
    output, _ = written(made(submission, numbers), x, *[1] * LONG)
    equal(output, naive(numbers, x), what="output of all calls")


def test_all_tokens_of_a_long_chunk_see_their_whole_window(submission):
    """A chunk may be longer than the window: its first tokens still see the cache, and those in its
    middle see their own window, so nothing may be forgotten before all have attended."""
    numbers, x = drawn(), normal(B, 3 + 8, E)
    output, _ = written(made(submission, numbers), x, 3, 8)
    equal(output, naive(numbers, x), what="output of both calls")


# The fine print


# window_mask


def test_the_past_is_none_unless_it_is_given(submission):
    """Without a third argument there are no earlier tokens: 5 new ones, 5 keys."""
    equal(submission.window_mask(5, 3), seen(5, 3))


def test_masks_may_be_large(submission):
    """Nothing is made for some largest length: 150 new tokens after 80, with a window of 100, or 2
    new tokens after 5,000, with a window of 3,000."""
    for size, window, past in ((150, 100, 80), (2, 3000, 5000)):
        equal(submission.window_mask(size, window, past), seen(size, window, past))


# keep_last


def test_kept_tokens_keep_their_dtype(submission):
    """A cache in half precision stays as small as it is, and one in double precision as exact."""
    for dtype in ("float16", "float64"):
        cache = normal(B, H, 7, D, dtype=dtype), normal(B, H, 7, D, dtype=dtype)
        kept = cut(submission, cache, W)
        for mine, own, name in zip(kept, cache, ("keys", "values"), strict=True):
            equal(mine, own[:, :, 3:], dtype=dtype, what=name)


def test_tokens_are_the_third_dimension(submission):
    """Samples, heads and features all stay: 2 samples, 3 heads and 6 features of the last token are
    kept, if one is, and of the last five; so do 7 samples, heads and features of 7 tokens."""
    for window, sizes in ((1, (B, H, 7, D)), (5, (B, H, 7, D)), (5, (7, 7, 7, 7))):
        cache = normal(*sizes), normal(*sizes)
        kept = cut(submission, cache, window)
        same_cache(kept, [each[:, :, 7 - window :] for each in cache])


def test_keep_last_takes_its_arguments_by_name(submission):
    """`cache` and `window` can be given by name."""
    cache = normal(B, H, 7, D), normal(B, H, 7, D)
    kept = submission.keep_last(window=W, cache=cache)
    same_cache(kept, [each[:, :, 3:] for each in cache])


def test_gradients_reach_the_tokens_that_are_kept(submission):
    """What is kept is connected with the cache that it came from, also if that is all of it and
    fewer tokens than the window; what is dropped gets zero."""
    cache = normal(B, H, 7, D, grad=True), normal(B, H, 7, D, grad=True)
    for window in (W, 7, 9):
        kept, left = cut(submission, cache, window), min(window, 7)
        for mine, own, name in zip(kept, cache, ("keys", "values"), strict=True):
            has_shape(mine, (B, H, left, D), name)
            right = gradients(own[:, :, 7 - left :], own)[0]
            equal_gradient(gradients(mine, own)[0], right, name)


def test_the_cache_that_is_cut_stays_as_it_is(submission):
    """Others may go on from the same cache: its numbers stay where they are."""
    cache = normal(B, H, 7, D), normal(B, H, 7, D)
    same_cache(cut(submission, cache, W), [each[:, :, 3:] for each in cache])
    cache_kept(0)


# WindowAttention


def test_a_token_counts_until_it_leaves_the_window(submission):
    """Another token at place s changes the outputs s to s + W − 1, each of which has it in its
    window, and no other: none before it, and none from s + W on."""
    numbers, x = drawn(), normal(B, LONG, E)
    right, module = naive(numbers, x), made(submission, numbers)
    for place in (0, 3, LONG - W):
        other = x.clone()
        other[:, place] = normal(B, E, scale=3.0)
        changed = naive(numbers, other)
        output, _ = call(module, other)
        has_shape(output, (B, LONG, E), "output")
        inside = slice(place, place + W)
        equal(output[:, :place], right[:, :place], what=f"output before token {place}")
        equal(output[:, place + W :], right[:, place + W :], what="output behind its window")
        equal(output[:, inside], changed[:, inside], what="output with it in the window")


def test_uneven_chunks_give_what_one_call_gives(submission):
    """However a text is cut into parts, longer or shorter than the window, each token has the same
    output."""
    numbers, x = drawn(), normal(B, 18, E)
    right = naive(numbers, x)
    for sizes in ((3, 1, 7, 2, 5), (6, 4, 8), (2, 2, 14)):
        output, _ = written(made(submission, numbers), x, *sizes)
        equal(output, right, what=f"output of calls with {sizes} tokens")


def test_the_cache_grows_to_the_window_and_no_further(submission):
    """After each of 11 tokens there are the keys and values of the last 4 in the order of the text,
    or of all, as long as there are fewer: a longer text needs no more memory."""
    numbers, x = drawn(), normal(B, LONG, E)
    module, given_on, whole = made(submission, numbers), (), kept_of(numbers, x, LONG)
    for t in range(LONG):
        _, cache = call(module, x[:, t : t + 1], *given_on)
        right = [each[:, :, max(0, t + 1 - W) : t + 1] for each in whole]
        same_cache(cache, right, where=f" after {t + 1} tokens")
        given_on = (cache,)


def test_the_cache_after_uneven_chunks_holds_the_last_w_tokens(submission):
    """A chunk replaces as many tokens as it has: some of the cache, or all of it."""
    numbers, x = drawn(), normal(B, 12, E)
    for sizes in ((3, 2), (6, 2), (2, 1, 5)):
        _, cache = written(made(submission, numbers), x, *sizes)
        same_cache(cache, kept_of(numbers, x[:, : sum(sizes)], W), where=f" after {sizes}")


def test_double_precision_stays_double(submission):
    """A module and a text in float64 give outputs and a cache in float64."""
    numbers, x = drawn(bias=True), normal(B, 7, E, dtype="float64")
    output, cache = written(made(submission, numbers).to("float64"), x, 5, 2)
    has_dtype(output, "float64", "output")
    equal(output.float(), naive(numbers, x), what="output")  # softmax may run in float32
    for each, name in zip(cache, ("keys", "values"), strict=True):
        has_dtype(each, "float64", name)


def test_hidden_tokens_stay_hidden_among_large_scores(submission):
    """A token outside of the window gets nothing, even where all scores in the window are below
    −8,000 and its own is above 9,900; nor where the only score that counts is near −10,000."""
    numbers, x = drawn(), normal(B, LONG, E)
    for name, feature in (("w_query.weight", 0), ("w_key.weight", 1)):
        numbers[name] = given(np.zeros((E, E)))
        numbers[name][::D, feature] = 1.0  # the first feature of each head, and no other
    numbers["w_value.weight"][:, :2] = 0.0  # what is large makes scores, and nothing else
    x[..., 0] = 150.0
    x[..., 1] = given([5.0 * (t % W) - 150.0 for t in range(LONG)])  # one key wins in each window
    x[:, 0, 1] = -163.25  # token 0 sees this key alone
    x[:, [1, 8], 1] = 163.25  # the tokens 5 to 7 see neither of these
    equal(call(made(submission, numbers), x)[0], naive(numbers, x), what="output")


def test_keys_of_zeros_are_tokens_too(submission):
    """A token whose key and value are zero has a score of zero, and a share of the weights: nothing
    in the numbers of a cache says that a token is not there."""
    numbers, x = drawn(), normal(B, 6, E)
    x[:, :3] = 0.0
    output, cache = written(made(submission, numbers), x, 3, 1, 2)
    equal(output, naive(numbers, x), what="output of all calls")
    same_cache(cache, kept_of(numbers, x, W))


def test_inputs_may_be_views(submission):
    """x and the cache may be transposed views of other tensors: what counts is the shape."""
    numbers, x = drawn(), normal(LONG, B, E).transpose(0, 1)
    module = made(submission, numbers)
    _, (keys, values) = call(module, x[:, :6])
    has_shape(keys, (B, H, W, D), "keys")
    has_shape(values, (B, H, W, D), "values")
    other = [each.transpose(1, 2).contiguous().transpose(1, 2) for each in (keys, values)]
    output, _ = call(module, x[:, 6:], tuple(other))
    equal(output, naive(numbers, x)[:, 6:], what="output of the second call")


def test_there_may_be_any_number_of_heads(submission):
    """18 features make one head of 18, two of 9, or 18 of one: each head attends on its own, in
    three modules that are there at the same time."""
    numbers, x = drawn(), normal(B, LONG, E)
    modules = {heads: made(submission, numbers, heads=heads) for heads in (1, 2, 18)}
    for heads, module in modules.items():
        output, _ = call(module, x)
        equal(output, naive(numbers, x, heads=heads), what=f"output of {heads} heads")


def test_every_size_may_be_one(submission):
    """One sample, one token, one head, one feature: an axis of length 1 is an axis, in the output
    and in the cache."""
    sizes = (1, 5, H, D), (B, 1, H, D), (B, 5, 1, D), (B, 5, H, H), (B, 5, 1, 1), (1, 1, 1, 1)
    for samples, tokens, heads, width in sizes:
        numbers, x = drawn(width), normal(samples, tokens, width)
        output, cache = call(made(submission, numbers, heads=heads), x)
        equal(output, naive(numbers, x, heads=heads), what="output")
        same_cache(cache, kept_of(numbers, x, min(tokens, W), heads))


def test_in_a_window_of_one_nothing_of_the_cache_is_seen(submission):
    """A window of one has room for the token itself: it is kept, and no later one sees it."""
    numbers, x = drawn(bias=True), normal(B, 4, E)
    output, _ = written(made(submission, numbers, window=1), x, 1, 1, 2)
    equal(output, naive(numbers, x, window=1), what="output of all calls")


def test_a_long_text_needs_no_largest_length(submission):
    """Neither window nor text has a largest length: 90 tokens with a window of 70, then 20 more."""
    numbers, x = drawn(6), normal(1, 110, 6)
    output, _ = written(made(submission, numbers, window=70), x, 90, 20)
    equal(output, naive(numbers, x, window=70), what="output of both calls")


def test_a_cache_may_hold_thousands_of_tokens(submission):
    """A window has no largest length: with one of 5,000, a token sees the last 4,999 tokens of a
    cache of 5,000, and itself."""
    numbers, token = drawn(6), normal(1, 1, 6)
    numbers["w_query.weight"] = given(np.zeros((6, 6)))  # the output is a mean of values
    cache = normal(1, 3, 5000, 2), normal(1, 3, 5000, 2)
    own = [in_heads(numbers, name, token, 3) for name in ("w_key", "w_value")]
    right = [torch.cat((a.cpu().double(), b), 2)[:, :, 1:] for a, b in zip(cache, own, strict=True)]
    output, kept = call(made(submission, numbers, window=5000), token, cache)
    mean = right[1].mean(dim=2).reshape(1, 1, 6)
    equal(output, in_heads(numbers, "w_out", mean, 1)[:, 0], what="output")
    same_cache(kept, right)


def test_the_cache_may_be_given_by_name(submission):
    """`cache` is the name of the second argument, and None means that there is none."""
    numbers, x = drawn(), normal(B, 7, E)
    module = made(submission, numbers)
    first = module(x=x[:, :5], cache=None)
    is_pair(first, "(output, cache)")
    second = module(x=x[:, 5:], cache=first[1])
    is_pair(second, "(output, cache)")
    equal(second[0], naive(numbers, x)[:, 5:], what="output of the second call")


def test_the_module_moves_to_another_device(submission):
    """`.to()` takes the module to another device, and its calls make what they need there, whatever
    it was called with before: here "meta", where tensors have shapes and no numbers."""
    module = made(submission, drawn())
    x, outputs = normal(B, 7, E), []

    def three_calls(x):
        _, cache = call(module, x[:, :4])
        outputs.append(call(module, x[:, 4:], cache)[0])
        outputs.append(call(module, x[:, 2:5])[0])

    call(module, x[:, 2:5])
    module.to("meta")
    moves_along(partial(three_calls, x.to("meta")))
    for output in outputs:
        has_shape(output, (B, 3, E), "output")


def test_x_stays_as_it_is(submission):
    """x belongs to the caller, who may need it again for a sum: it is not changed."""
    numbers, x = drawn(), normal(B, LONG, E)
    with torch.no_grad():
        equal(call(made(submission, numbers), x)[0], naive(numbers, x), what="output")
    arguments_kept()


def test_gradients_reach_every_parameter(submission):
    """All four projections learn, biases included: each gets the gradient of the definition."""
    numbers, x = drawn(bias=True, grad=True), normal(B, LONG, E)
    module = made(submission, {name: each.detach() for name, each in numbers.items()})
    output, _ = call(module, x)
    has_shape(output, (B, LONG, E), "output")
    backward(output)
    found = module.gradients()
    del numbers["w_key.bias"]  # zero in theory: it moves all scores of a row alike
    backward(naive(numbers, x))
    for name, each in numbers.items():
        equal_gradient(found[name], each.grad, name)


def test_gradients_reach_x(submission):
    """A token moves the outputs that have it in their window, and gets its gradient from them."""
    numbers, x = drawn(), normal(B, LONG, E, grad=True)
    output, _ = call(made(submission, numbers), x)
    has_shape(output, (B, LONG, E), "output")
    equal_gradient(gradients(output, x)[0], gradients(naive(numbers, x), x)[0], "x")


def test_gradients_flow_through_the_cache(submission):
    """The second call reads what the first has made: the tokens of the first call get gradients
    from it, as in a text that was read in one call, and so do keys and values. So it is in a text
    of four parts, before the window is full and after that, and in training."""
    numbers, x = drawn(), normal(B, 7, E, grad=True)
    module = made(submission, numbers)
    _, cache = call(module, x[:, :5])
    output, _ = call(module, x[:, 5:], cache)
    has_shape(output, (B, 2, E), "output")
    found, *of_cache = gradients(output, x, *cache)
    equal_gradient(found, gradients(naive(numbers, x)[:, 5:], x)[0], "x")
    largest = [0.0 if each is None else each.abs().max().item() for each in of_cache]
    between(min(largest), 1e-6, np.inf, "the largest gradient of keys or values in the cache")
    output, _ = written(module.train(), x, 2, 1, 2, 2)
    right = gradients(naive(numbers, x), x)[0]
    equal_gradient(gradients(output, x)[0], right, "x, read in four parts")


def test_what_was_returned_is_not_changed_by_later_calls(submission):
    """The caller may keep a cache and come back to it, or keep an output: no later call writes into
    them, where no gradients are wanted either."""
    numbers, x = drawn(), normal(B, 6, E)
    module, caches, outputs = made(submission, numbers), [], []
    with torch.no_grad():
        for t in range(6):
            output, cache = call(module, x[:, t : t + 1], *caches[-1:])
            outputs.append(output)
            caches.append(cache)
    whole, right = kept_of(numbers, x, 6), naive(numbers, x)
    for t, output in enumerate(outputs):
        equal(output, right[:, t : t + 1], what=f"output of call {t + 1}, after 6 calls")
    for t, cache in enumerate(caches):
        right = [each[:, :, max(0, t + 1 - W) : t + 1] for each in whole]
        same_cache(cache, right, where=f" of call {t + 1}, after 6 calls")


def test_one_cache_may_be_continued_twice(submission):
    """Two texts with the same start share the cache of that start: the first to go on from there
    leaves it as it was, and so does the second, with gradients or without."""
    numbers, start = drawn(), normal(B, 6, E)
    module = made(submission, numbers)
    _, cache = call(module, start)
    for size in (1, 5):
        x = torch.cat((start, normal(B, size, E)), dim=1)
        right = naive(numbers, x)[:, 6:]
        for learns in (False, True):
            with torch.set_grad_enabled(learns):
                output, _ = call(module, x[:, 6:], cache)
            equal(output, right, what="output of the second call")
    cache_kept(1)


def test_two_texts_may_be_continued_in_turns(submission):
    """The module remembers nothing: what came before is in the cache of each text, and a call
    without a cache begins a new one, as does a third text here, with gradients or without.
    Three keys may be those of three new tokens, or of two after an earlier one."""
    numbers, texts = drawn(), [normal(B, 7, E) for _ in range(3)]
    module, caches = made(submission, numbers), [(), (), ()]
    rights = [naive(numbers, x) for x in texts]
    turns = (0, 5, 1), (0, 1, 0), (1, 3, 0), (5, 7, 1), (3, 7, 0), (0, 3, 2)
    for start, stop, at in turns:
        with torch.set_grad_enabled(at == 0):
            output, cache = call(module, texts[at][:, start:stop], *caches[at])
        caches[at] = (cache,)
        equal(output, rights[at][:, start:stop], what=f"output of text {at}")


def test_training_and_evaluation_are_the_same(submission):
    """Nothing is dropped out, so the mode makes no difference, with a cache or without. In both,
    every text begins anew, with the weights that the projections have then."""
    module = made(submission, drawn())
    for switch in (module.train, module.train, module.eval):
        numbers, x = drawn(), normal(B, LONG, E)
        output, _ = written(switch().load(numbers), x, 6, 5)
        equal(output, naive(numbers, x), what=f"output after {switch.__name__}()")


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features cannot be shared among 6 heads, nor 4 or 3: the constructor raises a ValueError
    that names both numbers."""
    more = one_of(22, 26, 27, 28, 29, 31), 6
    for width, heads in in_any_order(((20, 6), (4, 6), (3, 6), more, (6, 1), (6, 6))):
        build = partial(submission.WindowAttention, d_model=width, num_heads=heads, window=W)
        if width % heads:
            raises("ValueError", build, mentions=(width, heads))
        else:
            has_parameters(build(), {"w_out.weight": (width, width)})
