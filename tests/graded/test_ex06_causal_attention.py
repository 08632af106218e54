"""What causal attention is: one head that sees no future, of any length up to the context.

Every claim about values puts the suite's own numbers into the module and computes what must come
out without a mask.
"""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import torch
from torch.nn.functional import pad

from kata.judging.claims import (
    arguments_kept,
    backward,
    between,
    equal,
    equal_gradient,
    gradients,
    has_parameters,
    has_shape,
    is_module,
    moves_along,
    raises,
)
from kata.judging.inputs import given, in_any_order, normal, one_of

B, T, C = 2, 5, 7  # samples, tokens, context length
MANY, LONG = 12, 40  # samples and tokens: many draws of dropout, also where some are shared
D_IN, D = 3, 6
PROJECTIONS = ("w_query", "w_key", "w_value")


def drawn(d_in=D_IN, d_out=D, bias=False, grad=False):
    """Numbers for all three projections. Scores are small: large ones are made on purpose."""
    weights, biases = normal(3, d_out, d_in, scale=0.7 * d_in**-0.5), normal(3, d_out, scale=0.5)
    numbers = {f"{name}.weight": each for name, each in zip(PROJECTIONS, weights, strict=True)}
    if bias:
        numbers |= {f"{name}.bias": each for name, each in zip(PROJECTIONS, biases, strict=True)}
    return {name: each.clone().requires_grad_() if grad else each for name, each in numbers.items()}


def made(submission, numbers, context=C, device="", **options):
    """A module with these numbers in it, in evaluation mode."""
    d_out, d_in = numbers["w_value.weight"].shape
    options |= {"bias": True} if "w_value.bias" in numbers else {}
    module = submission.CausalAttention(d_in=d_in, d_out=d_out, context_length=context, **options)
    is_module(module)
    module.load(numbers)
    return (module.to(device) if device == "cuda" else module).eval()


def naive(numbers, x, thin=1.0):
    """Output and weights from the definition, in float64 on the CPU: token t asks tokens 0 to t.

    The largest score of a row is that of the tokens up to its own: a running maximum, taken on the
    diagonal. So no mask is needed.

    thin: the factor by which dropout multiplies each weight.
    """
    known = {name: each.cpu().double() for name, each in numbers.items()}
    inputs = x.cpu().double()
    query, key, value = (
        inputs @ known[f"{name}.weight"].mT + known.get(f"{name}.bias", 0) for name in PROJECTIONS
    )
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    largest = scores.cummax(dim=-1).values.diagonal(dim1=-2, dim2=-1)
    powers = (scores - largest.unsqueeze(-1)).exp().tril()  # (B, T, T)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return (weights * thin) @ value, weights


def showing(tokens, d_in, **options):
    """Numbers whose output shows the weights twice: features s and s + T are those of token s.

    The first features of an input say which token it is; queries and keys come of all of them.
    """
    numbers = drawn(d_in, 2 * tokens, **options)
    numbers["w_value.weight"] = pad(torch.eye(tokens).repeat(2, 1), (0, d_in - tokens))
    if "w_value.bias" in numbers:
        numbers["w_value.bias"] = torch.zeros(2 * tokens)
    return numbers


def numbered(samples, tokens, d_in, grad=False):
    """Random tokens whose first features say where they stand."""
    places = given(torch.eye(tokens).repeat(samples, 1, 1).numpy())
    inputs = torch.cat([places, normal(samples, tokens, d_in - tokens)], dim=-1)
    return inputs.requires_grad_(grad)


def future(tokens):
    """Where a key comes after its query."""
    return given(~np.tri(tokens, dtype=bool))


def some(usual):
    """This size in a learner's run; in a graded run any that is a little larger."""
    return one_of(usual, *range(usual + 1, usual + 50))


def in_training(submission, samples=60, tokens=T, grad=False):
    """Numbers and x of many samples, and the output in training with dropout=0.25.

    It shows what dropout left of the weights, and shows it twice.
    """
    numbers, x = showing(tokens, tokens + 4), numbered(samples, tokens, tokens + 4, grad=grad)
    output = made(submission, numbers, context=3 * LONG, dropout=0.25).train()(x)
    has_shape(output, (samples, tokens, 2 * tokens), what="output")
    return numbers, x, output


def left_weights(output):
    """What dropout left of the weights, twice: each (samples, queries, keys)."""
    return output.detach().unflatten(-1, (2, -1)).unbind(dim=2)


# The idea


def test_all_three_projections_are_linear_layers(submission):
    """`w_query`, `w_key` and `w_value` are nn.Linear from d_in to d_out features, each with
    parameters of its own: what is no registered parameter is never trained."""
    module = submission.CausalAttention(d_in=D_IN, d_out=D, context_length=C)
    has_parameters(module, {f"{name}.weight": (D, D_IN) for name in PROJECTIONS})


def test_there_is_no_bias_unless_asked_for(submission):
    """`bias` is False unless the caller says otherwise: then no projection has one."""
    modules = made(submission, drawn(), bias=False), made(submission, drawn())
    biases = [f"{name}.bias" for name in PROJECTIONS]
    for own in [module.parameters(*biases) for module in modules]:
        found = given([name in own for name in biases])
        equal(found, [False] * 3, what="(w_query, w_key, w_value) with a bias")


def test_bias_true_gives_every_projection_a_bias(submission):
    """`bias=True` gives a bias to each of the three projections."""
    module = submission.CausalAttention(d_in=D_IN, d_out=D, context_length=C, bias=True)
    has_parameters(module, {f"{name}.bias": (D,) for name in PROJECTIONS})


def test_the_mask_is_a_buffer(submission):
    """`mask` is a buffer: it belongs to the module, moves with it, and is nothing to be learned."""
    found = made(submission, drawn()).buffers()
    equal(given(["mask" in found]), [True], what="`mask` among the buffers")


def test_calling_the_module_returns_one_tensor(submission):
    """Calling the module runs its `forward`, which takes as many tokens as the context is long and
    gives each of them d_out features. One tensor comes back, and no weights."""
    samples, width = one_of(B, 3, 4, 5, 6), one_of(D, 5, 4, 2)
    module = submission.CausalAttention(d_in=D_IN, d_out=width, context_length=C)
    is_module(module)
    has_shape(module(normal(samples, C, D_IN)), (samples, C, width))


def test_with_zero_queries_the_output_is_a_running_mean_of_values(submission):
    """Where all queries are zero, a token attends alike to itself and to every token before it: the
    output is the mean of the values up to there, and the first token keeps its own."""
    numbers = drawn()
    numbers["w_query.weight"] = torch.zeros(D, D_IN)
    x = normal(B, C, D_IN)
    values = x.double() @ numbers["w_value.weight"].double().mT
    means = values.cumsum(dim=1) / given([[float(t + 1)] for t in range(C)])
    equal(made(submission, numbers)(x), means, what="output")


def test_the_output_is_causal_attention_by_its_definition(submission, device):
    """Query t is compared with the keys 0 to t; scores are divided by the root of d_out, softmax
    makes weights of them, and the weights mix the values. Each has its own projection."""
    numbers, x = drawn(), normal(B, C, D_IN)
    equal(made(submission, numbers, device=device)(x), naive(numbers, x)[0], what="output")


def test_biases_are_added(submission):
    """With `bias=True` queries, keys and values are shifted by their biases."""
    numbers, x = drawn(bias=True), normal(B, C, D_IN)
    equal(made(submission, numbers)(x), naive(numbers, x)[0], what="output")


def test_every_length_up_to_the_context_is_accepted(submission):
    """A context of 7 takes 2 tokens, 3 tokens, and so on up to 7: sentences differ in length, also
    where there happen to be as many tokens as features."""
    numbers = drawn()
    for tokens in range(2, C + 1):
        x = normal(B, tokens, D_IN)
        right, _ = naive(numbers, x)
        equal(made(submission, numbers)(x), right, what=f"output of {tokens} tokens")


def test_d_in_and_d_out_may_be_any_two_widths(submission):
    """The output may be narrower than the input, or as wide: it is a mixture of values, and nothing
    is added to it."""
    for d_in, d_out in ((D, D_IN), (D, D)):
        numbers, x = drawn(d_in, d_out), normal(B, T, d_in)
        equal(made(submission, numbers)(x), naive(numbers, x)[0], what="output")


def test_evaluation_drops_nothing(submission, device):
    """After `eval()` a module with dropout computes what it would without."""
    numbers, x = drawn(), normal(B, T, D_IN)
    module = made(submission, numbers, device=device, dropout=0.5)
    equal(module(x), naive(numbers, x)[0], what="output")


def test_there_is_no_dropout_unless_asked_for(submission):
    """`dropout` is 0 unless the caller says otherwise: then training drops nothing either."""
    numbers, x = drawn(), normal(B, T, D_IN)
    equal(made(submission, numbers).train()(x), naive(numbers, x)[0], what="output")


def test_dropout_acts_on_weights(submission):
    """A dropped weight takes all features of its value with it, and a kept one leaves them all."""
    *_, output = in_training(submission, some(60))
    once, again = left_weights(output)
    equal(again, once, what="the weights, as the features s and s + 5 show them")


def test_later_tokens_have_no_weight_in_training_either(submission):
    """Dropout and mask go together: a later token has no weight in training either."""
    *_, output = in_training(submission, some(MANY), LONG)
    left, _ = left_weights(output)
    equal(left, torch.zeros_like(left), where=future(LONG), what="weights after dropout")


def test_dropout_is_the_share_of_weights_that_are_dropped(submission):
    """`dropout=0.25` drops a quarter of the weights: it is the share that goes, not the one that
    stays."""
    *_, output = in_training(submission, some(MANY), LONG)
    left, _ = left_weights(output)
    left = left[:, ~future(LONG)]
    share = (left == 0).float().mean().item()
    what = f"share of {left.numel()} weights that became zero"
    between(share, 0.20, 0.30, what)  # 11 sigma each way


def test_kept_weights_are_divided_by_one_minus_dropout(submission):
    """With `dropout=0.25` a weight that is kept is divided by 0.75: so the expected sum of a row
    stays 1. The row is not normalised again."""
    numbers, x, output = in_training(submission)
    left, _ = left_weights(output)
    equal(left, naive(numbers, x)[1] / 0.75, where=left != 0, what="weights after dropout")


# The fine print


def test_the_constructor_takes_its_arguments_by_position(submission):
    """Width in, width out, context length, dropout, bias: in this order the constructor takes them
    without names."""
    numbers, x = drawn(), normal(B, C, D_IN)
    module = submission.CausalAttention(D_IN, D, C, 1.0, False)
    is_module(module)
    module.load(numbers)
    equal(module.train()(x), given([[[0.0] * D] * C] * B), what="output with dropout=1.0")
    equal(module.eval()(x), naive(numbers, x)[0], what="output in evaluation")


def test_the_mask_moves_to_another_device_with_the_module(submission):
    """`.to()` takes the whole module to another device, with all that `forward` needs: here to
    "meta", where tensors have shapes and no numbers."""
    width, outputs = some(D), []
    module, x = made(submission, drawn(D_IN, width)).to("meta"), normal(B, C, D_IN).to("meta")
    moves_along(lambda: outputs.append(module(x)))
    for output in outputs:
        has_shape(output, (B, C, width), what="output")


def test_a_change_of_later_tokens_changes_no_earlier_output(submission):
    """Other tokens after token t, however large, leave the outputs 0 to t as they were: a model
    that is trained to guess the next token must not see it."""
    numbers, x = drawn(), normal(B, C, D_IN)
    right, _ = naive(numbers, x)
    for t in range(C - 1):
        other = x.clone()
        other[:, t + 1 :] = normal(B, C - t - 1, D_IN, scale=400.0)
        output = made(submission, numbers)(other)
        has_shape(output, (B, C, D), what="output")
        equal(output[:, : t + 1], right[:, : t + 1], what=f"output up to token {t}")


def test_later_tokens_get_exactly_zero_weight(submission):
    """A later token gets exactly nothing, whether scores lie close together or thousands apart, and
    whether its own score is far above the others or all of them are far below zero."""
    samples = some(B)
    numbers, x = showing(T, 9, bias=True), numbered(samples, T, 9)
    numbers["w_query.weight"] *= 0.1
    numbers["w_key.bias"] -= 1.0
    for size in (1.0, 200.0, 2000.0):
        numbers["w_query.bias"] = given([size] * 2 * T)
        output = made(submission, numbers)(x)
        has_shape(output, (len(x), T, 2 * T), what="output")
        left, _ = output.unflatten(-1, (2, T)).unbind(dim=2)
        equal(left, naive(numbers, x)[1], where=future(T), what="weights")
        largest = left.abs().masked_fill(~future(T), 0.0).max().item()
        between(largest, 0.0, 0.0, "the largest weight of a later token")


def test_later_tokens_stay_hidden_among_scores_of_ten_thousand(submission):
    """Scores may lie anywhere between −10,000 and 10,000. A later token gets nothing, even where
    its own score is 9,999 and those of all tokens before it are −9,999."""
    tokens = 8
    numbers, x = showing(tokens, 10, bias=True), numbered(some(B), tokens, 10)
    for name in ("w_query.weight", "w_query.bias", "w_key.weight", "w_key.bias"):
        numbers[name] *= 0
    numbers["w_query.bias"][0] = 4 * 9999.0  # 4 is the root of 16 features
    numbers["w_key.bias"][0], numbers["w_key.weight"][0, tokens - 1] = -1.0, 2.0
    output = made(submission, numbers, context=tokens)(x)
    has_shape(output, (len(x), tokens, 2 * tokens), what="output")
    left, _ = output.unflatten(-1, (2, tokens)).unbind(dim=2)
    right = naive(numbers, x)[1]
    equal(left, right, where=future(tokens), what="weights")
    # Some right answers round a score of 9,999 by a thousandth.
    equal(left / 1000, right / 1000, what="a thousandth of the weights")


def test_scores_far_from_zero_are_compared_as_they_are(submission):
    """Scores of 9,600 and 9,640 differ as much as 0 and 40 do, and so do −9,900 and −9,860: nothing
    is cut off on the way to the softmax."""
    tokens = 8
    for start in (9600.0, -9900.0):
        numbers, x = showing(tokens, 10, bias=True), numbered(some(B), tokens, 10)
        for name in ("w_query.weight", "w_query.bias", "w_key.weight", "w_key.bias"):
            numbers[name] *= 0
        numbers["w_query.bias"][0] = 4.0  # the root of 16 features
        numbers["w_key.bias"][0] = start
        numbers["w_key.weight"][0, :tokens] = given([40.0 * s for s in range(tokens)])
        output = made(submission, numbers, context=tokens)(x)
        has_shape(output, (len(x), tokens, 2 * tokens), what="output")
        left, _ = output.unflatten(-1, (2, tokens)).unbind(dim=2)
        equal(left, naive(numbers, x)[1], what="weights")


def test_inputs_may_be_views(submission):
    """x may be a transposed view of another tensor: what counts is the shape, and not in which
    order the numbers lie in memory."""
    numbers = drawn()
    for x in (normal(B, D_IN, T).mT, normal(T, B, D_IN).transpose(0, 1)):
        equal(made(submission, numbers)(x), naive(numbers, x)[0], what="output")


def test_the_context_length_limits_tokens_not_samples_or_features(submission):
    """The context length is about tokens: there may be more samples than that, and wider ones."""
    numbers, x = drawn(D, D_IN), normal(T, 2, D)
    equal(made(submission, numbers, context=2)(x), naive(numbers, x)[0], what="output")


def test_every_size_may_be_one(submission):
    """One sample, one token, one feature, or all at once: an axis of length 1 is an axis."""
    sizes = (1, T, D_IN, D), (B, 1, D_IN, D), (B, T, 1, D), (B, T, D_IN, 1)
    for samples, tokens, d_in, d_out in sizes:
        numbers, x = drawn(d_in, d_out), normal(samples, tokens, d_in)
        equal(made(submission, numbers)(x), naive(numbers, x)[0], what="output")
    numbers, x = drawn(1, 1), normal(1, 1, 1)
    equal(made(submission, numbers, context=1)(x), naive(numbers, x)[0], what="output")


def test_the_last_of_70_tokens_sees_all_that_came_before(submission):
    """The last of 70 tokens sees all that came before it, and the last of 10 samples has weights
    of its own."""
    numbers, x = drawn(), normal(10, 70, D_IN, scale=0.5)
    equal(made(submission, numbers, context=90)(x), naive(numbers, x)[0], what="output")


def test_dropout_of_one_drops_every_weight(submission):
    """In training with `dropout=1.0` no value gets through, be there many tokens and samples or
    one: the output is zero, also where the projections have biases."""
    numbers = drawn(bias=True)
    for samples, tokens in ((some(B), C), (B, 1), (1, C)):
        module = made(submission, numbers, dropout=1.0).train()
        output = module(normal(samples, tokens, D_IN))
        equal(output, given([[[0.0] * D] * tokens] * samples), what="output")


def test_each_weight_is_dropped_independently(submission):
    """Weights of different samples, queries and keys are dropped independently: with `dropout=0.25`
    two of them are dropped together in 1 of 16 cases."""
    *_, output = in_training(submission, some(MANY), LONG)
    left, _ = left_weights(output)
    gone, seen = left == 0, (~future(LONG)).expand_as(left)
    for axis, name, step in (
        (0, "samples", 1),
        (0, "samples", len(left) // 2),
        (1, "queries", 1),
        (2, "keys", 1),
    ):
        both = seen & seen.roll(step, dims=axis)
        share = (gone & gone.roll(step, dims=axis))[both].float().mean().item()
        between(share, 0.02, 0.11, f"share of pairs of {name} whose weights are both dropped")


def test_each_call_in_training_draws_new_weights_to_drop(submission):
    """Every call in training draws anew which weights it drops."""
    numbers, x = drawn(), normal(some(9), C, D_IN)
    module = made(submission, numbers, dropout=0.5).train()
    outputs = [module(x).clone() for _ in range(3)]
    for one, next_one in pairwise(outputs):
        has_shape(next_one, (len(x), C, D), what="output")
        share = (one == next_one).all(dim=-1).float().mean().item()
        between(share, 0.0, 0.5, "share of queries with one and the same output in two calls")


def test_results_are_the_same_under_no_grad(submission):
    """Under torch.no_grad() a module computes what it does while gradients are recorded: every row,
    and none of them with the future."""
    numbers, x = drawn(), normal(B, T, D_IN)
    with torch.no_grad():
        output = made(submission, numbers)(x)
    equal(output, naive(numbers, x)[0], what="output")


def test_the_input_gets_its_gradient(submission):
    """What is learned before attention needs the gradient of x, which comes back three ways:
    through queries, keys and values."""
    numbers, x = drawn(), normal(B, T, D_IN, grad=True)
    output, (right, _) = made(submission, numbers)(x), naive(numbers, x)
    equal(output, right, what="output")
    (found,), (expected,) = gradients(output, x), gradients(right, x)
    equal_gradient(found, expected, "`x`")


def test_projections_get_gradients(submission):
    """All three projections learn: each weight and bias gets its gradient."""
    numbers, x = drawn(bias=True, grad=True), normal(B, T, D_IN)
    module = made(submission, numbers)
    output, (right, _) = module(x), naive(numbers, x)
    equal(output, right, what="output")
    backward(output)
    found, expected = module.gradients(), gradients(right, *numbers.values())
    for name, gradient in zip(numbers, expected, strict=True):
        if name != "w_key.bias":  # it shifts all scores of a query alike: zero but for rounding
            equal_gradient(found[name], gradient, f"`{name}`")


def test_gradients_pass_through_dropout(submission):
    """A backward pass runs in training with dropout, and x learns through the weights that are
    left."""
    numbers, x, output = in_training(submission, grad=True)
    left, _ = left_weights(output)
    right, _ = naive(numbers, x, thin=(left != 0).double() / 0.75)
    (found,), (expected,) = gradients(output, x), gradients(right, x)
    equal_gradient(found, expected, "`x`")


def test_the_input_stays_as_it_is(submission):
    """x belongs to the caller: a module that writes into it spoils what others do with it."""
    numbers = drawn()
    module, x = made(submission, numbers, dropout=0.5), normal(B, T, D_IN)
    output = module(x)
    arguments_kept()
    equal(output, naive(numbers, x)[0], what="output")
    module.train()(normal(B, T, D_IN))
    arguments_kept()


def test_calls_do_not_affect_each_other(submission):
    """A call leaves nothing behind and changes no earlier result: the next one may be shorter,
    longer, of another batch size, or of the same size with other numbers."""
    numbers = drawn()
    module, x = made(submission, numbers), normal(B, T, D_IN)
    first = module(x)
    for samples, tokens in ((B, 2), (B, C), (1, 1), (1, 1), (B, T)):
        other = normal(samples, tokens, D_IN)
        equal(module(other), naive(numbers, other)[0], what="output of a later call")
    equal(first, naive(numbers, x)[0], what="output of the first call, after later ones")


def test_a_call_uses_the_weights_as_they_are_now(submission):
    """Parameters change with every step of training: a call uses what they are now, and not what
    they were in the first call."""
    module, x = made(submission, drawn()), normal(B, T, D_IN)
    for _ in range(2):
        numbers = drawn()
        equal(module.load(numbers)(x), naive(numbers, x)[0], what="output")


def test_two_modules_share_nothing(submission):
    """A model has many of them: building one, loading it or switching its mode changes nothing in
    another."""
    numbers, x = drawn(), normal(B, T, D_IN)
    module = made(submission, numbers)
    other = made(submission, drawn(), context=2, dropout=0.5).train()
    other(normal(B, 2, D_IN))
    equal(module(x), naive(numbers, x)[0], what="output")


# Refusals


def test_more_tokens_than_the_context_length_raise_a_value_error(submission):
    """One token more than the context length is a ValueError that names both numbers, and so are
    many more: it is checked before anything else, and told in the caller's terms."""
    for context, tokens in in_any_order([(9, 35), (C, C + 1), (1, 2), (4, 4)]):
        numbers, x = drawn(), normal(B, tokens, D_IN)
        module = made(submission, numbers, context=context)
        if tokens <= context:
            equal(module(x), naive(numbers, x)[0], what="output")
            continue
        raises("ValueError", partial(module, x), mentions=(tokens, context))
        raises("ValueError", partial(module.train(), x), mentions=(tokens, context))
