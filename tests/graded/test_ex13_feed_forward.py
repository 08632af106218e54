"""What the feed-forward network is: from E to F features, ReLU, dropout, and back to E.

Every claim about values puts the suite's own weights and biases into the module, and computes what
must come out, in float64.
"""

from itertools import combinations, product

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
    has_shape,
    is_module,
)
from kata.judging.inputs import given, normal, nudged, numpy, one_of

B, H, T, E, F = 2, 3, 5, 18, 11
MANY = 24  # samples, tokens, and hidden features, in the claims about dropout: many draws, also
# where some are shared; each hidden feature shows in two outputs


def shapes(width=E, hidden=F):
    """Shape of each parameter, by name."""
    weights = {"linear1.weight": (hidden, width), "linear2.weight": (width, hidden)}
    return weights | {"linear1.bias": (hidden,), "linear2.bias": (width,)}


def drawn(width=E, hidden=F, grad=False):
    """Numbers for both layers."""
    scales = {name: shape[-1] ** -0.5 for name, shape in shapes(width, hidden).items()}
    return {
        name: normal(*shape, scale=0.5 if "bias" in name else scales[name], grad=grad)
        for name, shape in shapes(width, hidden).items()
    }


def made(submission, numbers, dropout=0.0, device=""):
    """A module with these numbers in it, in evaluation mode; None: it is told no dropout."""
    hidden, width = numbers["linear1.weight"].shape
    told = {} if dropout is None else {"dropout": dropout}
    module = submission.FeedForward(d_model=width, d_hidden=hidden, **told)
    is_module(module)
    return (module.to(device) if device == "cuda" else module).load(numbers).eval()


def formula(numbers, x, thin=1):
    """Its definition, in float64 on the CPU; thin: by what dropout multiplies hidden features."""
    known = {name: each.cpu().double() for name, each in numbers.items()}
    hidden = x.cpu().double() @ known["linear1.weight"].mT + known["linear1.bias"]
    hidden = hidden * (hidden > 0) * thin
    return hidden @ known["linear2.weight"].mT + known["linear2.bias"]


def bent(size=1.0):
    """Numbers with which two hidden features are x and -x, x being the first feature of a token.

    Of the output the first two features are size times |x| and size times x, and the others zero.
    """
    return {
        "linear1.weight": given([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]]),
        "linear1.bias": given(np.zeros(2)),
        "linear2.weight": given(size * np.array([[1, 1], [1, -1], [0, 0], [0, 0]])),
        "linear2.bias": given(np.zeros(4)),
    }


def bends(submission, numbers, size=1.0):
    """Such a network makes that of each of these, in a batch of tokens that are all alike."""
    module = made(submission, bent(size))
    for x in numbers:
        token, right = [x, 1.0, 0.0, 0.0], [size * abs(x), size * x, 0.0, 0.0]
        equal(module(given(np.tile(token, (B, T, 1)))), np.tile(right, (B, T, 1)))


def batch():
    """The lengths of a batch of tokens."""
    return one_of(B, 3, 4, 6), one_of(T, 2, 3, 7, 8, 9), E


def ruler(grad=False):
    """Numbers with which every hidden feature is 1, half from x and half from its bias.

    Output d is 3 plus hidden feature d, and so is output d + 24; a graded run has other numbers
    than 3.
    """
    numbers = {
        "linear1.weight": np.full((MANY, 2 * MANY), 0.5) * (np.arange(2 * MANY) == 0),
        "linear1.bias": np.full(MANY, 0.5),
        "linear2.weight": np.tile(np.eye(MANY), (2, 1)),
        "linear2.bias": nudged(np.full(2 * MANY, 3.0), 0.5),
    }
    return {name: given(each, grad=grad) for name, each in numbers.items()}


def tokens(samples=MANY, length=MANY, grad=False):
    """Tokens whose first feature is 1."""
    return given(np.tile(np.eye(2 * MANY)[0], (samples, length, 1)), grad=grad)


def in_training(submission, dropout=0.25):
    """What a network in training leaves of the hidden features of such tokens."""
    numbers = ruler()
    module = made(submission, numbers, dropout).train()
    return left_of(module(tokens()), numbers)


def left_of(output, numbers, samples=MANY, length=MANY):
    """What is left of the hidden features, twice: (2, samples, tokens, 24)."""
    has_shape(output, (samples, length, 2 * MANY))
    hidden = numpy(output) - numpy(numbers["linear2.bias"])
    return hidden.reshape(samples, length, 2, MANY).transpose(2, 0, 1, 3)


def gone(left):
    """Where a hidden feature has become zero."""
    return np.abs(left) < 1e-5


# The idea


def test_both_layers_are_linear_with_bias(submission):
    """`linear1` leads from E to F features and `linear2` back, both nn.Linear with a bias, be the
    hidden layer wider, narrower or as wide: what is no registered parameter is never trained."""
    for width, hidden in ((E, F), (6, 50), (12, 12)):
        has_parameters(submission.FeedForward(width, hidden), shapes(width, hidden))


def test_one_tensor_of_the_same_shape_comes_back(submission):
    """Calling the module runs its `forward`, which gives one tensor, in the shape of x: so that it
    can be added to x."""
    module, shape = submission.FeedForward(E, F), batch()
    is_module(module)
    has_shape(module(normal(*shape)), shape)


def test_negative_hidden_features_become_zero(submission):
    """With weights 1 and -1 and no biases the two hidden features are x and -x. ReLU keeps the
    positive one, and their sum is the absolute value of x; their difference is x."""
    low, high = nudged([-3.0, 0.5], 0.4)
    bends(submission, (low, 0.0, high))


def test_one_token_passes_both_layers_and_their_biases(submission, device):
    """What a token passes: linear1 with its bias, ReLU, linear2 with its bias. The output may be
    negative, because no ReLU comes after the second layer. All tokens here are alike."""
    numbers, x = drawn(), normal(E).repeat(B, T, 1)
    equal(made(submission, numbers, device=device)(x), formula(numbers, x))


def test_each_token_is_computed_independently(submission, device):
    """The same two layers work on each token, and no token influences another one: tokens meet
    in attention only."""
    numbers, x = drawn(), normal(B, T, E)
    equal(made(submission, numbers, device=device)(x), formula(numbers, x))


def test_dimensions_of_equal_length_are_not_confused(submission):
    """Six samples of six tokens, six features, six hidden ones: dimensions have places, not
    sizes."""
    numbers, x = drawn(6, 6), normal(6, 6, 6)
    equal(made(submission, numbers)(x), formula(numbers, x))


def test_in_evaluation_nothing_is_dropped(submission):
    """Dropout is for training: in evaluation mode the network computes as if there were none."""
    numbers, x = drawn(), normal(B, T, E)
    equal(made(submission, numbers, dropout=0.5)(x), formula(numbers, x))


def test_hidden_features_are_dropped(submission):
    """Dropout stands between the layers: a hidden feature that is dropped is missing from every
    output that it feeds, and one that is kept is in all of them."""
    once, again = in_training(submission)
    equal(given(again), once, what="what outputs 24 to 47 show of the hidden features")


def test_dropout_is_the_share_that_is_dropped(submission):
    """`dropout=0.25` drops a quarter of the hidden features, and 0.75 three quarters: it is the
    share that is dropped, not the one that is kept."""
    left, _ = in_training(submission)
    between(gone(left).mean(), 0.2, 0.3, "share of 13824 hidden features that became zero")
    left, _ = in_training(submission, dropout=0.75)
    between(gone(left).mean(), 0.7, 0.8, "share of 13824 hidden features that became zero")


def test_kept_features_are_divided_by_the_share_kept(submission):
    """With `dropout=0.25` a hidden feature that is kept is divided by 0.75, so that the average
    stays what it is without dropout. Nothing before or after it is dropped or scaled."""
    left, _ = in_training(submission)
    right = np.full(left.shape, 1 / 0.75)
    equal(given(left), right, where=~gone(left), what="hidden features that are kept")


def test_each_feature_is_dropped_independently(submission):
    """All hidden features of all samples and tokens are dropped independently: with
    `dropout=0.25` two of them are dropped together in 1 of 16 cases."""
    left, _ = in_training(submission)
    lost = gone(left)
    for (axis, name), step in product(enumerate(("samples", "tokens", "features")), (1, 2)):
        both = lost & np.roll(lost, step, axis)
        between(both.mean(), 0.03, 0.1, f"share of pairs of {name} that are both dropped")


def test_each_call_drops_other_features(submission):
    """Every call in training draws again which hidden features it drops."""
    numbers = ruler()
    module, x = made(submission, numbers, dropout=0.25).train(), tokens()
    lost = [gone(left_of(module(x), numbers)[0]) for _ in range(3)]
    for one, other in combinations(lost, 2):
        share = (one & other).mean()
        between(share, 0.03, 0.1, "share of hidden features that two calls have both dropped")


# The fine print


def test_arguments_can_be_given_by_position_or_by_name(submission):
    """The constructor takes `d_model`, `d_hidden` and `dropout`, with their names or without."""
    named = submission.FeedForward(d_model=E, d_hidden=F, dropout=0.5)
    has_parameters(named, shapes())
    module, shape = submission.FeedForward(E, F, 0.5), batch()
    has_parameters(module, shapes())
    has_shape(module(normal(*shape)), shape)


def test_relu_lets_tiny_positive_values_through(submission):
    """ReLU has its bend at zero and nowhere near it: a hidden feature of a millionth counts too."""
    bends(submission, nudged([1e-3, 1e-6, -1e-6], 3e-7), size=1e6)


def test_relu_has_no_upper_limit(submission):
    """ReLU has no upper end: a hidden feature of a million stays one."""
    bends(submission, nudged([10.0, 1e3, -1e6], 3))


def test_nothing_but_the_two_layers_learns(submission):
    """Two weights and two biases are all that is learned: a further one would change the output."""
    numbers, x = drawn(), normal(B, T, E)
    module = made(submission, numbers)
    own = module.parameters(*numbers)
    others = {name: each for name, each in own.items() if name not in numbers}
    module.load({name: normal(*each.shape) for name, each in others.items()})
    equal(module(x), formula(numbers, x))


def test_x_may_be_a_transposed_view(submission):
    """x may have been transposed before: its numbers do not lie in a row of memory then."""
    numbers, x = drawn(), normal(T, B, E).transpose(0, 1)
    equal(made(submission, numbers)(x), formula(numbers, x))


def test_any_number_of_dimensions_may_come_before_the_features(submission):
    """One token alone, a list of tokens, samples of tokens, heads of samples: features are the last
    dimension, and what comes before stays as it is, also where its length is 1."""
    numbers = drawn()
    module = made(submission, numbers)
    for shape in ((E,), (7, E), (B, H, T, E), (1, B, 1, 1, E)):
        x = normal(*shape)
        equal(module(x), formula(numbers, x))


def test_a_tenth_is_dropped_by_default(submission):
    """A network that is told no dropout has one of 0.1."""
    left, _ = in_training(submission, dropout=None)
    between(gone(left).mean(), 0.07, 0.13, "share of 13824 hidden features that became zero")


def test_a_dropout_of_zero_drops_nothing(submission):
    """With `dropout=0.0` training does what evaluation does."""
    numbers, x = drawn(), normal(B, T, E)
    equal(made(submission, numbers, dropout=0.0).train()(x), formula(numbers, x))


def test_a_dropout_of_one_leaves_the_bias(submission):
    """Where every hidden feature is dropped, the bias of linear2 is all that comes out."""
    numbers, x = drawn(), normal(B, T, E)
    output = made(submission, numbers, dropout=1.0).train()(x)
    equal(output, numbers["linear2.bias"].double().expand(B, T, E))


def test_evaluation_after_training_drops_nothing_either(submission):
    """The mode counts at each call: what was drawn in training has no influence later."""
    numbers, x = drawn(), normal(B, T, E)
    module = made(submission, numbers, dropout=0.5).train()
    module(x)
    equal(module.eval()(x), formula(numbers, x))


def test_training_drops_features_under_no_grad_too(submission):
    """A network in training drops hidden features whether gradients are recorded or not: these are
    two switches, and dropout follows the mode."""
    with torch.no_grad():
        left, _ = in_training(submission)
    between(gone(left).mean(), 0.2, 0.3, "share of 13824 hidden features that became zero")


def test_gradients_reach_x(submission):
    """What comes before learns through both layers, from every hidden feature that is positive."""
    numbers, x = drawn(), normal(B, T, E, grad=True)
    output, right = made(submission, numbers)(x), formula(numbers, x)
    equal(output, right)
    (found,), (expected,) = gradients(output, x), gradients(right, x)
    equal_gradient(found, expected, "`x`")


def test_both_layers_get_gradients(submission):
    """Both layers learn, each weight and each bias."""
    numbers, x = drawn(grad=True), normal(B, T, E)
    module, right = made(submission, numbers), formula(numbers, x)
    output = module(x)
    equal(output, right)
    backward(output)
    found, expected = module.gradients(), gradients(right, *numbers.values())
    for name, gradient in zip(numbers, expected, strict=True):
        equal_gradient(found[name], gradient, f"`{name}`")


def test_gradients_follow_what_dropout_has_kept(submission):
    """In training a call learns from the hidden features that it has kept, and from no others: its
    gradients follow its own draw."""
    numbers, x = ruler(grad=True), tokens(B, T, grad=True)
    module = made(submission, numbers, dropout=0.25).train()
    output = module(x)
    left, _ = left_of(output, numbers, B, T)
    right = formula(numbers, x, thin=torch.from_numpy(~gone(left) / 0.75))
    backward(output)
    of_x, found = x.grad, module.gradients()
    right_for_x, *expected = gradients(right, x, *numbers.values())
    equal_gradient(of_x, right_for_x, "`x`")
    for name, gradient in zip(numbers, expected, strict=True):
        equal_gradient(found[name], gradient, f"`{name}`")


def test_x_stays_as_it_is(submission):
    """x belongs to the caller, who adds it to the result in an encoder layer: nothing is written
    into it, whether gradients are recorded or not, in training or in evaluation."""
    numbers = drawn()
    module = made(submission, numbers, dropout=0.5)
    samples = [normal(*shape) for shape in ((B, T, E), (7, E), (E,))]
    outputs = [module(x) for x in samples]
    with torch.no_grad():
        for x in samples:
            module(x)
    module.train()
    for x in samples:
        module(x)
    arguments_kept()
    for x, output in zip(samples, outputs, strict=True):
        equal(output, formula(numbers, x))


def test_a_call_remembers_nothing(submission):
    """No call leaves anything behind: the next one has other tokens, more of them or fewer, and
    what came of the first stays as it was."""
    numbers, x = drawn(), normal(B, T, E)
    module = made(submission, numbers)
    first = module(x)
    for shape in ((B, T, E), (B, 7, E), (1, E), (B, T, E)):
        other = normal(*shape)
        equal(module(other), formula(numbers, other), what="the output of a later call")
    equal(first, formula(numbers, x), what="the output of the first call, after later ones")
    with torch.no_grad():
        first = module(x)
        module(normal(B, T, E))
    equal(first, formula(numbers, x), what="the output of a call, after the next one")


def test_new_numbers_in_the_layers_are_used(submission):
    """Parameters change with every step of training: a call uses what they are now."""
    x, module = normal(B, T, E), made(submission, drawn())
    for _ in range(2):
        numbers = drawn()
        equal(module.load(numbers)(x), formula(numbers, x))


def test_two_modules_share_nothing(submission):
    """An encoder has one in each layer, all of the same size: each has numbers and a dropout of its
    own."""
    numbers, others, x = drawn(), drawn(), normal(B, T, E)
    module = made(submission, numbers, dropout=0.0).train()
    other = made(submission, others, dropout=1.0).train()
    right = others["linear2.bias"].double().expand(B, T, E)
    equal(other(x), right, what="the output of the second module")
    equal(module(x), formula(numbers, x), what="the output of the first module")
