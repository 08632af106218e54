"""What self-attention is: the tokens of one text read one another, through three projections.

Claims about the class put the suite's own numbers into its three layers.
"""

import math

import numpy as np
import torch
from torch.nn import functional as F

from kata.judging.claims import (
    arguments_kept,
    backward,
    equal,
    equal_gradient,
    gradients,
    has_parameters,
    has_shape,
    is_module,
)
from kata.judging.inputs import arrays, given, in_any_order, normal, nudged, numpy, one_of

B, H, S, D_IN, D_OUT = 2, 3, 7, 5, 6
LAYERS = ("w_query", "w_key", "w_value")
PARTS = ("weight", "bias")


def matrices(d_in=D_IN, d_out=D_OUT, *, scale=1.0, grad=False):
    """Three matrices that make scores of ordinary size."""
    return [normal(d_in, d_out, scale=scale * d_in**-0.5, grad=grad) for _ in range(3)]


def naive(x, *weights, biases=(0, 0, 0)):
    """Self-attention from its definition, in NumPy float64, each sum over an axis that is named."""
    tokens, *projections = arrays(x, *weights)
    pairs = zip(projections, biases, strict=True)
    queries, keys, values = (tokens @ weight + numpy(bias) for weight, bias in pairs)
    scores = np.einsum("...td,...sd->...ts", queries, keys) / math.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("...ts,...sd->...td", powers / powers.sum(axis=-1, keepdims=True), values)


def attended(x, *weights):
    """The same through PyTorch's own attention, for gradients."""
    return F.scaled_dot_product_attention(*(x @ each for each in weights))


def twice(tokens):
    """Two texts of the same tokens: in this order, and from the last one to the first."""
    return given(np.stack([tokens, tokens[::-1]]))


def equal_to_naive(submission, x, *weights):
    """The function computes what the definition says."""
    equal(submission.self_attention(x, *weights), naive(x, *weights))


def drawn(d_in=D_IN, d_out=D_OUT, *, bias=False, grad=False):
    """Numbers for the three layers, as nn.Linear keeps them: (d_out, d_in)."""
    numbers = {f"{name}.weight": normal(d_out, d_in, scale=d_in**-0.5) for name in LAYERS}
    if bias:
        numbers |= {f"{name}.bias": normal(d_out, scale=0.5) for name in LAYERS}
    return {name: each.requires_grad_(grad) for name, each in numbers.items()}


def made(submission, numbers, device="", **options):
    """A module with these numbers in it, in evaluation mode."""
    d_out, d_in = numbers["w_query.weight"].shape
    module = submission.SelfAttention(d_in=d_in, d_out=d_out, **options)
    is_module(module)
    module.load(numbers)
    return (module.to(device) if device == "cuda" else module).eval()


def expected(numbers, x):
    """What a module with these numbers must compute."""
    weights = [numpy(numbers[f"{name}.weight"]).T for name in LAYERS]
    return naive(x, *weights, biases=[numbers.get(f"{name}.bias", 0) for name in LAYERS])


def two_values():
    """A `w_value` whose rows are the values of two one-hot tokens."""
    return given(nudged([[4.0, 0.0, 0.0, 8.0], [8.0, 4.0, 4.0, 0.0]], by=1.0))


def with_bias(module):
    """Which of the three layers have a bias."""
    biases = [f"{name}.bias" for name in LAYERS]
    own = module.parameters(*biases)
    return given([name in own for name in biases])


# The idea


# self_attention


def test_each_token_gets_one_context(submission):
    """Seven tokens of width 5 go in, seven contexts of width 6 come out, for each of two texts: one
    tensor (B, S, d_out)."""
    others = one_of(4, 3, 9, 10), one_of(8, 2, 11, 12)
    for tokens, d_out in ((S, D_OUT), others):
        got = submission.self_attention(normal(B, tokens, D_IN), *matrices(d_out=d_out))
        has_shape(got, (B, tokens, d_out))


def test_a_value_that_all_tokens_share_comes_out_unchanged(submission):
    """The weights of each token sum to one. So a value that all tokens have in common comes out as
    it is, whatever the weights are."""
    x, (w_query, w_key, w_value) = normal(B, S, D_IN), matrices()
    x[..., 0], w_value[1:] = 1.0, 0.0
    got = submission.self_attention(x, w_query, w_key, w_value)
    equal(got, np.broadcast_to(numpy(w_value)[0], (B, S, D_OUT)))


def test_reordering_the_tokens_only_reorders_their_contexts(submission):
    """Tokens in another order have the same contexts in that other order: nothing depends on where
    a token stands, and none is hidden from another one."""
    x, weights = normal(B, S, D_IN), matrices()
    order = in_any_order([3, 6, 0, 5, 1, 2, 4])
    first = submission.self_attention(x, *weights)
    has_shape(first, (B, S, D_OUT))
    right = numpy(first)[:, order]
    second = submission.self_attention(x[:, order], *weights)
    equal(second, right, what="the contexts of the tokens in another order")


def test_three_tokens_get_the_contexts_worked_out_by_hand(submission, device):
    """One-hot tokens pick the rows of the matrices. Their products 2·log 1, 2·log 2 and 2·log 5,
    divided by √4, become the weights 1/8, 2/8 and 5/8 of the first token. The second text has the
    same tokens, the last one first."""
    x = twice(np.eye(3))
    w_query = given([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]])
    w_key = given(np.log([[1.0, 4.0, 5.0, 2.0], [2.0, 2.0, 2.0, 1.0], [5.0, 2.0, 1.0, 1.0]]))
    values = [[8.0, 0.0, 0.0, 8.0], [0.0, 8.0, 0.0, 8.0], [0.0, 0.0, 8.0, 8.0]]
    w_value = given(nudged(values, by=1.0))
    got = submission.self_attention(x, w_query, w_key, w_value)
    weights = np.array([[1.0, 2.0, 5.0], [4.0, 2.0, 2.0], [5.0, 2.0, 1.0]]) / 8
    contexts = weights @ numpy(w_value)
    equal(got, [contexts, contexts[::-1]])


def test_scores_are_divided_by_the_square_root_of_d_out(submission, device):
    """Only for d_out = 4 are √d_out, d_out / 2 and the number 2 the same. Here d_out is 11, and the
    root is that of the width of queries and keys."""
    equal_to_naive(submission, twice(numpy(normal(S, D_IN))), *matrices(d_out=11))


def test_each_sample_of_a_batch_attends_only_to_itself(submission, device):
    """The tokens of each sample read one another, and no others."""
    equal_to_naive(submission, normal(B, S, D_IN), *matrices())


def test_equal_sizes_do_not_mix_up_tokens_and_features(submission):
    """As many tokens as features before and after: no length tells one axis from another."""
    equal_to_naive(submission, normal(B, 5, 5), *matrices(5, 5))


def test_equal_sizes_do_not_mix_up_samples_and_tokens(submission):
    """As many samples as tokens and features: axes have places, not sizes."""
    equal_to_naive(submission, normal(4, 4, 4), *matrices(4, 4))


# SelfAttention


def test_all_three_projections_are_linear_layers(submission):
    """`w_query`, `w_key` and `w_value` are nn.Linear from d_in to d_out features, each with a
    weight of its own: what is no registered parameter is never trained."""
    module = submission.SelfAttention(d_in=D_IN, d_out=D_OUT)
    has_parameters(module, {f"{name}.weight": (D_OUT, D_IN) for name in LAYERS})


def test_there_is_no_bias_unless_asked_for(submission):
    """`bias` is False unless the caller says otherwise: then none of the three layers has one."""
    module = submission.SelfAttention(d_in=D_IN, d_out=D_OUT)
    has_parameters(module, {f"{name}.weight": (D_OUT, D_IN) for name in LAYERS})
    equal(with_bias(module), [False] * 3, what="(w_query, w_key, w_value) with a bias")


def test_bias_true_gives_every_projection_a_bias(submission):
    """`bias=True` gives each of the three layers a bias of its own."""
    module = submission.SelfAttention(d_in=D_IN, d_out=D_OUT, bias=True)
    weights = {f"{name}.weight": (D_OUT, D_IN) for name in LAYERS}
    has_parameters(module, weights | {f"{name}.bias": (D_OUT,) for name in LAYERS})


def test_calling_the_module_gives_each_token_one_context(submission):
    """Calling the module runs its `forward`, which returns one tensor (B, S, d_out), and the same
    contexts for the same tokens when it is called again. Other tokens have other contexts."""
    tokens, d_out = one_of(S, 4, 8, 9), one_of(D_OUT, 2, 3, 11)
    module, x = submission.SelfAttention(d_in=D_IN, d_out=d_out), normal(B, tokens, D_IN)
    is_module(module)
    first = module.eval()(x)
    has_shape(first, (B, tokens, d_out))
    right = numpy(first)
    equal(module(x), right, what="output of the second call")
    other = module(normal(B, tokens, D_IN))
    has_shape(other, (B, tokens, d_out), "output for other tokens")
    differs = bool((numpy(other) != right).any())
    equal(given([differs]), [True], what="whether other tokens have other contexts")


def test_each_projection_does_what_its_name_says(submission, device):
    """`w_query` makes the queries, `w_key` the keys and `w_value` the values. With them the module
    computes what the function does."""
    numbers, x = drawn(), normal(B, S, D_IN)
    equal(made(submission, numbers, device)(x), expected(numbers, x))


def test_biases_are_added(submission):
    """With biases a projection is x·Wᵀ + b, for queries, keys and values."""
    numbers, x = drawn(bias=True), normal(B, S, D_IN)
    equal(made(submission, numbers, bias=True)(x), expected(numbers, x))


def test_a_square_weight_is_applied_as_nn_linear_applies_it(submission):
    """Where d_in = d_out a weight fits in both directions, and one of them is right: nn.Linear
    keeps it as (d_out, d_in)."""
    x = normal(B, 5, 5)
    for bias in (False, True):
        numbers = drawn(5, 5, bias=bias)
        equal(made(submission, numbers, bias=bias)(x), expected(numbers, x))


def test_equal_sizes_do_not_mix_up_samples_and_tokens_in_the_module(submission):
    """Five samples of five tokens with five features: the module too goes by place, not size."""
    numbers, x = drawn(5, 5), normal(5, 5, 5)
    equal(made(submission, numbers)(x), expected(numbers, x))


def test_training_and_evaluation_compute_the_same(submission):
    """In training the module computes what it does in evaluation: nothing is dropped."""
    numbers, x = drawn(), normal(B, S, D_IN)
    module, right = made(submission, numbers), expected(numbers, x)
    for mode, prepare in (("training", module.train), ("evaluation", module.eval)):
        equal(prepare()(x), right, what=f"output in {mode}")


# The fine print


# self_attention


def test_the_function_takes_its_arguments_by_name(submission):
    """`x`, `w_query`, `w_key` and `w_value` can be given by name, in any order."""
    x, (w_query, w_key, w_value) = normal(S, D_IN), matrices()
    got = submission.self_attention(w_value=w_value, w_key=w_key, w_query=w_query, x=x)
    equal(got, naive(x, w_query, w_key, w_value))


def test_large_scores_count_in_full(submission):
    """Only differences count: scores of 40 and 40 + log 3 share like 0 and log 3, one to three."""
    x, w_value = given(np.eye(2)), two_values()
    w_query = given([[2.0, 0.0, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]])
    w_key = given([[40.0, 0.0, 0.0, 0.0], [40.0 + math.log(3), 0.0, 0.0, 0.0]])
    got = submission.self_attention(x, w_query, w_key, w_value)
    equal(got, np.array([[0.25, 0.75], [0.75, 0.25]]) @ numpy(w_value))


def test_scores_too_large_for_exp_do_not_overflow(submission):
    """exp(100) is inf in float32, and exp(1000) anywhere; the weights are ordinary ones."""
    x, w_value = given(np.eye(2)), two_values()
    w_query = given([[2.0, 0.0, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]])
    for one, other in ((100.0, 101.0), (900.0, 1000.0), (-1000.0, 1000.0)):
        w_key = given([[one, 0.0, 0.0, 0.0], [other, 0.0, 0.0, 0.0]])
        equal_to_naive(submission, x, w_query, w_key, w_value)


def test_tokens_and_matrices_may_be_transposed_views(submission):
    """Tokens and matrices may be views of other tensors, such as the transposed weight of a layer:
    what counts is the shape, and not in which order the numbers lie in memory."""
    weights = [each.mT for each in matrices(D_OUT, D_IN)]
    equal_to_naive(submission, normal(S, B, D_IN).transpose(0, 1), *weights)
    equal_to_naive(submission, normal(B, D_IN, S).mT, *weights)


def test_there_may_be_any_number_of_leading_dimensions(submission):
    """Leading dimensions only repeat, however many there are, none included: tokens and features
    come last, also where all axes have the same length."""
    weights = matrices()
    for leading in ((), (B, H), (2, 2, 3)):
        equal_to_naive(submission, normal(*leading, S, D_IN), *weights)
    for shape in ((5, 5), (3, 3, 3, 3)):
        equal_to_naive(submission, normal(*shape), *matrices(shape[-1], shape[-1]))


def test_axes_of_length_one_are_kept(submission):
    """One token, one sample, one feature before or after, or all at once: an axis of length 1 is an
    axis. A token that is alone reads its own value."""
    for *shape, d_out in (
        (1, 1, 1, 1),
        (1, D_IN, D_OUT),
        (B, 1, D_IN, D_OUT),
        (1, S, D_IN, D_OUT),
        (B, S, 1, D_OUT),
        (B, S, D_IN, 1),
    ):
        equal_to_naive(submission, normal(*shape), *matrices(shape[-1], d_out))


def test_many_tokens_share_one_softmax(submission):
    """A hundred tokens and more share one softmax: every one of them counts, wherever it stands."""
    equal_to_naive(submission, normal(140, D_IN), *matrices())


def test_results_are_the_same_under_no_grad(submission):
    """Where no gradients are recorded the function computes what it does where they are."""
    with torch.no_grad():
        equal_to_naive(submission, normal(B, S, D_IN), *matrices())


def test_gradients_reach_the_matrices(submission):
    """The three matrices can learn: each gets its gradient, also if it alone asks for one."""
    x, weights = normal(B, S, D_IN), matrices(grad=True)
    right = dict(zip(LAYERS, gradients(attended(x, *weights), *weights), strict=True))
    for learning in (LAYERS, *((name,) for name in LAYERS)):
        for name, each in zip(LAYERS, weights, strict=True):
            each.requires_grad_(name in learning)
        asking = [each for each in weights if each.requires_grad]
        found = gradients(submission.self_attention(x, *weights), *asking)
        for name, gradient in zip(learning, found, strict=True):
            equal_gradient(gradient, right[name], f"`{name}`")


def test_gradients_reach_the_tokens(submission):
    """What is learned before attention needs the gradient of `x`, which comes back three ways:
    through queries, keys and values."""
    x, weights = normal(B, S, D_IN, grad=True), matrices()
    found, right = submission.self_attention(x, *weights), attended(x, *weights)
    equal(found, right)
    equal_gradient(*gradients(found, x), *gradients(right, x), "`x`")


def test_arguments_stay_as_they_are(submission):
    """Tokens and matrices belong to the caller, who needs them again."""
    x, weights = normal(B, S, D_IN), matrices()
    equal_to_naive(submission, x, *weights)
    with torch.no_grad():
        equal_to_naive(submission, x, *weights)
    arguments_kept()


def test_earlier_results_stay_as_they_are(submission):
    """Layer after layer attends: a later call neither changes an earlier result nor repeats it."""
    x, weights = normal(S, D_IN), matrices()
    first = submission.self_attention(x, *weights)
    equal_to_naive(submission, x, *matrices())
    equal_to_naive(submission, normal(S, D_IN), *weights)
    equal(first, naive(x, *weights), what="the first result")


# SelfAttention


def test_the_constructor_takes_its_arguments_by_position(submission):
    """d_in, d_out, bias: in this order the constructor takes them without names."""
    module = submission.SelfAttention(D_IN, D_OUT, True)
    weights = {f"{name}.weight": (D_OUT, D_IN) for name in LAYERS}
    has_parameters(module, weights | {f"{name}.bias": (D_OUT,) for name in LAYERS})


def test_large_scores_do_not_overflow_in_the_module(submission):
    """Scores of 100 or 1000 and of their negatives give ordinary weights in the module too."""
    x, w_value = given(np.eye(2)), normal(4, 2)
    w_query = given([[2.0, -2.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    for one, other in ((100.0, 101.0), (900.0, 1000.0), (-1000.0, 1000.0)):
        w_key = given([[one, other], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
        values = (w_query, w_key, w_value)
        numbers = {f"{name}.weight": each for name, each in zip(LAYERS, values, strict=True)}
        equal(made(submission, numbers)(x), expected(numbers, x))


def test_the_module_takes_its_tokens_as_x(submission):
    """The module takes its tokens as `x`, and they may be a view of another tensor."""
    numbers, x = drawn(), normal(S, B, D_IN).transpose(0, 1)
    equal(made(submission, numbers)(x=x), expected(numbers, x))


def test_the_module_takes_any_number_of_leading_dimensions(submission, device):
    """The module too takes any number of leading dimensions, none included, and each sample is one
    by itself."""
    numbers = drawn()
    module = made(submission, numbers, device)
    for leading in ((), (B,), (B, H)):
        x = normal(*leading, S, D_IN)
        equal(module(x), expected(numbers, x))


def test_the_module_keeps_axes_of_length_one(submission):
    """One sample or one token keeps its axis; and layers from or to a single feature are layers."""
    for *shape, d_out in (
        (1, 1, 1, 1),
        (1, D_IN, D_OUT),
        (B, 1, D_IN, D_OUT),
        (1, S, D_IN, 1),
    ):
        numbers, x = drawn(shape[-1], d_out), normal(*shape)
        equal(made(submission, numbers)(x), expected(numbers, x))


def test_many_tokens_share_one_softmax_in_the_module(submission):
    """A hundred tokens and more share one softmax in the module too."""
    numbers, x = drawn(), normal(140, D_IN)
    equal(made(submission, numbers)(x), expected(numbers, x))


def test_the_module_computes_the_same_under_no_grad(submission):
    """Calls with and without gradients are the same, in training and in evaluation."""
    numbers, x = drawn(), normal(B, S, D_IN)
    module, right = made(submission, numbers), expected(numbers, x)
    for mode, prepare in (("training", module.train), ("evaluation", module.eval)):
        prepare()
        with torch.no_grad():
            equal(module(x), right, what=f"output in {mode} under torch.no_grad()")


def test_every_weight_and_bias_gets_its_gradient(submission):
    """All three layers learn: each weight and bias gets its gradient."""
    numbers, x = drawn(bias=True, grad=True), normal(B, S, D_IN)
    module = made(submission, numbers, bias=True)
    output = module(x)
    projected = (F.linear(x, *(numbers[f"{name}.{part}"] for part in PARTS)) for name in LAYERS)
    right = F.scaled_dot_product_attention(*projected)
    equal(output, right)
    backward(output)
    found = module.gradients()
    for name, gradient in zip(numbers, gradients(right, *numbers.values()), strict=True):
        if name != "w_key.bias":  # it shifts all scores of a query alike: zero but for rounding
            equal_gradient(found[name], gradient, f"`{name}`")


def test_gradients_pass_through_the_module_to_its_tokens(submission):
    """Layers below learn through this one: `x` gets its gradient."""
    numbers, x = drawn(), normal(B, S, D_IN, grad=True)
    output = made(submission, numbers)(x)
    right = attended(x, *(numbers[f"{name}.weight"].mT for name in LAYERS))
    equal(output, right)
    equal_gradient(*gradients(output, x), *gradients(right, x), "`x`")


def test_the_module_leaves_its_tokens_as_they_are(submission):
    """The module changes nothing that its caller gave it: the same tokens go on to other layers."""
    numbers = drawn()
    for shape in ((S, D_IN), (B, S, D_IN)):
        x = normal(*shape)
        module = made(submission, numbers)
        equal(module(x), expected(numbers, x))
        with torch.no_grad():
            equal(module(x), expected(numbers, x), what="output under torch.no_grad()")
    arguments_kept()


def test_calls_do_not_affect_each_other(submission):
    """A call leaves nothing behind and changes no earlier result: the next one may have other
    sizes, or the same sizes and other numbers."""
    numbers, x = drawn(), normal(B, S, D_IN)
    module = made(submission, numbers)
    for recording in (True, False):
        with torch.set_grad_enabled(recording):
            first = module(x)
            for shape in ((B, S, D_IN), (3, 9, D_IN), (4, D_IN)):
                other = normal(*shape)
                equal(module(other), expected(numbers, other), what="output of a later call")
            equal(first, expected(numbers, x), what="output of the first call, after later ones")


def test_a_call_uses_the_weights_as_they_are_now(submission):
    """Weights change with every step of training: a call uses what they are now, and not what they
    were in the first call."""
    module, x = made(submission, drawn()), normal(B, S, D_IN)
    for numbers in (drawn(), drawn()):
        equal(module.load(numbers)(x), expected(numbers, x))
        with torch.no_grad():
            equal(module(x), expected(numbers, x), what="output under torch.no_grad()")


def test_two_modules_share_nothing(submission):
    """A model has many of them: building or loading one changes nothing in another."""
    numbers, x = drawn(), normal(B, S, D_IN)
    module = made(submission, numbers)
    for others in (drawn(), drawn(D_IN, 2)):
        another = made(submission, others)
        equal(another(x), expected(others, x), what="output of another module")
        equal(module(x), expected(numbers, x), what="output of the first module")
