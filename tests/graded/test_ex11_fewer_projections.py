"""What is left of attention without a projection of the values, or of keys and values.

Every claim about values puts the suite's own numbers into the module and computes what must come
out, one head at a time. A claim that says nothing about `w_key` holds with it and without it.
"""

import math
from functools import partial
from itertools import product

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
    is_exactly,
    is_module,
    raises,
)
from kata.judging.inputs import given, in_any_order, keep_mask, normal, one_of

B, H, S, D = 2, 3, 7, 6
E = H * D
BOTH = (True, False)  # with w_key and without it
SLICES = [(head, slice(head * D, (head + 1) * D)) for head in range(H)]


def drawn(project_keys=True, width=E, grad=False):
    """Numbers for all projections that are there."""
    names = ("w_query", "w_key", "w_out") if project_keys else ("w_query", "w_out")
    numbers = {}
    for name in names:
        numbers[f"{name}.weight"] = normal(width, width, scale=width**-0.5)
        numbers[f"{name}.bias"] = normal(width, scale=0.5)
    return {name: each.requires_grad_(grad) for name, each in numbers.items()}


def unchanged(name, width=E):
    """Numbers with which this projection changes nothing."""
    return {f"{name}.weight": given(torch.eye(width).numpy()), f"{name}.bias": given([0.0] * width)}


def marked(size):
    """Numbers with which head h gives a token the score `size` times the token's feature h."""
    numbers = drawn()
    for name in ("w_query.weight", "w_query.bias", "w_key.weight", "w_key.bias"):
        numbers[name] *= 0
    for head, columns in SLICES:
        numbers["w_query.bias"][columns.start] = size * math.sqrt(D)
        numbers["w_key.weight"][columns.start, head] = 1.0
    return numbers


def made(submission, numbers, heads=H, device=""):
    """A module with these numbers in it, in evaluation mode."""
    width, project_keys = len(numbers["w_out.bias"]), "w_key.bias" in numbers
    module = submission.FewerProjections(d_model=width, num_heads=heads, project_keys=project_keys)
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


def naive(numbers, x, *, keep=None, heads=H):
    """Attention from its definition, in float64: head by head, slice by slice.

    A projection that has no numbers is missing: x stands in its place. keep: a mask spelled out to
    4 dimensions.
    """
    grad = x.requires_grad or numbers["w_out.bias"].requires_grad
    known = {name: exact(each, grad=grad) for name, each in numbers.items()}
    x = exact(x, grad=grad)
    lowered = None if keep is None else 1e300 * exact(~keep, grad=grad)

    def projected(name):
        if f"{name}.weight" not in known:
            return x
        return x @ known[f"{name}.weight"].T + known[f"{name}.bias"]

    queries, keys, values = projected("w_query"), projected("w_key"), projected("w_value")
    output, width = known["w_out.bias"], x.shape[-1] // heads
    for head in range(heads):
        columns = slice(head * width, (head + 1) * width)
        scores = queries[..., columns] @ keys[..., columns].swapaxes(1, 2) / math.sqrt(width)
        if lowered is not None:
            scores = scores - lowered[:, head if lowered.shape[1] > 1 else 0]
        found = softmax(scores) @ values[..., columns]
        output = output + found @ known["w_out.weight"][:, columns].T
    return output


def size_of(module):
    """How many numbers a module learns."""
    is_module(module)
    return sum(each.numel() for each in module.parameters().values())


def has_none(module, *missing):
    """No layer has one of these names, not even as a second name of another one."""
    own = module.parameters(*missing)
    found = given([any(name.startswith(f"{each}.") for name in own) for each in missing])
    equal(found, [False] * len(missing), what=f"whether there is {' or '.join(missing)}")


# The idea


# FewerProjections


def test_queries_keys_and_output_are_projected(submission):
    """`w_query`, `w_key` and `w_out` are nn.Linear from E to E features, each with parameters of
    its own; keys are projected unless the caller says otherwise."""
    module = submission.FewerProjections(d_model=E, num_heads=H)
    names = ("w_query", "w_key", "w_out")
    weights = {f"{name}.weight": (E, E) for name in names}
    has_parameters(module, weights | {f"{name}.bias": (E,) for name in names})


def test_values_are_not_projected(submission):
    """With E = 18 three Linears of 18·18 + 18 = 342 parameters are 1026: a fourth one, for values,
    is what this attention does without."""
    module = submission.FewerProjections(d_model=E, num_heads=H, project_keys=True)
    between(size_of(module), 1026, 1026, "parameters of a module with project_keys=True")
    has_none(module, "w_value")


def test_keys_are_projected_only_if_asked(submission):
    """With `project_keys=False` there is no layer for keys either: `w_query` and `w_out` are left,
    with 684 parameters."""
    module = submission.FewerProjections(d_model=E, num_heads=H, project_keys=False)
    names = ("w_query", "w_out")
    weights = {f"{name}.weight": (E, E) for name in names}
    has_parameters(module, weights | {f"{name}.bias": (E,) for name in names})
    between(size_of(module), 684, 684, "parameters of a module with project_keys=False")
    has_none(module, "w_key", "w_value")


def test_calling_it_gives_the_output_alone(submission):
    """Calling the module runs its `forward`, which returns one tensor as large as x, and no
    weights."""
    for keys in BOTH:
        module = submission.FewerProjections(d_model=E, num_heads=H, project_keys=keys)
        is_module(module)
        shape = one_of(B, 4, 5), one_of(S, 6, 8, 9, 10, 11), E
        has_shape(module(normal(*shape)), shape)


def test_values_are_the_tokens_themselves(submission, device):
    """Where all scores are equal and `w_out` changes nothing, each feature of the output is the
    mean of this very feature over the tokens: values are slices of x, each in its place."""
    for keys in BOTH:
        numbers, x = drawn(keys) | unchanged("w_out"), normal(B, S, E)
        numbers["w_query.weight"] *= 0
        numbers["w_query.bias"] *= 0
        right = x.double().mean(dim=1, keepdim=True).expand(B, S, E)
        equal(made(submission, numbers, device=device)(x), right)


def test_before_w_out_no_feature_leaves_the_range_of_the_tokens(submission):
    """An average lies between the smallest and the largest of what is averaged: before `w_out` no
    head can enlarge a feature or flip its sign. A projection of the values could."""
    for keys in BOTH:
        # Far from zero, where weights whose sum is not one leave the range whatever was drawn.
        numbers, x = drawn(keys) | unchanged("w_out"), normal(B, S, E) + 5
        numbers["w_query.weight"] *= 0.3  # scores of the usual size all the same
        output = made(submission, numbers)(x)
        has_shape(output, (B, S, E))
        low, high = x.amin(dim=1, keepdim=True), x.amax(dim=1, keepdim=True)
        equal(output, output.detach().clamp(low, high))


def test_with_w_key_queries_are_compared_with_projected_keys(submission):
    """With `w_key`, head h compares the features h·D to (h+1)·D − 1 of projected queries and
    projected keys, and its score is divided by √D."""
    numbers, x = drawn() | unchanged("w_out"), normal(B, S, E)
    equal(made(submission, numbers)(x), naive(numbers, x))


def test_without_w_key_a_head_compares_its_own_slice(submission):
    """Without `w_key` head 1 finds tokens by their features 6 to 11 alone: whatever the others are,
    it looks at the same tokens. With `w_key` these would count too: that map is lost."""
    numbers, x = drawn(project_keys=False) | unchanged("w_out"), normal(B, S, E)
    module, (_, own) = made(submission, numbers), SLICES[1]
    before = module(x)
    has_shape(before, (B, S, E))
    for token in in_any_order(range(S)):
        other = normal(B, S, E)
        other[..., own] = x[..., own]
        other[:, token] = x[:, token]  # a query is made of all features
        after = module(other)
        has_shape(after, (B, S, E))
        equal(after[:, token, own], before[:, token, own], what=f"head 1 for token {token}")


def test_without_w_key_the_keys_are_slices_of_the_input(submission, device):
    """Without `w_key`, head h compares the features h·D to (h+1)·D − 1 of projected queries with
    the same features of the tokens as they are, and its score is divided by √D."""
    numbers, x = drawn(project_keys=False) | unchanged("w_out"), normal(B, S, E)
    equal(made(submission, numbers, device=device)(x), naive(numbers, x))


def test_w_out_mixes_the_heads(submission):
    """`w_out` comes last, after the heads stand side by side again: each of its features is made of
    all heads."""
    for keys in BOTH:
        numbers, x = drawn(keys), normal(B, S, E)
        equal(made(submission, numbers)(x), naive(numbers, x))


def test_slices_and_scale_follow_the_number_of_heads(submission):
    """18 features make two heads of 9 or 9 heads of 2: slices and scale follow from H."""
    for keys, heads in zip(BOTH, (2, 9), strict=True):
        numbers, x = drawn(keys), normal(B, S, E)
        equal(made(submission, numbers, heads)(x), naive(numbers, x, heads=heads))


def test_axes_of_equal_length_are_not_confused(submission):
    """Three samples, heads, tokens and features of a head: axes have places, not sizes."""
    for keys in BOTH:
        numbers, x = drawn(keys, width=9), normal(3, 3, 9)
        equal(made(submission, numbers)(x), naive(numbers, x))


def test_one_mask_serves_all_samples_and_heads(submission, device):
    """A mask (S, S) holds for every sample and every head; True means "may attend", and a hidden
    key gets weight zero."""
    for keys in BOTH:
        numbers, x, mask = drawn(keys), normal(B, S, E), keep_mask(S, S)
        right = naive(numbers, x, keep=mask[None, None])
        equal(made(submission, numbers, device=device)(x, mask), right)


def test_a_causal_mask_hides_the_future(submission):
    """Row t of a mask says what token t may attend to: the tokens up to itself, or only the last
    two of them; the future is hidden."""
    for keys, window in zip(BOTH, (S, 2), strict=True):
        numbers, x = drawn(keys), normal(B, S, E)
        mask = given([[t - window < s <= t for s in range(S)] for t in range(S)])
        equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[None, None]))


def test_training_mode_computes_what_evaluation_does(submission):
    """There is no dropout here: in training the module computes what it does in evaluation, under a
    mask too."""
    for keys in BOTH:
        numbers, x, mask = drawn(keys), normal(B, S, E), keep_mask(S, S)
        right = naive(numbers, x, keep=mask[None, None])
        equal(made(submission, numbers).train()(x, mask), right)


# parameter_count


def test_parameter_count_adds_up_all_projections(submission):
    """With E = 6 a projection has 36 weights and 6 biases. Four of them have 168 parameters, three
    have 126, and two have 84: queries and the output are always projected."""
    width = one_of(10, *range(11, 100))
    more = (width, True, True), (6, True, False), (6, False, True), (6, False, False)
    cases = in_any_order([(6, True, True), *more])
    found = [submission.parameter_count(*case) for case in cases]
    for case, got in zip(cases, found, strict=True):
        linears = 2 + sum(case[1:])
        is_exactly(got, linears * (case[0] ** 2 + case[0]), f"parameter_count{case}")


# The fine print


# FewerProjections


def test_the_constructor_takes_width_heads_and_keys_by_position(submission):
    """Width, heads, keys: in this order the constructor takes them without names."""
    module = submission.FewerProjections(E, H, False)
    between(size_of(module), 684, 684, "parameters of FewerProjections(18, 3, False)")


def test_forward_takes_x_and_mask_by_name(submission):
    """`x` and `mask` can be given by name, in any order."""
    numbers, x, mask = drawn(), normal(B, S, E), keep_mask(S, S)
    equal(made(submission, numbers)(mask=mask, x=x), naive(numbers, x, keep=mask[None, None]))


def test_a_head_passes_on_its_own_slice(submission):
    """Let head h look at token h alone: then the output holds features 0 to 5 of token 0, 6 to 11
    of token 1 and 12 to 17 of token 2. Nothing else of x is left for `w_out`, whereas values with
    a projection could pass on any features: that map is lost."""
    numbers = marked(9000.0)
    module, kept = made(submission, numbers), normal(B, H, E)
    kept[..., :H] = given(torch.eye(H).numpy())  # head h finds token h by its feature h
    slices = torch.cat([kept[:, head, columns] for head, columns in SLICES], dim=-1)
    right = slices.double() @ numbers["w_out.weight"].double().T + numbers["w_out.bias"].double()
    for _ in range(2):
        x = normal(B, S, E)
        x[:, H:, :H] = 0.9  # the others come close, with scores of 8100 to 9000
        x[:, :H, :H] = kept[..., :H]
        for head, columns in SLICES:
            x[:, head, columns] = kept[:, head, columns]
        equal(module(x), right[:, None].expand(B, S, E))


def test_hidden_keys_stay_hidden(submission):
    """A hidden key gets nothing, also where all scores of its row are −500 or −5,000, and those of
    another head as far above zero, or where its own lies 150 above the others."""
    x, mask = normal(B, S, E), keep_mask(S, S)
    x[..., :H] = -5.0
    x[..., 1] = 5.0
    for size in (100.0, 1000.0):
        numbers = marked(size)
        numbers["w_out.weight"] /= 100  # a score of 5,000 is rounded by half a thousandth
        equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[None, None]))
    x[:, :, :H] = 0.0
    x[:, 0, :H] = 1.0
    mask[:, 0], mask[:, 1] = False, True
    numbers = marked(150.0)
    equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[None, None]))


def test_hidden_keys_stay_hidden_among_scores_of_ten_thousand(submission):
    """Scores may lie anywhere between −10,000 and 10,000. A hidden key gets nothing, even where its
    own score is 9,999 and those of all visible keys are −9,999."""
    numbers, x, mask = marked(9999.0), normal(B, S, E), keep_mask(S, S)
    x[..., :H] = -1.0
    x[:, 2, :H], mask[:, 2], mask[:, 0] = 1.0, False, True
    x[:, 2, H:] *= 1000  # so that it shows if the hidden key has any weight
    numbers["w_out.weight"] /= 1000  # some right answers round a score of 9,999 by a thousandth
    equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[None, None]))


def test_one_head_loses_nothing(submission):
    """With H = 1 there is one slice, and it is the whole token: `w_out` can hold a projection of
    the values, and `w_query` one of the keys. The same function as with all four comes out; only
    with more heads is there something to lose."""
    full = drawn() | {"w_value.weight": normal(E, E, scale=E**-0.5), "w_value.bias": normal(E)}
    x = normal(B, S, E)
    right = naive(full, x, heads=1)
    numbers = {name: each for name, each in full.items() if "value" not in name}
    numbers["w_out.weight"] = full["w_out.weight"] @ full["w_value.weight"]
    numbers["w_out.bias"] = full["w_out.weight"] @ full["w_value.bias"] + full["w_out.bias"]
    equal(made(submission, numbers, heads=1)(x), right, what="output without w_value")
    turn = full["w_key.weight"].T
    fewest = {name: each for name, each in numbers.items() if "key" not in name}
    fewest["w_query.weight"] = turn @ full["w_query.weight"]
    fewest["w_query.bias"] = turn @ full["w_query.bias"]
    equal(made(submission, fewest, heads=1)(x), right, what="output without w_value and w_key")


def test_every_size_may_be_one(submission):
    """One sample, one head, one token, or all at once: an axis of length 1 is an axis."""
    sizes = ((True, 1, 1, 1), (False, 1, 1, 1), (True, 1, H, S), (False, B, H, 1))
    for keys, samples, heads, tokens in sizes:
        numbers, x = drawn(keys), normal(samples, tokens, E)
        equal(made(submission, numbers, heads)(x), naive(numbers, x, heads=heads))


def test_with_as_many_tokens_as_samples_one_mask_still_serves_all(submission):
    """A mask (S, S) stays one for all when there happen to be S samples and S heads: the number of
    its dimensions says what it is, not their lengths."""
    numbers, x, mask = drawn(), normal(H, H, E), keep_mask(H, H)
    equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[None, None]))


def test_with_as_many_samples_as_heads_masks_belong_to_samples(submission):
    """A mask (B, S, S) has one map for each sample, also where B = H: sample b's map serves all
    heads of sample b. It is not head b's map."""
    for keys in BOTH:
        numbers, x, mask = drawn(keys), normal(H, S, E), keep_mask(H, S, S)
        equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[:, None]))


def test_each_sample_has_its_own_mask(submission):
    """A mask (B, S, S) fits any number of heads, also as many as there are tokens: it gets an axis
    of length 1 where they are."""
    for keys, tokens in zip(BOTH, (S, H), strict=True):
        numbers, x, mask = drawn(keys), normal(B, tokens, E), keep_mask(B, tokens, tokens)
        equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[:, None]))


def test_a_padding_mask_hides_keys_from_all_queries(submission):
    """A mask (B, 1, S), as ex05's padding_mask makes it, hides the same keys from all queries of a
    sample: 4 tokens of the first sample are real, and 6 of the second."""
    mask = given([[[True] * 4 + [False] * 3], [[True] * 6 + [False]]])
    numbers, x = drawn(project_keys=False), normal(B, S, E)
    equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[:, None]))


def test_a_mask_with_an_axis_for_heads_is_used_as_it_is(submission):
    """A mask (B, 1, S, S) has its axis for the heads already, and is used as it is."""
    numbers, x, mask = drawn(), normal(B, S, E), keep_mask(B, 1, S, S)
    equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask))


def test_each_head_has_its_own_mask(submission):
    """A mask (B, H, S, S) can hide different keys from each head."""
    numbers, x, mask = drawn(project_keys=False), normal(B, S, E), keep_mask(B, H, S, S)
    equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask))


def test_a_mask_with_sizes_of_one_broadcasts(submission):
    """Any size of a mask may be 1 and then stands for all: all queries, samples or heads."""
    numbers, x = drawn(project_keys=False), normal(B, S, E)
    module = made(submission, numbers)
    for shape in ((1, S), (1, S, S), (1, 1, S), (1, H, S, S), (B, H, 1, S)):
        mask = keep_mask(*shape)
        keep = {2: mask[None, None], 3: mask[:, None], 4: mask}[mask.ndim]
        equal(module(x, mask), naive(numbers, x, keep=keep), what=f"output under a mask {shape}")


def test_one_sample_or_one_head_obeys_its_mask(submission):
    """One sample or one head obeys its mask like many: no mask may be left out."""
    for keys, samples, heads in ((True, 1, H), (False, B, 1)):
        numbers, x, mask = drawn(keys), normal(samples, S, E), keep_mask(samples, S, S)
        right = naive(numbers, x, keep=mask[:, None], heads=heads)
        equal(made(submission, numbers, heads)(x, mask), right)


def test_the_last_of_many_tokens_or_samples_obeys_its_mask(submission):
    """The last of 70 tokens and the last of 10 samples have their own row and their own map of the
    mask, like the first."""
    for keys, samples, tokens in ((True, 1, 70), (False, 10, S)):
        numbers, x = drawn(keys), normal(samples, tokens, E)
        mask = keep_mask(samples, tokens, tokens)
        equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[:, None]))


def test_inputs_may_be_views(submission):
    """Input and mask may be transposed views of other tensors: what counts is the shape, and not in
    which order the numbers lie in memory."""
    mask = keep_mask(B, S, S).mT.contiguous().mT
    for keys, x in zip(BOTH, (normal(S, B, E).transpose(0, 1), normal(B, E, S).mT), strict=True):
        numbers = drawn(keys)
        equal(made(submission, numbers)(x, mask), naive(numbers, x, keep=mask[:, None]))


def test_a_mask_works_under_no_grad(submission):
    """Under torch.no_grad() a module computes what it does while gradients are recorded: masks are
    not for training alone."""
    numbers, x, mask = drawn(), normal(B, S, E), keep_mask(B, S, S)
    with torch.no_grad():
        got = made(submission, numbers)(x, mask)
    equal(got, naive(numbers, x, keep=mask[:, None]))


def test_the_input_gets_gradients(submission):
    """x is query, key and value at once, and what is learned before attention needs the gradients
    of all three."""
    for keys in BOTH:
        numbers, x = drawn(keys), normal(B, S, E, grad=True)
        output, right = made(submission, numbers)(x), naive(numbers, x)
        equal(output, right)
        (found,), (expected,) = gradients(output, x), gradients(right, x)
        equal_gradient(found, expected, "`x`")


def test_projections_get_gradients(submission):
    """All projections that are there learn: each weight and bias gets its gradient, under a mask
    too."""
    for keys in BOTH:
        numbers, x, mask = drawn(keys, grad=True), normal(B, S, E), keep_mask(S, S)
        module, right = made(submission, numbers), naive(numbers, x, keep=mask[None, None])
        output = module(x, mask)
        equal(output, right)
        backward(output)
        found, expected = module.gradients(), gradients(right, *numbers.values())
        for name, gradient in zip(numbers, expected, strict=True):
            if name != "w_key.bias":  # it shifts all scores of a query alike: zero but for rounding
                equal_gradient(found[name], gradient, f"`{name}`")


def test_arguments_stay_as_they_are(submission):
    """Input and mask belong to the caller: a module that writes into them spoils the next call."""
    for keys in BOTH:
        numbers = drawn(keys)
        module = made(submission, numbers)
        x, mask = normal(B, S, E), keep_mask(S, S)
        output = module(x, mask)
        for shape in ((B, S, S), (B, H, S, S)):
            has_shape(module(normal(B, S, E), keep_mask(*shape)), (B, S, E))
        arguments_kept()
        equal(output, naive(numbers, x, keep=mask[None, None]))


def test_a_call_remembers_nothing(submission):
    """A call leaves nothing behind and changes no earlier result: the next one may have other
    sizes, or the same sizes and other numbers, and another mask or none."""
    for keys in BOTH:
        numbers, x, mask = drawn(keys), normal(B, S, E), keep_mask(B, S, S)
        module = made(submission, numbers)
        first = module(x, mask)
        for samples, tokens in ((B, S), (B, 4), (B, 1), (B, 1)):
            other = normal(samples, tokens, E)
            equal(module(other), naive(numbers, other), what="output of a later call")
        right = naive(numbers, x, keep=mask[:, None])
        equal(first, right, what="output of the first call, after later ones")
        mask = keep_mask(B, S, S)
        right = naive(numbers, x, keep=mask[:, None])
        equal(module(x, mask), right, what="output under another mask")


def test_new_numbers_in_the_projections_are_used(submission):
    """Parameters change with every step of training: a call uses what they are now, and not what
    they were in the first call."""
    for keys in BOTH:
        module, x = made(submission, drawn(keys)), normal(B, S, E)
        for _ in range(2):
            numbers = drawn(keys)
            equal(module.load(numbers)(x), naive(numbers, x))


def test_two_modules_share_nothing(submission):
    """A model has many of them: building or loading one changes nothing in another."""
    numbers, x = drawn(), normal(B, S, E)
    module = made(submission, numbers)
    for keys in BOTH:
        has_shape(made(submission, drawn(keys), heads=2)(x), (B, S, E))
    equal(module(x), naive(numbers, x))


# parameter_count


def test_parameter_count_takes_its_arguments_by_name(submission):
    """`d_model`, `project_keys` and `project_values` can be given by name, in any order."""
    width = one_of(1, *range(2, 100))
    got = submission.parameter_count(project_values=False, project_keys=True, d_model=width)
    call = f"parameter_count(project_values=False, project_keys=True, d_model={width})"
    is_exactly(got, 3 * (width * width + width), call)


def test_parameter_count_is_exact(submission):
    """A count is a whole number and no measurement: for a width of 1,000,000,007, of which no
    memory holds a single layer, it is right to the last digit."""
    got = submission.parameter_count(1_000_000_007, True, True)
    is_exactly(got, 4_000_000_060_000_000_224, "parameter_count(1000000007, True, True)")
    width = one_of(1_000_000_009, *range(1_000_000_011, 1_000_000_111))
    got = submission.parameter_count(width, False, True)
    is_exactly(got, 3 * (width * width + width), f"parameter_count({width}, False, True)")


# Refusals


def test_the_number_of_heads_must_divide_the_width(submission):
    """20 features cannot be split into 6 equal heads, nor 3 into 6, with `w_key` or without: the
    constructor raises a ValueError that names both numbers."""
    more = one_of(22, 26, 27, 28, 29, 31), 6
    for (width, heads), keys in in_any_order([*product(((20, 6), (3, 6), more, (6, 1)), BOTH)]):
        call = partial(submission.FewerProjections, width, heads, keys)
        if width % heads:
            raises("ValueError", call, mentions=(width, heads))
        else:
            is_module(call())
