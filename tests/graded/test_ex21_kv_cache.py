"""What a cache is: the keys and values of earlier tokens, and attention that gives with it what it
gives without.

Every claim about values puts the suite's own numbers into the module and computes what must come
out: one query at a time, in float64, with pairs of features turned as complex numbers.
"""

import math
from functools import partial

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
    is_module,
    is_pair,
    moves_along,
    raises,
)
from kata.judging.inputs import given, in_any_order, normal, one_of

B, H, D = 2, 3, 8  # samples, heads, features of a head
E = H * D
P, T, C = 7, 5, 13  # earlier tokens, new tokens, context length
PROJECTIONS = ("w_query", "w_key", "w_value", "w_out")


def drawn(width=E, bias=False, grad=False):
    """Numbers for all four projections."""
    weights, biases = normal(4, width, width, scale=width**-0.5), normal(4, width, scale=0.5)
    numbers = {f"{name}.weight": each for name, each in zip(PROJECTIONS, weights, strict=True)}
    if bias:
        numbers |= {f"{name}.bias": each for name, each in zip(PROJECTIONS, biases, strict=True)}
    return {name: each.clone().requires_grad_() if grad else each for name, each in numbers.items()}


def made(submission, numbers, heads=H, context=C, device="", **options):
    """A module with these numbers in it, in evaluation mode."""
    width = numbers["w_out.weight"].shape[0]
    module = submission.CachedAttention(width, heads, context_length=context, **options)
    is_module(module)
    module.load(numbers)
    return (module.to(device) if device == "cuda" else module).eval()


def parts(got):
    """Output and cache, if that is what came back."""
    is_pair(got, "(output, cache)")
    is_array(got[0], "output")
    is_pair(got[1], "cache: (keys, values)")
    is_array(got[1][0], "keys")
    is_array(got[1][1], "values")
    return got


def turned(heads, start=0):
    """The tokens of (B, H, T, D), the first of them at position `start`."""
    *others, size, width = heads.shape
    speeds = 10_000.0 ** (-torch.arange(0, width, 2).double() / width)
    angles = torch.arange(start, start + size)[:, None] * speeds
    pairs = torch.view_as_complex(heads.reshape(*others, size, width // 2, 2))
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs * turns).flatten(-2)


def exact(values):
    """In float64 on the CPU."""
    return values.cpu().double()


def own(numbers, name, x, heads):
    """One projection of x in heads, (B, H, T, D): head h has its own block of rows."""
    rows = exact(numbers[f"{name}.weight"]).reshape(heads, -1, x.shape[-1])  # (H, D, E)
    found = exact(x)[:, None] @ rows.mT
    bias = numbers.get(f"{name}.bias")
    return found if bias is None else found + exact(bias).reshape(heads, 1, -1)


def naive(numbers, x, before=None, *, heads=H):
    """Output, keys and values from their definition, one query at a time.

    Args:
        numbers: of the four projections.
        x: the new tokens.
        before: keys and values of earlier tokens.
        heads: how many.
    """
    past = before[0].shape[2] if before else 0
    query, key = (turned(own(numbers, each, x, heads), past) for each in ("w_query", "w_key"))
    value = own(numbers, "w_value", x, heads)
    if before:
        key, value = (
            torch.cat((exact(old), new), 2) for old, new in zip(before, (key, value), strict=True)
        )
    merged = []
    for place in range(x.shape[1]):
        end = past + place + 1
        scores = query[:, :, place : place + 1] @ key[:, :, :end].mT / math.sqrt(query.shape[-1])
        context = scores.softmax(-1) @ value[:, :, :end]  # (B, H, 1, D)
        merged.append(context.flatten(1))
    output = torch.stack(merged, 1) @ exact(numbers["w_out.weight"]).mT
    return output + exact(numbers.get("w_out.bias", torch.zeros(()))), key, value


def cached(samples=B, heads=H, tokens=P, width=D, **options):
    """Keys and values of the suite's own: a cache of which nobody knows how it was made."""
    size = (samples, heads, tokens, width)
    return normal(*size, **options), normal(*size, **options)


def in_parts(module, x, *sizes):
    """The outputs of a text in parts of these sizes, side by side, and the last cache."""
    outputs, cache = [], None
    for part in x.split(sizes, dim=1):
        output, cache = parts(module(part, cache) if cache else module(part))
        has_shape(output, part.shape, what="output")
        outputs.append(output)
    return torch.cat(outputs, dim=1), cache


def some(usual, *others):
    """A size that is another one in graded runs, where a claim draws no numbers."""
    return one_of(usual, *others)


def mask_of(past, size):
    """Row t sees the columns 0 to past + t."""
    return given([[s <= past + t for s in range(past + size)] for t in range(size)])


def has_bias(module, right):
    """All four projections have a bias, or none has."""
    biases = [f"{name}.bias" for name in PROJECTIONS]
    there = module.parameters(*biases)
    found = given([name in there for name in biases])
    equal(found, [right] * 4, what="(w_query, w_key, w_value, w_out) with a bias")


def far_apart():
    """Numbers, x, and where the first token is: its own score is far below those of later keys."""
    numbers, later = drawn(), -1 - normal(B, T - 1, E).abs()
    size = 9_996**0.5 / D**0.25  # so in each head the score of a row of ones with itself is −9,996
    numbers |= {"w_query.weight": size * torch.eye(E), "w_key.weight": -size * torch.eye(E)}
    x = torch.cat((torch.ones(B, 1, E), later / later.abs().amax(-1, keepdim=True)), 1)
    return numbers, x, (torch.arange(T) == 0)[:, None]


def moved_to_meta(submission, *, first_called):
    """A module on "meta" needs nothing that was left behind, for a first call or a next one."""
    samples, outputs = some(B, 4, 5, 6), []
    module, x, cache = made(submission, drawn()), normal(samples, T, E), cached(samples)
    if first_called:
        parts(module(x, cache))
    module.to("meta")
    x, cache = x.to("meta"), tuple(each.to("meta") for each in cache)
    moves_along(lambda: outputs.append(module(x, cache if first_called else None)))
    for output in outputs:
        has_shape(parts(output)[0], (samples, T, E), what="output")


def all_equal(found, right, names):
    """These gradients are the right ones."""
    for got, expected, name in zip(found, right, names, strict=True):
        equal_gradient(got, expected, f"`{name}`")


# The idea


# causal_mask_after


def test_the_mask_is_boolean_with_a_row_for_each_new_token(submission, device):
    """The mask has a row for each of the T new tokens and a column for each of the P + T keys."""
    for past, size in in_any_order(((3, 2), (some(4, 5, 7), some(6, 8, 9)))):
        mask = submission.causal_mask_after(past, size)
        has_shape(mask, (size, past + size))
        equal(mask, mask_of(past, size), where=[[False]], dtype="bool")


def test_one_earlier_token_and_two_new_ones(submission):
    """After one earlier token, the first of two new tokens sees two keys and the second sees all
    three."""
    mask = submission.causal_mask_after(past=1, size=2)
    equal(mask, given([[1, 1, 0], [1, 1, 1]]) == 1)


def test_without_earlier_tokens_the_mask_is_causal(submission):
    """With nothing before them, new tokens see each other under the causal mask of exercise 05."""
    for size in (some(5, 6, 7, 8), 1):
        equal(submission.causal_mask_after(0, size), mask_of(0, size))


def test_a_single_new_token_sees_every_key(submission):
    """A single new token is the last of the text: it sees all earlier tokens and itself."""
    for past in (some(6, 7, 8, 9), 1):
        equal(submission.causal_mask_after(past, 1), mask_of(past, 1))


# CachedAttention


def test_all_four_projections_are_linear_layers(submission):
    """`w_query`, `w_key`, `w_value` and `w_out` are nn.Linear from E to E features, each with
    parameters of its own: what is no registered parameter is never trained."""
    heads = some(H, 2, 4)
    module = submission.CachedAttention(heads * D, heads, context_length=C)
    has_parameters(module, {f"{name}.weight": (heads * D, heads * D) for name in PROJECTIONS})


def test_there_is_no_bias_unless_asked_for(submission):
    """`bias` is False unless the caller says otherwise: then no projection has one."""
    module = submission.CachedAttention(some(E, 2 * E), H, C)
    is_module(module)
    has_bias(module, right=False)


def test_a_call_returns_the_output_and_the_cache(submission):
    """A call returns two things: the output, as large as x, and the cache, which is two tensors
    again: keys and values in heads, (B, H, T, D), for all tokens so far."""
    x = normal(B, T, E)
    output, cache = parts(made(submission, drawn())(x))
    has_shape(output, (B, T, E), what="output")
    has_shape(cache[0], (B, H, T, D), what="keys")
    has_shape(cache[1], (B, H, T, D), what="values")


def test_the_cache_holds_values_as_they_were_projected(submission, device):
    """The values of the cache are what `w_value` makes of x, in heads: head h has the features h·D
    to (h+1)·D − 1. Only queries and keys are turned."""
    numbers, x = drawn(), normal(B, T, E)
    _, (_, values) = parts(made(submission, numbers, device=device)(x))
    equal(values, naive(numbers, x)[2], what="values")


def test_the_first_token_is_at_position_zero(submission):
    """At position 0 nothing is turned: the key of the first token is what `w_key` makes of it."""
    numbers, x = drawn(), normal(B, T, E)
    _, (keys, _) = parts(made(submission, numbers)(x))
    first = own(numbers, "w_key", x, H)
    equal(keys, first, where=(torch.arange(T) == 0)[:, None], what="keys")


def test_the_cache_holds_keys_turned_by_their_positions(submission, device):
    """The key of token p is turned by position p, pairs of neighbours as in rotate_pairs, in each
    head alike, and the cache keeps it like this."""
    numbers, x = drawn(), normal(B, T, E)
    _, (keys, _) = parts(made(submission, numbers, device=device)(x))
    equal(keys, naive(numbers, x)[1], what="keys")


def test_no_later_token_reaches_an_earlier_output(submission):
    """Without a cache, too, attention is causal: whatever comes later leaves earlier outputs as
    they are."""
    numbers, x = drawn(), normal(B, T, E)
    before, _ = parts(made(submission, numbers)(x))
    for later in (1, T - 1):
        other = x.clone()
        other[:, later] = normal(B, E)
        output, _ = parts(made(submission, numbers)(other))
        what = f"output after a change of token {later}"
        equal(output, before, where=(torch.arange(T) < later)[:, None], what=what)


def test_a_first_call_is_causal_attention_with_rotary_positions(submission, device):
    """Without a cache each token attends to itself and to those before it: scores of turned queries
    and keys, divided by √D, weigh the values, and `w_out` mixes the heads."""
    numbers, x = drawn(), normal(B, T, E)
    output, _ = parts(made(submission, numbers, device=device)(x))
    equal(output, naive(numbers, x)[0], what="output")


def test_heads_scale_and_angles_follow_the_number_of_heads(submission):
    """24 features make 4 heads of 6 or 6 of 4: what a head sees, by how much its features are
    turned, and what its scores are divided by follow from H."""
    numbers, x = drawn(), normal(B, T, E)
    for heads in (4, 6):
        output, _ = parts(made(submission, numbers, heads)(x))
        equal(output, naive(numbers, x, heads=heads)[0], what=f"output of {heads} heads")


def test_the_next_cache_holds_all_tokens_so_far(submission):
    """P earlier tokens and T new ones make a cache of P + T, along the axis of the tokens; the
    output is for the new ones alone."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    output, (keys, values) = parts(made(submission, numbers)(x, cache))
    has_shape(keys, (B, H, P + T, D), what="keys")
    has_shape(values, (B, H, P + T, D), what="values")
    has_shape(output, (B, T, E), what="output")


def test_earlier_tokens_come_first_in_the_cache(submission):
    """What was in the cache stays what it was and comes first: earlier keys have been turned
    already, and are not turned again."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    _, found = parts(made(submission, numbers)(x, cache))
    right, earlier = naive(numbers, x, cache)[1:], (torch.arange(P + T) < P)[:, None]
    for name, got, expected in zip(("keys", "values"), found, right, strict=True):
        equal(got, expected, where=earlier, what=name)


def test_new_values_follow_the_earlier_ones(submission):
    """After the P values of the cache come those of the T new tokens, in their order, as `w_value`
    has made them."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    _, (_, values) = parts(made(submission, numbers)(x, cache))
    equal(values, naive(numbers, x, cache)[2], what="values")


def test_positions_count_on_after_the_cache(submission, device):
    """After P cached tokens the first new key is turned by position P, the next by P + 1: the cache
    says how far the text has come."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    _, (keys, _) = parts(made(submission, numbers, device=device)(x, cache))
    equal(keys, naive(numbers, x, cache)[1], what="keys")


def test_a_single_new_token_attends_to_the_whole_cache(submission, device):
    """One new token after P cached ones, as in writing a text: it sees all P + 1 keys, and its
    query is turned by position P."""
    numbers, x, cache = drawn(), normal(B, 1, E), cached()
    output, _ = parts(made(submission, numbers, device=device)(x, cache))
    equal(output, naive(numbers, x, cache)[0], what="output")


def test_no_later_new_token_reaches_an_earlier_one(submission):
    """Several new tokens after a cache see the whole cache, and of each other only those before: a
    cache is no reason to leave the mask out."""
    module, x, cache = made(submission, drawn()), normal(B, T, E), cached()
    before, _ = parts(module(x, cache))
    for later in (1, T - 1):
        other = x.clone()
        other[:, later] = normal(B, E)
        output, _ = parts(module(other, cache))
        what = f"output after a change of new token {later}"
        equal(output, before, where=(torch.arange(T) < later)[:, None], what=what)


def test_many_new_tokens_attend_to_the_cache_and_to_each_other(submission, device):
    """Each of several new tokens attends to the whole cache and to the new tokens up to itself,
    whether they are fewer than those of the cache or more."""
    numbers = drawn()
    for past in (P, 2):
        x, cache = normal(B, T, E), cached(tokens=past)
        output, _ = parts(made(submission, numbers, device=device)(x, cache))
        equal(output, naive(numbers, x, cache)[0], what=f"output after {past} tokens")


def test_equal_sizes_do_not_mix_up_samples_heads_and_tokens(submission):
    """Four samples, heads, features of a head, earlier and new tokens: axes have places, not
    sizes."""
    numbers, x, cache = drawn(16), normal(4, 4, 16), cached(4, 4, 4, 4)
    output, (keys, values) = parts(made(submission, numbers, heads=4)(x, cache))
    right = naive(numbers, x, cache, heads=4)
    equal(keys, right[1], what="keys")
    equal(values, right[2], what="values")
    equal(output, right[0], what="output")


def test_token_by_token_is_the_same_as_in_one_call(submission):
    """A text read token by token, each call with the cache of the one before, gives the outputs of
    one call, and the same cache in the end."""
    numbers, x = drawn(), normal(B, T, E)
    output, (keys, values) = in_parts(made(submission, numbers), x, *[1] * T)
    right = naive(numbers, x)
    equal(output, right[0], what="outputs of all calls")
    equal(keys, right[1], what="keys")
    equal(values, right[2], what="values")


# The fine print


# causal_mask_after


def test_many_new_tokens_see_all_earlier_ones(submission):
    """Every new token sees all earlier ones, and of the new ones those up to itself: more new ones
    than earlier ones, fewer, as many, or a few after a thousand."""
    for past, size in in_any_order(((2, 5), (7, 3), (4, 4), (some(30, 31, 40), 20), (1_030, 3))):
        equal(submission.causal_mask_after(past, size), mask_of(past, size))


# CachedAttention


def test_with_bias_true_all_four_projections_have_one(submission):
    """`bias=True`, by name or as the fourth argument, gives a bias to all four projections."""
    for width in (some(E, 2 * E), E):
        for module in (
            submission.CachedAttention(width, H, C, True),
            submission.CachedAttention(d_model=width, num_heads=H, context_length=C, bias=True),
        ):
            is_module(module)
            has_bias(module, right=True)


def test_two_modules_share_nothing(submission):
    """A model has a module like this in every layer: what one of them reads, how many heads it has
    and how long its texts may be is not for another one to know."""
    numbers, x = drawn(), normal(B, T, E)
    module = made(submission, numbers)
    other, longer = made(submission, drawn(), heads=4, context=C + 7), normal(3, C + 2, E)
    parts(other(longer))
    output, (keys, _) = parts(module(x))
    equal(keys, naive(numbers, x)[1], what="keys")
    equal(output, naive(numbers, x)[0], what="output")


def test_forward_takes_its_arguments_by_name(submission):
    """`x` and `cache` can be given by name, in any order, and `cache=None` is a first call."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    for before in (cache, None):
        output, _ = parts(made(submission, numbers)(cache=before, x=x))
        equal(output, naive(numbers, x, before)[0], what="output")


def test_a_module_in_float64_computes_in_float64(submission):
    """`.to()` takes the whole module to another dtype, tables included: in float64 the outputs and
    the cache are float64, and the numbers are right; and back in float32 it is as it was."""
    numbers, x = drawn(bias=True), normal(B, P + T, E, dtype="float64")
    module = made(submission, numbers, bias=True).to("float64")
    output, cache = in_parts(module, x, P, T)
    names = ("outputs of both calls", "keys", "values")
    for what, got, right in zip(names, (output, *cache), naive(numbers, x), strict=True):
        has_dtype(got, "float64", what)
        equal(got.float(), right, what=what)  # as close as the table, which is float32
    before = tuple(each[:, :, :P].float() for each in cache)
    again, _ = parts(module.to("float32")(x[:, P:].float(), before))
    has_dtype(again, "float32", "output in float32")
    equal(again, output[:, P:].float(), what="output in float32")


def test_scores_may_be_large(submission):
    """Where scores are as large as some hundreds, weights are what they should be: nothing
    overflows, and nothing is left of a hidden key."""
    numbers, x, (keys, values) = drawn(), normal(B, T, E), cached()
    numbers["w_query.weight"] *= 100
    numbers["w_value.weight"] *= 0.05
    cache = keys, 0.05 * values  # an error of the scores counts for little
    for before in (cache, None):
        output, _ = parts(made(submission, numbers)(x, before))
        equal(output, naive(numbers, x, before)[0], what="output")


def test_a_hidden_key_has_no_weight_however_high_it_scores(submission):
    """The first token of a text attends to itself, also where its own score is nearly −10,000 and
    those of later tokens are far above: a hidden key has no influence at all."""
    numbers, x, first = far_apart()
    output, _ = parts(made(submission, numbers)(x))
    equal(output, naive(numbers, x)[0], where=first, what="output")


def test_a_score_of_zero_hides_nothing(submission):
    """A token of zeros has no score but zero, and attends alike to every key that it may see."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    x[:, 3] = 0
    for before in (cache, None):
        output, _ = parts(made(submission, numbers)(x, before))
        equal(output, naive(numbers, x, before)[0], what="output")


def test_inputs_may_be_views(submission):
    """x and the tensors of the cache may be transposed views of others: what counts is the shape,
    and not in which order the numbers lie in memory."""
    numbers, x = drawn(), normal(T, E, B).permute(2, 0, 1)
    cache = normal(B, P, H, D).transpose(1, 2), normal(D, P, H, B).permute(3, 2, 1, 0)
    for before in (cache, None):
        output, _ = parts(made(submission, numbers)(x, before))
        equal(output, naive(numbers, x, before)[0], what="output")


def test_every_size_may_be_one(submission):
    """One sample, one head, one earlier token or one new one: an axis of length 1 is an axis."""
    numbers = drawn()
    for samples, heads, past, size in ((1, H, P, T), (B, 1, 1, T), (1, 1, 1, 1)):
        x, cache = normal(samples, size, E), cached(samples, heads, past, E // heads)
        output, (keys, values) = parts(made(submission, numbers, heads)(x, cache))
        right = naive(numbers, x, cache, heads=heads)
        equal(output, right[0], what="output")
        equal(keys, right[1], what="keys")
        equal(values, right[2], what="values")


def test_samples_are_independent(submission):
    """A sample attends to its own cache: another text in the batch, or none, changes nothing."""
    numbers, x, (keys, values) = drawn(), normal(4, T, E), cached(4)
    module = made(submission, numbers)
    right = naive(numbers, x, (keys, values))[0]
    for chosen in ([2], [3, 0]):
        output, _ = parts(module(x[chosen], (keys[chosen], values[chosen])))
        equal(output, right[chosen], what=f"output of the samples {chosen} alone")


def test_a_call_without_a_cache_begins_a_new_text(submission):
    """A text lives in its cache alone. A call without one begins at position 0, whatever the module
    has read before."""
    numbers = drawn()
    module = made(submission, numbers)
    for samples, size in ((B, T), (B, T), (4, 3)):
        x = normal(samples, size, E)
        output, (keys, _) = parts(module(x))
        right = naive(numbers, x)
        equal(keys, right[1], what="keys")
        equal(output, right[0], what="output")


def test_two_texts_may_take_turns(submission):
    """Two texts, each with a cache of its own, may be read in turns by one module: what it computes
    depends on the cache that it is given, and what it has returned stays as it is, with gradients
    recorded or without."""
    numbers, texts = drawn(), (normal(B, P, E), normal(B, P, E))
    rights = [naive(numbers, text) for text in texts]
    for recorded in (True, False):
        module, caches, outputs = made(submission, numbers), [None, None], ([], [])
        with torch.set_grad_enabled(recorded):
            for part in (slice(0, 4), slice(4, P)):
                for place, text in enumerate(texts):
                    output, caches[place] = parts(module(text[:, part], caches[place]))
                    has_shape(output, text[:, part].shape, what=f"output of text {place}")
                    outputs[place].append(output)
        for place, (right, keys, values) in enumerate(rights):
            equal(torch.cat(outputs[place], 1), right, what=f"outputs of text {place}")
            equal(caches[place][0], keys, what=f"keys of text {place}")
            equal(caches[place][1], values, what=f"values of text {place}")


def test_any_parts_are_the_same_as_one_call(submission, device):
    """A text in parts of any sizes gives the outputs of one call: first many tokens and then one
    after the other, or parts of uneven sizes, with a first part of one token or of many."""
    numbers, x = drawn(bias=True), normal(B, P + T, E)
    right = naive(numbers, x)
    for sizes in ((9, 1, 1, 1), (2, 5, 1, 4), (1, 3, 8)):
        module = made(submission, numbers, device=device, bias=True)
        output, (keys, values) = in_parts(module, x, *sizes)
        equal(output, right[0], what=f"outputs in parts of {sizes}")
        equal(keys, right[1], what=f"keys in parts of {sizes}")
        equal(values, right[2], what=f"values in parts of {sizes}")


def test_a_text_of_context_length_is_not_too_long(submission):
    """P + T may be as large as context_length: in one call, or in parts."""
    numbers, x = drawn(), normal(B, C, E)
    module, right = made(submission, numbers), naive(numbers, x)[0]
    equal(parts(module(x))[0], right, what="output")
    output, _ = in_parts(module, x, C - 1, 1)
    equal(output, right, what="outputs of both calls")


def test_a_text_may_have_thousands_of_tokens(submission):
    """Tokens after 3,990 others are tokens like any others, several or one: they have positions of
    their own, and attend to all keys. x is small here: angles may be off by a thousandth."""
    numbers, past = drawn(4), 3_990
    module, cache = made(submission, numbers, heads=1, context=past + T), cached(1, 1, past, 4)
    for size in (T, 1):
        x = normal(1, size, 4, scale=1e-3)
        output, (keys, _) = parts(module(x, cache))
        right = naive(numbers, x, cache, heads=1)
        equal(keys, right[1], what="keys")
        equal(output, right[0], what="output")


def test_training_computes_what_evaluation_does(submission):
    """There is no dropout here: in training mode and under torch.no_grad() a module computes the
    same, with a cache and without."""
    numbers, x = drawn(), normal(B, T, E)
    module = made(submission, numbers).train()
    output, _ = in_parts(module, x, 3, 2)
    equal(output, naive(numbers, x)[0], what="output in training")
    with torch.no_grad():
        output, _ = in_parts(module, x, 3, 2)
    equal(output, naive(numbers, x)[0], what="output under no_grad")


def test_x_gets_gradients(submission):
    """What is learned before attention needs the gradient of x, in one call without a cache."""
    numbers, x = drawn(), normal(B, T, E, grad=True)
    output, _ = parts(made(submission, numbers)(x))
    right, *_ = naive(numbers, x)
    equal(output, right, what="output")
    all_equal(gradients(output, x), gradients(right, x), ["x"])


def test_gradients_flow_through_the_cache(submission):
    """The output of a later call depends on the keys and values of earlier tokens, and its gradient
    flows back to them: a cache is not detached."""
    numbers, cache = drawn(), cached(grad=True)
    x = normal(B, T, E, grad=True)
    output, _ = parts(made(submission, numbers)(x, cache))
    right, *_ = naive(numbers, x, cache)
    equal(output, right, what="output")
    names, inputs = ("x", "keys of the cache", "values of the cache"), (x, *cache)
    all_equal(gradients(output, *inputs), gradients(right, *inputs), names)


def test_gradients_reach_the_tokens_of_earlier_calls(submission):
    """In several calls the tokens of a text get the gradients of one call: each output sends some
    to the tokens of the calls before, through the cache that was returned, also that of a single
    token."""
    numbers, x = drawn(), normal(B, T, E, grad=True)
    output, _ = in_parts(made(submission, numbers), x, 3, 1, 1)
    right, *_ = naive(numbers, x)
    equal(output, right, what="outputs of all calls")
    all_equal(gradients(output, x), gradients(right, x), ["x"])


def test_projections_get_gradients(submission):
    """All four projections learn in training, each weight and each bias with its gradient, from a
    text in two parts."""
    numbers, x = drawn(bias=True, grad=True), normal(B, T, E)
    module = made(submission, numbers, bias=True).train()
    output, _ = in_parts(module, x, 3, 2)
    right, *_ = naive(numbers, x)
    equal(output, right, what="output")
    backward(output)
    found = module.gradients()
    all_equal([found[name] for name in numbers], gradients(right, *numbers.values()), numbers)


def test_hidden_keys_get_no_gradient(submission):
    """However far a hidden score is above the visible ones, the output of the first token sends no
    gradient to later tokens: it is zero there, and not NaN."""
    numbers, x, first = far_apart()
    output, _ = parts(made(submission, numbers)(x.requires_grad_()))
    (found,) = gradients(output[:, :1], x)
    equal_gradient(found, torch.zeros(B, T, E), "`x`", where=~first)


def test_x_and_the_cache_stay_as_they_are(submission):
    """x and the cache belong to the caller, with gradients recorded or without: a call that writes
    into them, or turns the cached keys in place, spoils the next one."""
    numbers, x, cache = drawn(), normal(B, T, E), cached()
    module, right = made(submission, numbers), naive(numbers, x, cache)[0]
    for recorded in (True, False):
        with torch.set_grad_enabled(recorded):
            parts(module(x))
            output, _ = parts(module(x, cache))
        arguments_kept()
        equal(output, right, what="output")


def test_a_call_uses_the_weights_as_they_are_now(submission):
    """Parameters change with every step of training: a call uses what they are now, biases too,
    with gradients recorded or without."""
    module, x, cache = made(submission, drawn(bias=True), bias=True), normal(B, T, E), cached()
    for recorded in (True, False):
        numbers = drawn(bias=True)
        with torch.set_grad_enabled(recorded):
            output, _ = parts(module.load(numbers)(x, cache))
        equal(output, naive(numbers, x, cache)[0], what="output")


def test_all_that_forward_needs_moves_to_another_device(submission):
    """`.to()` takes the whole module to another device, tables and masks included, for a first call
    too: here to "meta", where tensors have shapes and no numbers."""
    moved_to_meta(submission, first_called=False)


def test_a_module_that_was_called_moves_too(submission):
    """A module may be moved after a call: nothing that it made then stays behind, and the next call
    with a cache needs nothing from there."""
    moved_to_meta(submission, first_called=True)


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features cannot be split into 6 equal heads, nor 4 into 6: the constructor raises a
    ValueError that names both numbers."""
    more = one_of(22, 26, 27, 28, 29, 31), 6
    for width, heads in in_any_order(((20, 6), (4, 6), more, (12, 6))):
        build = partial(submission.CachedAttention, width, heads, context_length=C)
        if width % heads:
            raises("ValueError", build, mentions=(width, heads))
        else:
            is_module(build())


def test_a_first_call_above_context_length_raises(submission):
    """More tokens than context_length in the first call raise a ValueError that names both numbers:
    how many there are, and how many there may be."""
    context = one_of(C, 14, 15, 16)
    module = made(submission, drawn(), context=context)
    for size in (context + 1, 31):
        raises("ValueError", partial(module, normal(B, size, E)), mentions=(size, context))


def test_a_text_that_grows_above_context_length_raises(submission):
    """Earlier and new tokens together may not be more than context_length, however few are new, in
    training as well: a ValueError names their sum and the limit."""
    module, (keys, values) = made(submission, drawn()).train(), cached(tokens=C)
    for past, size in in_any_order(((C, 1), (C - 1, 2), (4, C - 2))):
        cache = keys[:, :, :past], values[:, :, :past]
        call = partial(module, normal(B, size, E), cache)
        raises("ValueError", call, mentions=(past + size, C))
