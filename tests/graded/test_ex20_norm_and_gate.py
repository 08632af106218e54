"""What RMSNorm and SwiGLU are: a row divided by its size, and a network with a gate.

A row is what is normalised together, the numbers of the last dimension. Every claim about values
puts the suite's own weights into the module; the two formulas, written out in float64, say what
must come out, where no figures stand here.
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
    has_dtype,
    has_parameters,
    has_shape,
    is_module,
)
from kata.judging.inputs import given, normal, nudged, one_of

B, T, E, F = 2, 5, 6, 11
LAYERS = ("w_gate.weight", "w_up.weight", "w_down.weight")
DTYPES = ("float16", "float32", "float64")


def norm(submission, weight, device="", dtype="", **options):
    """An RMSNorm with this weight in it."""
    module = submission.RMSNorm(weight.shape[0], **options)
    return placed(module, device, dtype).load({"weight": weight})


def network(submission, weights, device="", dtype=""):
    """A SwiGLU with these weights in it, in evaluation mode."""
    hidden, width = weights["w_gate.weight"].shape
    return placed(submission.SwiGLU(width, hidden), device, dtype).load(weights).eval()


def placed(module, device, dtype):
    """A module, moved to the device and dtype of a claim."""
    is_module(module)
    for where in filter(None, ("cuda" if device == "cuda" else "", dtype)):
        module.to(where)
    return module


def plain(width):
    """A scale that changes nothing."""
    return given(np.ones(width))


def normalised(x, weight, eps=1e-6):
    """What must come out of an RMSNorm, in float64 on the CPU."""
    rows, scale = x.cpu().double(), weight.cpu().double()
    return rows * scale / ((rows * rows).mean(dim=-1, keepdim=True) + eps) ** 0.5


def shapes(width=E, hidden=F):
    """The shape of each weight of a SwiGLU, by name."""
    return dict(zip(LAYERS, ((hidden, width), (hidden, width), (width, hidden)), strict=True))


def drawn(width=E, hidden=F, dtype="", grad=False):
    """Weights for a SwiGLU, of a size that keeps features in bounds."""
    return {
        name: normal(*shape, scale=1.5 * shape[-1] ** -0.5, dtype=dtype, grad=grad)
        for name, shape in shapes(width, hidden).items()
    }


def gated(x, weights):
    """What must come out of a SwiGLU, in float64 on the CPU."""
    gate, up, down = (weights[name].cpu().double().mT for name in LAYERS)
    tokens = x.cpu().double()
    return ((tokens @ gate) * torch.sigmoid(tokens @ gate) * (tokens @ up)) @ down


def one_gate():
    """Weights with which the gate is feature 0, what it lets through is feature 1, and the output
    is the product in place 0, and ten times the product in place 1."""
    matrices = ([[1.0, 0.0]] * 3, [[0.0, 1.0]] * 3, [[0.25, 0.25, 0.5], [2.5, 2.5, 5.0]])
    return {name: given(each) for name, each in zip(LAYERS, matrices, strict=True)}


def samples(*features):
    """Four samples that are alike, with these numbers as the features of their tokens."""
    return np.tile(np.stack(features, axis=-1), (4, 1, 1))


def sigmoid(z):
    """1 / (1 + exp(-z)), for any z."""
    half = np.exp(-np.abs(z))
    return np.where(z < 0, half, 1.0) / (1 + half)


def batch():
    """The number of samples and of tokens."""
    return one_of(B, 3, 4), one_of(T, 7, 8, 9)


# The idea


# RMSNorm


def test_weight_is_a_registered_parameter(submission):
    """`weight` is a parameter with one number for each place of a row: what is no registered
    parameter is never trained."""
    for width in (E, 13):
        has_parameters(submission.RMSNorm(width), {"weight": (width,)})


def test_weight_begins_as_ones(submission):
    """Before any training `weight` is one, so that a new module only normalises."""
    module = submission.RMSNorm(E)
    has_parameters(module, {"weight": (E,)})
    equal(module.parameters("weight")["weight"], np.ones(E), what="`weight`")


def test_a_norm_learns_its_weight_and_nothing_else(submission):
    """`weight` is the only parameter: RMSNorm learns no shift, and eps is a setting."""
    module = submission.RMSNorm(E)
    has_parameters(module, {"weight": (E,)})
    between(len(module.parameters("weight")), 1, 1, "number of parameters of RMSNorm")


def test_a_norm_gives_one_tensor_of_the_same_shape(submission):
    """Calling the module runs its `forward`, which gives one tensor, in the shape of x. No
    parameter is made on the way: an optimizer has to know all of them before the first call."""
    module, shape = submission.RMSNorm(E), (*batch(), E)
    is_module(module)
    count = len(module.parameters())
    has_shape(module(normal(*shape)), shape)
    between(len(module.parameters()), count, count, "number of parameters after a call")


def test_a_row_is_divided_by_the_root_of_the_mean_of_its_squares(submission):
    """The squares of the row 1 -1 7 -7 have the mean (1 + 1 + 49 + 49) / 4 = 25, whose root is 5:
    with a weight of ones the row becomes 0.2 -0.2 1.4 -1.4."""
    low, high = nudged([1.0, 7.0], 0.5)
    row = np.array([low, -low, high, -high])
    size = np.sqrt((low**2 + high**2) / 2)
    x = given(np.tile(row, (B, T, 1)))
    equal(norm(submission, plain(4))(x), np.tile(row / size, (B, T, 1)))


def test_no_mean_is_subtracted(submission):
    """A row of four fives becomes a row of ones: LayerNorm would subtract the mean and leave
    zeros, RMSNorm only divides by the size."""
    width = one_of(4, 5, 6, 7)
    module = norm(submission, plain(width))
    for number in nudged([5.0, -3.0], 1):
        x = given(np.full((B, T, width), number))
        equal(module(x), np.full((B, T, width), np.sign(number)))
    x = normal(width).repeat(B, T, 1) + 2
    equal(module(x), normalised(x, plain(width)))


def test_weight_scales_each_place(submission):
    """After the division place d of a row is multiplied by weight d itself, which may be
    negative, and may be zero."""
    weight, x = normal(E), normal(E, scale=3).repeat(B, T, 1)
    weight[0], weight[1] = -1, 0
    equal(norm(submission, weight)(x), normalised(x, weight))


def test_a_given_eps_is_added_to_the_mean_inside_the_root(submission):
    """With `eps=0.5` a row is divided by the root of the mean of its squares plus 0.5: eps is added
    once, to the mean, and before the root is taken. It may be given without its name, behind the
    width."""
    weight, x = normal(E), normal(E).repeat(B, T, 1)
    for eps in (0.5, 2.0):
        equal(norm(submission, weight, eps=eps)(x), normalised(x, weight, eps))
    unnamed = placed(submission.RMSNorm(E, 2.0), "", "").load({"weight": weight})
    equal(unnamed(x), normalised(x, weight, 2.0))


def test_each_row_has_a_size_of_its_own(submission, device):
    """Each token is divided by its own size, whatever the size of other tokens and samples: the
    rows here are between a tenth and ten thousand."""
    weight = normal(E)
    x = normal(B, T, E) * given(np.geomspace(0.1, 1e4, T)[:, None])
    equal(norm(submission, weight, device)(x), normalised(x, weight))


def test_rows_of_a_norm_are_found_where_all_sizes_are_equal(submission):
    """Six samples of six tokens of six features: dimensions have places, not sizes."""
    weight, x = normal(E), normal(E, E, E, scale=2)
    equal(norm(submission, weight)(x), normalised(x, weight))


def test_a_norm_in_evaluation_does_what_it_does_in_training(submission):
    """The mode makes no difference: nothing is collected in training for later."""
    weight = normal(E)
    module = norm(submission, weight).train()
    module(normal(B, 7, E, scale=4))
    x = normal(B, T, E)
    equal(module.eval()(x), normalised(x, weight))


# SwiGLU


def test_three_layers_are_registered(submission):
    """`w_gate` and `w_up` lead from E to F features, `w_down` back, be the hidden layer wider,
    narrower or as wide: what is no registered parameter is never trained."""
    for width, hidden in ((E, F), (5, 3), (4, 4)):
        has_parameters(submission.SwiGLU(width, hidden), shapes(width, hidden))


def test_a_network_learns_three_weights_and_nothing_else(submission):
    """Three weights are all that is learned: the layers have no biases, and SiLU is fixed."""
    module = submission.SwiGLU(E, F)
    has_parameters(module, shapes())
    between(len(module.parameters(*LAYERS)), 3, 3, "number of parameters of SwiGLU")


def test_a_network_gives_one_tensor_of_the_same_shape(submission):
    """Calling the module runs its `forward`, which gives one tensor, in the shape of x: so that it
    can be added to x by the block around it."""
    module, shape = submission.SwiGLU(E, F), (*batch(), E)
    is_module(module)
    has_shape(module(normal(*shape)), shape)


def test_x_is_not_added_to_the_result(submission):
    """With a `w_down` of zeros nothing comes out: the residual connection belongs to the block
    around the network, which would add x twice otherwise."""
    weights = drawn() | {"w_down.weight": given(np.zeros((E, F)))}
    output = network(submission, weights)(normal(B, T, E))
    equal(output, np.zeros((B, T, E)))


def test_the_gate_goes_through_silu_and_is_multiplied_by_w_up(submission):
    """Let the gate be ln 3 and w_up 2: sigmoid(ln 3) is 3/4, SiLU is 3/4 · ln 3, times 2 is 1.648.
    w_down makes 1.648 and 16.48 of it."""
    gate, up = nudged([np.log(3.0), 2.0], 0.2)
    right = gate * sigmoid(gate) * up
    x = given(samples(np.full(T, gate), np.full(T, up)))
    equal(network(submission, one_gate())(x), samples(np.full(T, right), np.full(T, 10 * right)))


def test_silu_dips_below_zero(submission):
    """SiLU is no ReLU: negative gates give small negative numbers, at most -0.278 near -1.28, and
    zero gives zero. At -10.5 it is still -0.0003, and at 9 still 0.001 less than 9."""
    gate = nudged([-10.5, -6.0, -3.0, -1.28, -0.5, 0.0, 0.5, 3.0, 6.0, 9.0], 0.2)
    right = gate * sigmoid(gate)
    x = given(samples(gate, np.ones_like(gate)))
    equal(network(submission, one_gate())(x), samples(right, 10 * right))


def test_what_w_up_gives_may_be_negative(submission):
    """Only the gate is bent: w_up goes through as it is, in either sign."""
    up = nudged([-3.0, -1.0, -0.1, 0.4, 2.0], 0.05)
    right = 1.5 * sigmoid(1.5) * up
    x = given(samples(np.full_like(up, 1.5), up))
    equal(network(submission, one_gate())(x), samples(right, 10 * right))


def test_each_token_goes_through_the_network_by_itself(submission, device):
    """The same three layers serve each token of each sample, and no token has a say in another."""
    weights, x = drawn(), normal(B, T, E)
    equal(network(submission, weights, device)(x), gated(x, weights))


def test_features_of_a_network_are_found_where_all_sizes_are_equal(submission):
    """Six samples of six tokens, six features, six hidden ones: dimensions have places, not
    sizes."""
    weights, x = drawn(E, E), normal(E, E, E)
    equal(network(submission, weights)(x), gated(x, weights))


def test_nothing_is_dropped_in_training(submission):
    """Training and evaluation are alike: there is no dropout in this network."""
    weights, x = drawn(), normal(B, T, E)
    module = network(submission, weights).train()
    equal(module(x), gated(x, weights))
    equal(module.eval()(x), gated(x, weights))


# The fine print


# RMSNorm


def test_a_norm_takes_d_model_and_then_eps(submission):
    """The constructor takes `d_model` and then `eps`, with their names or without."""
    has_parameters(submission.RMSNorm(E, 0.5), {"weight": (E,)})
    has_parameters(submission.RMSNorm(eps=0.5, d_model=E), {"weight": (E,)})


def test_the_default_eps_is_1e_6(submission):
    """A row of thousandths shows the default eps: the mean of its squares is about 1e-6, so that
    eps is half of what stands under the root."""
    weight = normal(E)
    for scale in (1e-3, 2e-4):
        x = normal(1, E, scale=scale)
        equal(norm(submission, weight)(x), normalised(x, weight))


def test_a_norm_gives_the_dtype_of_x(submission):
    """What is computed in float32 goes back to float16, and float64 stays float64: the next layer
    takes no other dtype than its own."""
    for dtype in DTYPES:
        weight, x = normal(E, dtype=dtype), normal(B, T, E, dtype=dtype)
        output = norm(submission, weight, dtype=dtype)(x)
        equal(output, normalised(x, weight), dtype=dtype)


def test_the_dtype_of_weight_does_not_decide(submission):
    """A norm keeps its weight in float32 while the model computes in float16: the result has the
    dtype of x, and the product with weight must not change that."""
    for own in DTYPES:
        weight = normal(E, dtype=own)
        module = norm(submission, weight, dtype=own)
        for dtype in DTYPES:
            x = normal(T, E, dtype=dtype)
            has_dtype(module(x), dtype)
            equal(module(x), normalised(x, weight), dtype=dtype)


def test_a_tiny_eps_counts_next_to_a_tiny_row(submission):
    """eps may be as small as 1e-12, which is as much as the mean of the squares of millionths."""
    weight, x = normal(E), normal(1, E, scale=1e-6)
    equal(norm(submission, weight, eps=1e-12)(x), normalised(x, weight, 1e-12))


def test_a_norm_cuts_nothing_off(submission):
    """In a row of 144 numbers one that outweighs all others becomes 12, and with a weight of 20 it
    becomes 240: a result has no limit."""
    weight, x = normal(144), normal(2, 144)
    weight[:2], x[0, 0], x[1, 1] = 20, 1e4, -1e4
    equal(norm(submission, weight)(x), normalised(x, weight))


def test_float16_rows_may_be_large(submission):
    """float16 ends at 65,504, so the square of 300 is infinite there: squares and their mean are
    taken in float32, and numbers up to 60,000 come out right. Three times 60,000 is infinite as
    well: a row is divided first, and multiplied by weight then. That is so whether weight is in
    float16 or not."""
    x = given([[60000.0] * E, [-50000.0, 300, 2, 0, 1, 7], [400.0] * E], dtype="float16")
    for own in ("float16", "float32"):
        weight = normal(E, scale=0.5, dtype=own)
        weight[0] = 3
        output = norm(submission, weight, dtype=own)(x)
        equal(output, normalised(x, weight), dtype="float16")


def test_float16_rows_may_be_small(submission):
    """The square of 0.0001 is zero in float16. In float32 it is not, nor is eps, and a row of such
    numbers comes out as it does elsewhere. A row of zeros stays zero with the smallest eps, too:
    what it is divided by is a millionth, and the inverse of that would be infinite in float16."""
    weight = normal(E, dtype="float16")
    module = norm(submission, weight, dtype="float16", eps=1e-7)
    for scale in (1e-3, 3e-4):
        x = normal(T, E, scale=scale, dtype="float16")
        equal(module(x), normalised(x, weight, 1e-7), dtype="float16")
    smallest = norm(submission, weight, dtype="float16", eps=1e-12)
    equal(smallest(given(np.zeros((T, E)), dtype="float16")), np.zeros((T, E)), dtype="float16")


def test_a_norm_takes_a_transposed_view(submission):
    """x may have been transposed before: its numbers do not lie in a row of memory then."""
    weight = normal(E)
    for x in (normal(T, B, E).transpose(0, 1), normal(B, E, T).transpose(1, 2)):
        equal(norm(submission, weight)(x), normalised(x, weight))


def test_any_number_of_dimensions_may_come_before_a_row(submission):
    """One row alone, a list of rows, samples of tokens, heads of samples of tokens: only the last
    dimension counts, from the end."""
    weight = normal(E)
    module = norm(submission, weight)
    for shape in ((E,), (7, E), (B, 3, T, E), (2, B, 1, T, E)):
        x = normal(*shape, scale=2)
        equal(module(x), normalised(x, weight))


def test_a_norm_takes_dimensions_of_length_1(submission):
    """A dimension of length 1 is a dimension. A row of one number is divided by its own size."""
    for width, before in ((1, (B, T)), (1, (1, 1)), (E, (1, 1)), (E, (B, 1))):
        weight, x = normal(width), normal(*before, width)
        equal(norm(submission, weight)(x), normalised(x, weight))


def test_gradients_flow_through_the_size_of_a_row(submission):
    """A number moves the size of its row too, and the gradient of x counts this way as well: making
    a row larger has hardly any effect. In evaluation gradients flow as in training."""
    weight, x = normal(E), normal(B, T, E, grad=True)
    output, right = norm(submission, weight).eval()(x), normalised(x, weight)
    equal(output, right)
    (found,), (expected,) = gradients(output, x), gradients(right, x)
    equal_gradient(found, expected, "`x`")


def test_the_weight_of_a_norm_gets_a_gradient(submission):
    """The weight learns, from every row, in training as well as in evaluation."""
    for trains in (True, False):
        weight, x = normal(E, grad=True), normal(B, T, E)
        module, right = norm(submission, weight), normalised(x, weight)
        output = module(x) if trains else module.eval()(x)
        equal(output, right)
        backward(output)
        (expected,) = gradients(right, weight)
        equal_gradient(module.gradients()["weight"], expected, "`weight`")


def test_a_row_of_zeros_stays_zero_and_has_a_finite_gradient(submission):
    """Eps keeps a row of zeros from a division by zero, and its gradient finite: one padded token
    would otherwise turn every weight before it into NaN."""
    weight, x = normal(E), given([[0.0] * E, [2.0] * E], grad=True)
    output, right = norm(submission, weight)(x), normalised(x, weight)
    equal(output, right)
    (found,), (expected,) = gradients(output, x), gradients(right, x)
    equal_gradient(found, expected, "`x`")


def test_a_norm_does_not_change_x(submission):
    """x belongs to the caller, who needs it for a residual connection: the result is a new tensor,
    whether gradients are recorded or not, in each dtype."""
    weight = normal(E)
    module = norm(submission, weight)
    for dtype in DTYPES:
        x = normal(B, T, E, dtype=dtype)
        output = module(x)
        with torch.no_grad():
            module(normal(B, T, E, dtype=dtype))
            module.eval()(normal(T, E, dtype=dtype))
        arguments_kept()
        equal(output, normalised(x, weight))


def test_a_norm_remembers_no_call(submission):
    """No call leaves anything behind: the next one has other rows, more of them or fewer, and a
    weight that training has changed."""
    weight, x = normal(E), normal(B, T, E)
    module = norm(submission, weight)
    with torch.no_grad():
        first = module(x)
        module(normal(B, T, E, scale=3))
    equal(first, normalised(x, weight), what="the output of a call, after the next one")
    for dtype in ("float32", "float16"):
        module = norm(submission, normal(E, dtype=dtype), dtype=dtype)
        for shape in ((B, T, E), (7, E), (B, T, E)):
            weight, other = normal(E, dtype=dtype), normal(*shape, scale=3)
            equal(module.load({"weight": weight})(other), normalised(other, weight))
            module.eval()


def test_two_norms_share_nothing(submission):
    """A decoder block has two norms of the same size: each has a weight and an eps of its own."""
    (one, two), x = (normal(E), normal(E)), normal(B, T, E)
    first, second = norm(submission, one, eps=0.5), norm(submission, two, eps=2.0)
    equal(second(x), normalised(x, two, 2.0), what="the output of the second module")
    equal(first(x), normalised(x, one, 0.5), what="the output of the first module")


# SwiGLU


def test_a_network_takes_d_model_and_then_d_hidden(submission):
    """The constructor takes `d_model` and then `d_hidden`, with their names or without."""
    has_parameters(submission.SwiGLU(E, F), shapes())
    has_parameters(submission.SwiGLU(d_hidden=F, d_model=E), shapes())


def test_a_network_gives_the_dtype_of_x(submission):
    """float64 stays float64 and float32 stays float32: the result can be added to x as it is."""
    for dtype in ("float64", "float32"):
        weights, x = drawn(dtype=dtype), normal(T, E, dtype=dtype)
        equal(network(submission, weights, dtype=dtype)(x), gated(x, weights), dtype=dtype)


def test_what_w_up_gives_has_no_limit(submission):
    """w_up goes through as it is, of any size, and nothing is cut off later either."""
    up = nudged([-8.0, 50.0, 1e5], 0.05)
    right = 1.5 * sigmoid(1.5) * up
    x = given(np.stack([np.full_like(up, 1.5), up], axis=-1))
    equal(network(submission, one_gate())(x), np.stack([right, 10 * right], axis=-1))


def test_the_gate_may_be_huge(submission):
    """A gate of 10,000 lets w_up through 10,000 times over, and one of -10,000 shuts it:
    exp(10,000) is infinite, and infinity divided by itself is NaN."""
    gate = nudged([100.0, 1e4, -100.0, -1e4], 5).clip(-1e4, 1e4)
    x = given(np.stack([gate, np.ones_like(gate)], axis=-1))
    right = np.maximum(gate, 0)
    equal(network(submission, one_gate())(x), np.stack([right, 10 * right], axis=-1))


def test_a_network_takes_a_transposed_view(submission):
    """x may have been transposed before: its numbers do not lie in a row of memory then."""
    weights = drawn()
    for x in (normal(T, B, E).transpose(0, 1), normal(B, E, T).transpose(1, 2)):
        equal(network(submission, weights)(x), gated(x, weights))


def test_a_network_takes_any_number_of_dimensions_before_the_features(submission):
    """One token alone, a list of tokens, samples of tokens, heads of samples of tokens."""
    weights = drawn()
    module = network(submission, weights)
    for shape in ((E,), (7, E), (B, 3, T, E)):
        x = normal(*shape)
        equal(module(x), gated(x, weights))


def test_a_network_takes_dimensions_of_length_1(submission):
    """One sample, one token, one feature, one hidden one: a dimension of length 1 stays."""
    for width, hidden, before in ((1, 1, (1, 1)), (1, F, (B, T)), (E, 1, (B, T)), (E, F, (B, 1))):
        weights, x = drawn(width, hidden), normal(*before, width)
        equal(network(submission, weights)(x), gated(x, weights))


def test_gradients_reach_x_through_gate_and_up(submission):
    """What comes before learns through both layers: from how far the gate is open, and from what
    goes through it."""
    weights, x = drawn(), normal(B, T, E, grad=True)
    output, right = network(submission, weights)(x), gated(x, weights)
    equal(output, right)
    (found,), (expected,) = gradients(output, x), gradients(right, x)
    equal_gradient(found, expected, "`x`")


def test_all_three_layers_get_gradients(submission):
    """All three layers learn, in training as well as in evaluation."""
    for trains, hidden in ((True, F), (False, 7)):
        weights, x = drawn(hidden=hidden, grad=True), normal(B, T, E)
        module, right = network(submission, weights), gated(x, weights)
        output = module.train()(x) if trains else module(x)
        equal(output, right)
        backward(output)
        found, expected = module.gradients(), gradients(right, *weights.values())
        for name, gradient in zip(weights, expected, strict=True):
            equal_gradient(found[name], gradient, f"`{name}`")


def test_a_huge_gate_has_a_finite_gradient(submission):
    """A gate of -10,000 gives zero, and its gradient is zero, too. Where exp(10,000) stands in the
    formula, the backward pass divides infinity by infinity, though the output is right."""
    gate = nudged([-1e4, -300.0, 300.0, 1e4], 5).clip(-1e4, 1e4)
    x = given(np.stack([gate, np.full_like(gate, 2)], axis=-1), grad=True)
    output, right = network(submission, one_gate())(x), gated(x, one_gate())
    equal(output, right)
    (found,), (expected,) = gradients(output, x), gradients(right, x)
    equal_gradient(found, expected, "`x`")


def test_a_network_does_not_change_x(submission):
    """x belongs to the caller, who adds it to the result: nothing is written into it, whether
    gradients are recorded or not."""
    weights, x = drawn(), normal(B, T, E)
    module = network(submission, weights)
    output = module(x)
    with torch.no_grad():
        module(normal(B, T, E))
        module.train()(normal(T, E))
    arguments_kept()
    equal(output, gated(x, weights))


def test_a_network_remembers_no_call(submission):
    """No call leaves anything behind: the next one has other tokens, more of them or fewer, and
    weights that training has changed."""
    weights, x = drawn(), normal(B, T, E)
    module = network(submission, weights)
    with torch.no_grad():
        first = module(x)
        module(normal(B, T, E))
    equal(first, gated(x, weights), what="the output of a call, after the next one")
    for shape in ((B, T, E), (7, E), (B, T, E)):
        weights, other = drawn(), normal(*shape)
        equal(module.load(weights)(other), gated(other, weights))


def test_two_networks_share_nothing(submission):
    """A decoder has a network in each block, all of the same size: each has weights of its own."""
    (one, two), x = (drawn(), drawn()), normal(B, T, E)
    first, second = network(submission, one), network(submission, two)
    equal(second(x), gated(x, two), what="the output of the second module")
    equal(first(x), gated(x, one), what="the output of the first module")
