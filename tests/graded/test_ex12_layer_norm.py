"""What layer normalisation is: a row without its mean and its size, then gamma and beta.

A row is what is normalised together, the numbers of the last dimensions. Every claim about values
puts its own gamma and beta into the module; PyTorch's function, in float64, says what must come
out, where no figures stand here.
"""

import numpy as np
import torch
from torch.nn import functional as F

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
)
from kata.judging.inputs import given, normal, nudged, numpy, one_of

B, T, D = 2, 5, 6
MANY = 7, 5  # samples and tokens that share one row, other sizes than those of the row
SHAPES = ((D,), (T, D), (3, T, D))


def plain(*shape):
    """Gamma and beta that change nothing."""
    return {"gamma": given(np.ones(shape)), "beta": given(np.zeros(shape))}


def drawn(*shape, grad=False):
    """Gamma and beta at random, which nothing can hide behind."""
    return {name: normal(*shape, grad=grad) for name in ("gamma", "beta")}


def made(submission, numbers, device="", **options):
    """A module with these numbers in it, as it is made for training."""
    *before, last = numbers["gamma"].shape
    module = submission.LayerNorm((*before, last) if before else last, **options)
    is_module(module)
    return (module.to(device) if device == "cuda" else module).load(numbers)


def everywhere(row):
    """This row for each token of each sample: what happens within a row counts, and no more."""
    return given(np.tile(numpy(row), (*MANY, 1)))


def sizes():
    """Of samples, tokens and features; a graded run has others."""
    return one_of(B, 3, 4), one_of(T, 7, 11, 12), one_of(D, 8, 9, 10)


def normalised(x, numbers, eps=1e-5):
    """What must come out, in float64 on the CPU."""
    gamma, beta = (numbers[name].cpu().double() for name in ("gamma", "beta"))
    return F.layer_norm(x.cpu().double(), gamma.shape, gamma, beta, eps)


# The idea


def test_gamma_and_beta_are_registered_parameters(submission):
    """`gamma` and `beta` are parameters of the normalised shape, one number for each place of a
    row: what is no registered parameter is never trained."""
    has_parameters(submission.LayerNorm(D), {"gamma": (D,), "beta": (D,)})


def test_gamma_begins_as_ones_and_beta_as_zeros(submission):
    """Before any training `gamma` is one and `beta` zero, so that a new module only normalises."""
    module = submission.LayerNorm(D)
    has_parameters(module, {"gamma": (D,), "beta": (D,)})
    own = module.parameters("gamma", "beta")
    equal(own["gamma"], np.ones(D), what="`gamma`")
    equal(own["beta"], np.zeros(D), what="`beta`")


def test_one_tensor_of_the_same_shape_comes_back(submission):
    """Calling the module runs its `forward`, which gives one tensor, in the shape of x. No
    parameter is made on the way: an optimizer has to know all of them before the first call."""
    shape = sizes()
    module = submission.LayerNorm(shape[-1])
    is_module(module)
    count = len(module.parameters())
    has_shape(module(normal(*shape)), shape)
    between(len(module.parameters()), count, count, "number of parameters after a call")


def test_the_mean_of_a_row_is_subtracted(submission):
    """Whatever a row's mean was, it is zero after the normalisation."""
    width = one_of(D, *range(5, 30))
    module = made(submission, plain(width))
    for offset in (2.0, -3.0):
        output = module(everywhere(normal(width)) + offset)
        has_shape(output, (*MANY, width))
        means = given(numpy(output).mean(-1))
        equal(means, np.zeros(MANY), what="the means of the output's rows")


def test_the_size_of_a_row_makes_no_difference(submission):
    """A row and the same row four times as large come out alike: only the pattern is left."""
    width = one_of(D, *range(5, 30))
    module, x = made(submission, plain(width)), everywhere(normal(width, scale=3))
    output = module(x)
    has_shape(output, (*MANY, width))
    equal(module(4 * x), output, what="the output for 4 x")
    size = np.abs(numpy(output)).mean()
    between(size, 0.1, 2.0, "mean size of the normalised numbers")


def test_the_variance_is_biased(submission):
    """The squared distances from the mean are divided by their number n, not by n - 1: the row 10
    30 has variance 100 and becomes -1 1; 10 0 0 0 becomes 1.732 and three times -0.577."""
    third = nudged([0.0, 0.0, 60.0], 9.0)
    rows = {
        (10.0, 30.0): [-1.0, 1.0],
        (10.0, 0.0, 0.0, 0.0): [1.732051, -0.577350, -0.577350, -0.577350],
        tuple(third): (third - third.mean()) / np.sqrt(third.var(ddof=0)),
    }
    for row, right in rows.items():
        equal(made(submission, plain(len(row)))(everywhere(row)), everywhere(right))


def test_gamma_scales_each_place(submission):
    """After the normalisation place d of a row is multiplied by gamma d, which may be negative."""
    numbers, x = plain(D) | {"gamma": normal(D)}, everywhere(normal(D, scale=3))
    numbers["gamma"][0] = -1
    equal(made(submission, numbers)(x), normalised(x, numbers))


def test_beta_shifts_at_the_end(submission):
    """Beta comes last: it is added to what gamma has scaled, and is not scaled itself."""
    numbers, x = drawn(D), everywhere(normal(D, scale=3))
    equal(made(submission, numbers)(x), normalised(x, numbers))


def test_a_given_eps_is_added_to_the_variance(submission):
    """With `eps=0.5` a row is divided by the root of its variance plus 0.5, an ordinary row too."""
    numbers, x = drawn(D), everywhere(normal(D))
    for eps in (0.5, 2.0):
        equal(made(submission, numbers, eps=eps)(x), normalised(x, numbers, eps))


def test_the_default_eps_is_1e_5_and_stands_inside_the_root(submission):
    """Eps is 1e-5 by default and stands inside the root. A row of thousandths shows it: its
    variance is 1e-6, so eps is most of the sum, and the output stays small."""
    numbers = drawn(D)
    for scale in (1e-3, 3e-3):
        x = everywhere(normal(D, scale=scale))
        equal(made(submission, numbers)(x), normalised(x, numbers))


def test_each_row_is_normalised_independently(submission, device):
    """Each token has a mean and a variance of its own: its row says nothing about another one,
    however different in place and size."""
    numbers = drawn(D)
    offsets, sizes = normal(B, T, 1, scale=3), given(np.geomspace(0.1, 100, T)[:, None])
    x = sizes * (normal(B, T, D) + offsets / 3)
    equal(made(submission, numbers, device=device)(x), normalised(x, numbers))


def test_nothing_but_gamma_and_beta_learns(submission):
    """Gamma and beta are all that is learned: a further parameter would change the output."""
    numbers, x = drawn(D), normal(B, T, D)
    module = made(submission, numbers)
    own = module.parameters(*numbers)
    others = {name: each for name, each in own.items() if name not in numbers}
    module.load({name: normal(*each.shape).abs() for name, each in others.items()})
    equal(module(x), normalised(x, numbers))


def test_evaluation_computes_what_training_does(submission):
    """The mode makes no difference: there is nothing to collect in training, and nothing to use of
    it in evaluation."""
    numbers = drawn(D)
    module = made(submission, numbers).train()
    module(normal(B, 7, D, scale=4) + 2)
    x = normal(B, T, D)
    equal(module.eval()(x), normalised(x, numbers))


# The fine print


def test_a_number_means_one_dimension(submission):
    """LayerNorm(6) is LayerNorm((6,)): the features of a token are one dimension, and a model says
    its width as a number."""
    for shape in (D, (D,)):
        module = submission.LayerNorm(shape)
        has_parameters(module, {"gamma": (D,), "beta": (D,)})
        samples, tokens, _ = sizes()
        has_shape(module(normal(samples, tokens, D)), (samples, tokens, D))


def test_arguments_can_be_given_by_position_or_by_name(submission):
    """The constructor takes `shape` and then `eps`, with their names or without."""
    is_module(submission.LayerNorm(D, 0.5))
    is_module(submission.LayerNorm(shape=D, eps=0.5))


def test_gamma_and_beta_have_all_dimensions_of_a_shape(submission):
    """Gamma and beta have all dimensions of the shape: each place of a row has its own numbers."""
    for shape in SHAPES[1:]:
        module = submission.LayerNorm(shape)
        has_parameters(module, {"gamma": shape, "beta": shape})
        own = module.parameters("gamma", "beta")
        equal(own["gamma"], np.ones(shape), what="`gamma`")
        equal(own["beta"], np.zeros(shape), what="`beta`")


def test_equal_numbers_become_beta(submission):
    """A row of equal numbers has variance 0: what is left of it is nothing, and beta stands
    there. Zero divided by zero would be NaN."""
    numbers = drawn(D)
    module = made(submission, numbers)
    for number in (0.0625, 0.0, -0.03125):
        equal(module(given([[number] * D])), numbers["beta"][None])


def test_a_row_may_have_a_thousand_numbers(submission):
    """A row may have a thousand numbers, as the tokens of large models do, and one of them may be
    far larger than all others: it stays so."""
    numbers, x = drawn(1000), normal(3, 1000, scale=2)
    x[0, 7] = 500
    equal(made(submission, numbers)(x), normalised(x, numbers))


def test_rows_may_lie_far_from_zero(submission):
    """Rows may lie far from zero. Around 2,000 squares are around 4,000,000, and float32 has hardly
    a digit left for a variance of 1; squared distances from the mean keep them."""
    for offset, size in ((2000.0, 1.0), (-300.0, 0.1), (30.1, 0.0)):
        x = normal(B, T, D, scale=size) + offset
        output, right = made(submission, plain(D))(x), normalised(x, plain(D))
        has_shape(output, (B, T, D))
        # Some right answers round the mean by a ten-thousandth.
        equal(output / 1000, right / 1000, what="a thousandth of the output")


def test_any_number_of_dimensions_may_come_before_a_row(submission):
    """One row alone, a list of rows, samples of tokens, heads of samples of tokens: only the last
    dimensions count, from the end."""
    numbers = drawn(D)
    module = made(submission, numbers)
    for shape in ((D,), (7, D), (B, 3, T, D), (2, B, 1, T, D)):
        x = normal(*shape, scale=2)
        equal(module(x), normalised(x, numbers))


def test_several_dimensions_are_normalised_together(submission, device):
    """With the shape (5, 6) a row has thirty numbers, and with (3, 5, 6) ninety: one mean, one
    variance, and a gamma and a beta for each of them."""
    for shape in SHAPES[1:]:
        numbers = drawn(*shape)
        module = made(submission, numbers, device=device)
        for before in ((), (B,), (7, B)):
            # Rows within a row differ in mean and size: together is not one after the other.
            x = normal(*before, *shape) * normal(*shape[:-1], 1) + normal(*shape[:-1], 1)
            equal(module(x), normalised(x, numbers))


def test_dimensions_of_equal_length_are_not_confused(submission):
    """Six samples of six tokens of six features: dimensions have places, not sizes."""
    for shape in ((D,), (D, D)):
        numbers, x = drawn(*shape), normal(D, D, D, scale=2)
        equal(made(submission, numbers)(x), normalised(x, numbers))


def test_every_size_may_be_one(submission):
    """A dimension of length 1 is a dimension. A row of one number has no other to differ from: it
    becomes beta."""
    for shape, before in (((1,), (B, T)), ((1, 1), (1, 1)), ((1, D), (1,)), ((T, 1), (1, B))):
        numbers, x = drawn(*shape), normal(*before, *shape, scale=0.1)
        equal(made(submission, numbers)(x), normalised(x, numbers))


def test_x_may_be_a_transposed_view(submission):
    """x may have been transposed before: its numbers do not lie in a row of memory then."""
    numbers, x = drawn(D), normal(T, B, D, scale=2).transpose(0, 1)
    equal(made(submission, numbers)(x), normalised(x, numbers))
    numbers, x = drawn(T, D), normal(B, D, T, scale=2).transpose(1, 2)
    equal(made(submission, numbers)(x), normalised(x, numbers))


def test_gradients_flow_through_the_mean_and_the_variance(submission):
    """A number moves the mean and the variance of its row too: the gradient of x counts these ways
    as well, so that shifting a row or making it larger has no effect to first order."""
    for shape in ((D,), (T, D)):
        numbers, x = drawn(*shape), normal(B, T, D, grad=True)
        module, right = made(submission, numbers), normalised(x, numbers)
        output = module(x) if shape == (D,) else module.eval()(x)
        equal(output, right)
        (found,), (expected,) = gradients(output, x), gradients(right, x)
        equal_gradient(found, expected, "`x`")


def test_gamma_and_beta_get_gradients(submission):
    """Both learn: gamma from the normalised numbers, beta from every row."""
    numbers, x = drawn(D, grad=True), normal(B, T, D)
    module, right = made(submission, numbers), normalised(x, numbers)
    output = module(x)
    equal(output, right)
    backward(output)
    found, expected = module.gradients(), gradients(right, *numbers.values())
    for name, gradient in zip(numbers, expected, strict=True):
        equal_gradient(found[name], gradient, f"`{name}`")


def test_a_row_of_equal_numbers_has_a_finite_gradient(submission):
    """A row of equal numbers has a finite gradient: one padded token of zeros would otherwise turn
    every weight before it into NaN."""
    numbers, x = drawn(D), given([[2.0] * D, [0.0] * D], grad=True)
    output = made(submission, numbers)(x)
    has_shape(output, (2, D))
    equal(output[1], numbers["beta"], what="the second row of the output")
    (found,) = gradients(output, x)
    has_shape(found, (2, D), what="the gradient of `x`")
    infinite = ~np.isfinite(numpy(found))
    between(infinite.mean(), 0, 0, "share of the gradient of `x` that is not finite")


def test_x_stays_as_it_is(submission):
    """x belongs to the caller, who may need it for a residual connection: the result is a new
    tensor, whether gradients are recorded or not, in training or in evaluation."""
    for shape in ((D,), (T, D)):
        numbers, x = drawn(*shape), normal(B, T, D)
        module = made(submission, numbers)
        output = module(x)
        with torch.no_grad():
            module(normal(B, T, D))
            module.eval()(normal(B, T, D))
        module(normal(B, T, D))
        arguments_kept()
        equal(output, normalised(x, numbers))


def test_a_call_remembers_nothing(submission):
    """No call leaves anything behind: the next one has other rows, more of them or fewer, and what
    came of the first stays as it was."""
    numbers, x = drawn(D), normal(B, T, D)
    module = made(submission, numbers)
    first = module(x)
    for shape in ((B, T, D), (B, 7, D), (1, D), (B, T, D)):
        other = normal(*shape, scale=3) + 1
        equal(module(other), normalised(other, numbers), what="the output of a later call")
    equal(first, normalised(x, numbers), what="the output of the first call, after later ones")
    with torch.no_grad():
        first = module(x)
        module(normal(B, T, D))
    equal(first, normalised(x, numbers), what="the output of a call, after the next one")


def test_new_numbers_in_gamma_and_beta_are_used(submission):
    """Parameters change with every step of training: a call uses what they are now."""
    x, module = normal(B, T, D), made(submission, drawn(D))
    for _ in range(2):
        numbers = drawn(D)
        equal(module.load(numbers)(x), normalised(x, numbers))


def test_two_modules_share_nothing(submission):
    """An encoder layer has two of them, of the same shape: each has numbers and an eps of its
    own."""
    numbers, others, x = drawn(D), drawn(D), normal(B, T, D)
    module, other = made(submission, numbers), made(submission, others, eps=0.5)
    equal(other(x), normalised(x, others, 0.5), what="the output of the second module")
    equal(module(x), normalised(x, numbers), what="the output of the first module")
