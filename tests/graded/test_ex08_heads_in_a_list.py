"""What several heads in a list are: each attends on its own, and one layer mixes what they found.

Claims about values put the suite's own numbers into every head and compute what must come out, one
head at a time.
"""

import math
from functools import partial

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
    raises,
)
from kata.judging.inputs import given, in_any_order, normal, numpy, one_of

B, H, S, D = 2, 3, 7, 6
E = H * D
PROJECTIONS = ("w_query", "w_key", "w_value")


def shapes(width=E, heads=H):
    """The parameters by their names, and the shape of each."""
    layers = {f"heads.{h}.{name}": width // heads for h in range(heads) for name in PROJECTIONS}
    layers["w_out"] = width
    weights = {f"{name}.weight": (rows, width) for name, rows in layers.items()}
    return weights | {f"{name}.bias": (rows,) for name, rows in layers.items()}


def drawn(width=E, heads=H, grad=False):
    """Numbers for all heads, no two of them alike, and for the output layer."""
    known = shapes(width, heads)
    sizes = [math.prod(shape) for shape in known.values()]
    scales = [0.5 if len(shape) == 1 else width**-0.5 for shape in known.values()]
    numbers = normal(sum(sizes), scale=np.repeat(scales, sizes)).split(sizes)
    parts = zip(known.items(), numbers, strict=True)
    return {name: part.view(shape).requires_grad_(grad) for (name, shape), part in parts}


def made(submission, numbers, heads=H, device=""):
    """A module with these numbers in it, in evaluation mode."""
    width = numbers["w_out.bias"].shape[0]
    module = submission.HeadsInAList(d_model=width, num_heads=heads)
    is_module(module)
    module.load(numbers)
    return (module.to(device) if device == "cuda" else module).eval()


def softmax(scores):
    """Weights of arrays or tensors."""
    if isinstance(scores, torch.Tensor):
        return scores.softmax(dim=-1)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def exact(values, *, grad):
    """In float64 on the CPU: arrays, which are faster, or tensors where gradients are wanted."""
    return values.cpu().double() if grad else values.detach().cpu().numpy().astype(np.float64)


def naive(numbers, x, heads=H):
    """The sum over the heads, each with its block of columns of w_out, in float64."""
    grad = x.requires_grad or numbers["w_out.bias"].requires_grad
    known = {name: exact(each, grad=grad) for name, each in numbers.items()}
    tokens, width = exact(x, grad=grad), x.shape[-1] // heads
    output = known["w_out.bias"]
    for h in range(heads):
        q, k, v = (
            tokens @ known[f"heads.{h}.{name}.weight"].T + known[f"heads.{h}.{name}.bias"]
            for name in PROJECTIONS
        )
        weights = softmax(q @ k.swapaxes(1, 2) / math.sqrt(width))
        block = known["w_out.weight"][:, h * width : (h + 1) * width]
        output = output + weights @ v @ block.T
    return output


# The idea


def test_the_module_has_h_heads_and_an_output_layer(submission):
    """`heads` holds H self-attentions from E to D features and `w_out` maps E to E, all with biases
    and each with parameters of its own: what is no registered parameter is never trained."""
    module = submission.HeadsInAList(d_model=E, num_heads=H)
    has_parameters(module, shapes())


def test_there_are_as_many_heads_as_asked_for(submission):
    """The heads share the width among them: 12 features make two heads of 6 or six of 2, and no
    more heads than that."""
    for heads in (2, 6):
        module = submission.HeadsInAList(d_model=12, num_heads=heads)
        has_parameters(module, shapes(12, heads))
        own = module.parameters(*(f"heads.{head}" for head in range(heads + 1)))
        names = [name.split(".")[1] for name in own if name.startswith("heads.")]
        between(len(set(names)), heads, heads, "number of heads")


def test_calling_the_module_returns_one_tensor(submission):
    """Calling the module runs its `forward`, which returns one tensor as large as x, and the same
    one for the same tokens when it is called again. Other tokens have another one."""
    shape = one_of(B, 3, 4, 5), one_of(S, 4, 6, 8, 9), E
    module, x = submission.HeadsInAList(d_model=E, num_heads=H), normal(*shape)
    is_module(module)
    first = module.eval()(x)
    has_shape(first, shape)
    right = numpy(first)
    equal(module(x), right, what="output of the second call")
    other = module(normal(*shape))
    has_shape(other, shape, "output for other tokens")
    differs = bool((numpy(other) != right).any())
    equal(given([differs]), [True], what="whether other tokens have another output")


def test_heads_stand_side_by_side(submission):
    """An output layer that changes nothing shows the heads as they are: head h's contexts are the
    features h·D to (h+1)·D − 1 of each token, and each head has read all features of x."""
    numbers, x = drawn(), normal(B, S, E)
    numbers |= {"w_out.weight": given(torch.eye(E).numpy()), "w_out.bias": given([0.0] * E)}
    equal(made(submission, numbers)(x), naive(numbers, x))


def test_the_output_layer_mixes_the_heads(submission, device):
    """`w_out` comes last: each feature of the output may depend on all heads."""
    numbers, x = drawn(), normal(B, S, E)
    equal(made(submission, numbers, device=device)(x), naive(numbers, x))


def test_equal_sizes_do_not_mix_up_samples_heads_and_tokens(submission):
    """Three samples, heads, tokens and features of a head: axes have places, not sizes."""
    numbers, x = drawn(9), normal(3, 3, 9)
    equal(made(submission, numbers)(x), naive(numbers, x))


def test_training_and_evaluation_compute_the_same(submission):
    """Training and evaluation are the same: nothing is dropped here."""
    numbers, x = drawn(), normal(B, S, E)
    module, right = made(submission, numbers), naive(numbers, x)
    for mode, prepare in (("training", module.train), ("evaluation", module.eval)):
        equal(prepare()(x), right, what=f"output in {mode}")


# The fine print


def test_the_constructor_takes_its_arguments_by_position(submission):
    """Width, heads: in this order the constructor takes them without names."""
    module = submission.HeadsInAList(E, H)
    has_parameters(module, shapes())


def test_two_modules_share_nothing(submission):
    """A model has many of them: building or loading one changes nothing in another."""
    numbers, x = drawn(), normal(B, S, E)
    module = made(submission, numbers)
    for heads in (H, 2):
        others = drawn(heads=heads)
        another = made(submission, others, heads)
        equal(another(x), naive(others, x, heads), what="output of another module")
        equal(module(x), naive(numbers, x), what="output of the first module")


def test_the_module_takes_its_tokens_as_x(submission):
    """The module takes its tokens as `x`."""
    numbers, x = drawn(), normal(B, S, E)
    equal(made(submission, numbers)(x=x), naive(numbers, x))


def test_attention_works_with_one_head_and_with_six(submission):
    """One head of 6 features or six of one: all of them are used, and the output layer comes
    after them."""
    x = normal(B, S, 6)
    for heads in (1, 6):
        numbers = drawn(6, heads)
        equal(made(submission, numbers, heads)(x), naive(numbers, x, heads))


def test_more_than_ten_heads_keep_their_numeric_order(submission):
    """Heads are in the order of their numbers, and 10 comes after 9."""
    numbers, x = drawn(22, 11), normal(B, S, 22)
    equal(made(submission, numbers, 11)(x), naive(numbers, x, 11))


def test_axes_of_length_one_are_kept(submission):
    """One sample, one head, one token, or all at once: an axis of length 1 is an axis."""
    for samples, heads, tokens in ((1, 1, 1), (B, H, 1), (1, H, S)):
        numbers, x = drawn(heads=heads), normal(samples, tokens, E)
        equal(made(submission, numbers, heads)(x), naive(numbers, x, heads))


def test_each_of_many_tokens_reads_all_of_them(submission):
    """A hundred tokens and more are one text: each token reads all of them, in every head."""
    numbers, x = drawn(6, 2), normal(1, 140, 6)
    equal(made(submission, numbers, 2)(x), naive(numbers, x, 2))


def test_large_scores_do_not_overflow_in_any_head(submission):
    """Scores of 100 or 1000 and of their negatives give ordinary weights, in every head."""
    numbers, x = drawn(8, 2), given(torch.eye(8)[None, :2].numpy())
    for one, other in ((100.0, 101.0), (900.0, 1000.0)):
        for h in range(2):
            for name, row in (("w_query", [2.0, -2.0]), ("w_key", [one, other])):
                weight = [row + [0.0] * 6] + [[0.0] * 8] * 3
                numbers[f"heads.{h}.{name}.weight"] = given(weight)
                numbers[f"heads.{h}.{name}.bias"] = given([0.0] * 4)
        equal(made(submission, numbers, 2)(x), naive(numbers, x, 2))


def test_tokens_may_be_a_view(submission):
    """x may be a transposed view of another tensor: what counts is the shape, and not in which
    order the numbers lie in memory."""
    numbers = drawn()
    for x in (normal(S, B, E).transpose(0, 1), normal(B, E, S).mT):
        equal(made(submission, numbers)(x), naive(numbers, x))


def test_every_head_learns(submission):
    """Every weight and bias of every head gets its gradient, and so does the output layer."""
    numbers, x = drawn(grad=True), normal(B, S, E)
    module = made(submission, numbers)
    output, right = module(x), naive(numbers, x)
    equal(output, right)
    backward(output)
    found = module.gradients()
    for name, gradient in zip(numbers, gradients(right, *numbers.values()), strict=True):
        if not name.endswith("w_key.bias"):  # zero but for rounding: it shifts all scores alike
            equal_gradient(found[name], gradient, f"`{name}`")


def test_tokens_get_gradients(submission):
    """Layers below learn through all heads: the gradient of `x` is the sum of what they send."""
    numbers, x = drawn(), normal(B, S, E, grad=True)
    output, right = made(submission, numbers)(x), naive(numbers, x)
    equal(output, right)
    equal_gradient(*gradients(output, x), *gradients(right, x), "`x`")


def test_calls_without_gradients_compute_the_same(submission):
    """Under torch.no_grad() nothing is recorded, and all heads compute what they do without it."""
    numbers, x = drawn(), normal(B, S, E)
    module, right = made(submission, numbers), naive(numbers, x)
    for mode, prepare in (("training", module.train), ("evaluation", module.eval)):
        with torch.no_grad():
            equal(prepare()(x), right, what=f"output in {mode} under torch.no_grad()")


def test_tokens_stay_as_they_are(submission):
    """x belongs to the caller and stays unchanged, whether gradients are recorded or not."""
    numbers, x = drawn(), normal(B, S, E)
    module, right = made(submission, numbers), naive(numbers, x)
    equal(module(x), right)
    with torch.no_grad():
        equal(module(x), right)
    arguments_kept()


def test_calls_do_not_affect_each_other(submission):
    """A call leaves nothing behind and changes no earlier result: the next one may have other
    sizes, or the same sizes and other numbers."""
    numbers, x = drawn(), normal(B, S, E)
    module = made(submission, numbers)
    for recording in (True, False):
        with torch.set_grad_enabled(recording):
            first = module(x)
            for shape in ((B, S, E), (3, 9, E)):
                other = normal(*shape)
                equal(module(other), naive(numbers, other), what="output of a later call")
            equal(first, naive(numbers, x), what="output of the first call, after later ones")


def test_a_call_uses_the_weights_as_they_are_now(submission):
    """Weights change with every step of training: a call uses what they are now, and not what they
    were in the first call."""
    module, x = made(submission, drawn()), normal(B, S, E)
    for numbers in (drawn(), drawn()):
        equal(module.load(numbers)(x), naive(numbers, x))
        with torch.no_grad():
            equal(module(x), naive(numbers, x), what="output under torch.no_grad()")


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features cannot be shared among 6 heads, nor 4 or 3: the constructor raises a ValueError
    that names both numbers, before anything is built on a wrong width."""
    more = one_of(22, 26, 27, 28, 29, 31), 6
    for width, heads in in_any_order(((20, 6), (4, 6), (3, 6), more, (6, 1))):
        build = partial(submission.HeadsInAList, d_model=width, num_heads=heads)
        if width % heads:
            raises("ValueError", build, mentions=(width, heads))
        else:
            is_module(build())
