"""What a training run is: forward, loss, gradients, one step of AdamW, and again.

The model is the suite's, with the suite's numbers in it. What its parameters and its losses become
is computed here from the formulas, in float64; a falling loss is evidence of nothing.
"""

import math

import torch

from kata.judging.claims import arguments_kept, between, equal, is_exactly, is_list
from kata.judging.inputs import given, in_any_order, keep_mask, normal, one_of

B, T, H, D = 2, 5, 3, 6
E = H * D
LINEARS = ("w_query", "w_key", "w_value", "w_out")
BETA1, BETA2, EPS, DECAY = 0.9, 0.999, 1e-8, 0.01  # of AdamW, as it comes
SIZES = (9e5, 0.7, 3e4, 3e-2, 5e-9, 4e-21)  # of losses
PUBLISHED = [0.9783, 0.9198, 0.8733, 0.8275, 0.7754, 0.7139, 0.6447, 0.5727, 0.5028, 0.4369]


def drawn(width=E):
    """Numbers for the parameters of a model, in their order."""
    numbers, rows = {}, normal(4, width + 1, width, dtype="float64")
    for name, (*weight, bias) in zip(LINEARS, rows, strict=True):
        numbers[f"{name}.weight"] = torch.stack(weight) * width**-0.5
        numbers[f"{name}.bias"] = bias * 0.5
    return numbers


def data(tokens=T, scale=1.0):
    """Inputs and a target."""
    x = normal(B, tokens, E, dtype="float64")
    return x, normal(B, tokens, E, scale=scale, dtype="float64")


def model_with(submission, numbers, device="cpu", **options):
    """The suite's own attention in float64, in training mode, with these numbers in it."""
    model = submission.probe("trainee", E, H, **options).to("float64")
    if device != "cpu":
        model.to(device)
    return model.load(numbers)


def apart(flat, numbers):
    """The parameters that lie one behind the other in a vector, by name."""
    parts = flat.split([each.numel() for each in numbers.values()])
    named = zip(numbers.items(), parts, strict=True)
    return {name: part.view(each.shape) for (name, each), part in named}


def attend(numbers, x, keep=None):
    """Multi-head self-attention from its definition, where keep is True."""
    q, k, v, _ = (x @ numbers[f"{n}.weight"].mT + numbers[f"{n}.bias"] for n in LINEARS)
    q, k, v = (each.unflatten(-1, (H, D)).movedim(2, 1) for each in (q, k, v))
    scores = q @ k.mT / math.sqrt(D)
    if keep is not None:
        scores = scores.masked_fill(~keep[:, None], -math.inf)
    context = (scores.softmax(dim=-1) @ v).movedim(1, 2).flatten(2)
    return context @ numbers["w_out.weight"].mT + numbers["w_out.bias"]


def naive(numbers, x, target, steps, keep=None, lr=0.1):
    """The losses of all steps, and the parameters after them, from the formulas of AdamW."""
    flat, losses, speed, spread = torch.cat([n.flatten() for n in numbers.values()]), [], 0, 0
    for step in range(1, steps + 1):
        flat = flat.detach().requires_grad_()
        loss = (attend(apart(flat, numbers), x, keep) - target).square().mean()
        (slope,) = torch.autograd.grad(loss, flat)
        speed = BETA1 * speed + (1 - BETA1) * slope
        spread = BETA2 * spread + (1 - BETA2) * slope**2
        size = (spread / (1 - BETA2**step)).sqrt() + EPS
        flat = flat * (1 - DECAY * lr) - lr * speed / (1 - BETA1**step) / size
        losses.append(loss.item())
    return losses, {name: each.detach() for name, each in apart(flat, numbers).items()}


def equal_parameters(model, right, start):
    """All parameters are these numbers now, which they were not at the start."""
    own = model.parameters()
    for name, each in right.items():
        equal(own[name], each, what=f"`{name}`", start=start[name])


def equal_losses(got, right):
    """As many losses as expected, all floats, and all right."""
    is_list(got, float, len(right), what="losses")
    equal(given(got, dtype="float64"), right, what="losses")


def trains(submission, model, numbers, x, target, *mask, steps=1):
    """A run has the losses, and leaves the parameters, that the formulas give."""
    got = submission.train(model, x, target, *(mask or [None]), steps=steps, lr=0.1)
    losses, right = naive(numbers, x, target, steps, *mask)
    equal_losses(got, losses)
    equal_parameters(model, right, numbers)


def document():
    """The numbers, inputs and target of a run of seed 42: width 32, 4 heads, 8 tokens."""
    source, limit = torch.Generator().manual_seed(42), 32**-0.5
    x, target = (torch.randn(8, 32, generator=source)[None] for _ in range(2))
    numbers = {}
    for name in LINEARS:
        for kind, shape in (("weight", (32, 32)), ("bias", (32,))):
            numbers[f"{name}.{kind}"] = torch.empty(shape).uniform_(-limit, limit, generator=source)
    return numbers, x, target


def every_tenth(submission, mask, right):
    """Every tenth loss of that run, in float32, has these digits, and parameters have moved.

    AdamW moves each of them by a thousandth in a step, or less where its gradient changes sign.
    """
    numbers, x, target = document()
    model = submission.probe("trainee", 32, 4).load(numbers)
    losses = submission.train(model, x, target, mask, steps=11)
    is_list(losses, float, 11, what="losses")
    for step, figure in zip((0, 10), right, strict=True):
        between(losses[step], figure - 1e-5, figure + 1e-5, what=f"losses[{step}]")
    way = (model.parameters()["w_out.weight"] - numbers["w_out.weight"]).abs().mean().item()
    between(way, 0.005, 0.015, what="mean distance that the entries of `w_out.weight` have moved")


def judged(submission, cases):
    """Each pair of runs gets its answer; a case is (losses, unmasked, answer, what is answered).

    One answer is right for all cases of most claims, and could be written down before: a graded run
    has drawn ones among them.
    """
    for losses, unmasked, answer, what in in_any_order([*cases, *drawn_cases()]):
        is_exactly(submission.losses_match_unmasked(losses, unmasked), answer, what=what)


def drawn_cases():
    """None in a learner's run; in a graded run pairs that match and others that are far apart."""
    for _ in range(one_of(0, *range(4, 14))):
        losses, factor = normal(3, dtype="float64").abs().tolist(), one_of(1, 2)
        other = [factor * loss for loss in losses]
        yield other, losses, factor == 1, f"{other} matches {losses}"


# The idea


# train


def test_train_returns_one_float_for_every_step(submission):
    """Three steps give a list of three floats. A tensor in it would keep alive everything that it
    was computed from."""
    for steps in in_any_order(one_of([3], [3, 1], [3, 2], [3, 4], [3, 5])):
        losses = submission.train(model_with(submission, drawn()), *data(), None, steps=steps)
        is_list(losses, float, steps, what="losses")


def test_the_first_loss_is_the_mean_squared_error(submission):
    """The first loss is that of the model as it came: the mean, over all entries of the output, of
    the squared distance from the target."""
    numbers, (x, target) = drawn(), data()
    output = attend(numbers, x)
    for aim in (target, output + 0.005 * target):  # the second loss has four zeros
        losses = submission.train(model_with(submission, numbers), x, aim, None, steps=1, lr=0.1)
        equal_losses(losses, [(output - aim).square().mean().item()])


def test_one_step_moves_every_parameter_as_adamw_does(submission):
    """After one step of AdamW every parameter of the model that was given has shrunk by a
    thousandth, which is 0.01 · lr, and has moved by lr = 0.1 against its gradient."""
    numbers, (x, target) = drawn(), data()
    model = model_with(submission, numbers)
    submission.train(model, x, target, None, steps=1, lr=0.1)
    equal_parameters(model, naive(numbers, x, target, steps=1)[1], numbers)


def test_three_steps_use_new_gradients_and_one_optimizer(submission, device):
    """In three steps the parameters go where AdamW leads them: each step has the gradients of its
    own loss alone, while AdamW remembers those of all steps. A falling loss does not prove it."""
    numbers, (x, target) = drawn(), data(scale=10)
    model = model_with(submission, numbers, device)
    submission.train(model, x, target, None, steps=3, lr=0.1)
    equal_parameters(model, naive(numbers, x, target, steps=3)[1], numbers)


def test_each_loss_is_taken_before_its_step(submission):
    """Each loss is that of the output from which its step begins, whether it is lower than the one
    before or higher: here the learning rate is too large for a target that is near."""
    numbers, x = drawn(), data()[0]
    target = attend(numbers, x) + normal(B, T, E, scale=0.1, dtype="float64")
    losses = submission.train(model_with(submission, numbers), x, target, None, steps=3, lr=0.1)
    equal_losses(losses, naive(numbers, x, target, steps=3)[0])


def test_the_learning_rate_is_a_thousandth_by_default(submission):
    """Where no learning rate is given, it is 0.001."""
    numbers, (x, target) = drawn(), data()
    model = model_with(submission, numbers)
    submission.train(model, x, target, None, steps=1)
    equal_parameters(model, naive(numbers, x, target, steps=1, lr=1e-3)[1], numbers)


def test_without_a_mask_the_published_losses_come_out(submission):
    """A published run, seed 42, width 32, 4 heads, 8 tokens, has the losses 0.9528 and 0.8633
    before steps 0 and 10: one rate and one optimizer, all the way."""
    every_tenth(submission, None, [0.952777, 0.863294])


def test_a_causal_mask_gives_the_published_run_other_losses(submission):
    """With the future hidden, the published run has losses of 0.9601 and 0.8230. A loss that falls
    says nothing about the mask: without one it falls as well."""
    every_tenth(submission, torch.ones(8, 8).tril().bool(), [0.960076, 0.823017])


# losses_match_unmasked


def test_losses_match_where_the_mask_did_nothing(submission):
    """A published run "with a mask" has, to the last digit, the losses of the run without one:
    they match, which shows that the mask did nothing."""
    runs = (PUBLISHED, 30 * PUBLISHED)
    judged(submission, [(run, [*run], True, f"{len(run)} losses match themselves") for run in runs])


def test_losses_do_not_match_where_the_mask_works(submission):
    """With a mask that works, all losses of a run are different: they do not match, though they
    fall as well."""
    masked = [0.9601, 0.8230, 0.7110, 0.5890, 0.4594, 0.3480, 0.2603, 0.1812, 0.1181, 0.0763]
    unmasked = [0.9528, 0.8633, 0.7874, 0.6941, 0.5665, 0.4330, 0.3291, 0.2463, 0.1821, 0.1270]
    judged(submission, [(masked, unmasked, False, "losses_match_unmasked")])


def test_one_step_that_differs_is_enough_not_to_match(submission):
    """One step at which the losses differ is enough, whichever it is and whichever is larger."""
    usual, cases = [0.9, 0.5, 0.7, 0.3], []
    for step in range(4):
        for factor in (0.8, 1.25):
            other = [*usual[:step], factor * usual[step], *usual[step + 1 :]]
            cases.append((other, usual, False, f"with another loss at step {step}"))
    judged(submission, cases)


def test_losses_are_compared_step_by_step(submission):
    """Losses are compared step by step: the same numbers in another order, with the same mean,
    do not match."""
    losses, unmasked = [0.9, 0.5, 0.7, 0.3], [0.5, 0.7, 0.9, 0.3]
    judged(submission, [(losses, unmasked, False, "losses_match_unmasked")])


# The fine print


# train


def test_a_model_may_return_its_output_alone(submission):
    """What comes back may be the output itself. It has two samples here, and is no pair: its first
    sample alone is not the output."""
    numbers = drawn()
    trains(submission, model_with(submission, numbers, pair=False), numbers, *data())


def test_a_model_may_return_a_tuple_of_any_length(submission):
    """The output may be the first of three things, or alone in its tuple."""
    numbers, (x, target) = drawn(), data()
    losses, right = naive(numbers, x, target, steps=1)
    for beside in (2, 0):
        model = model_with(submission, numbers, beside=beside)
        equal_losses(submission.train(model, x, target, None, steps=1, lr=0.1), losses)
        equal_parameters(model, right, numbers)


def test_steps_go_on_where_gradients_are_tiny(submission):
    """Steps go on where the loss is next to nothing, each as long as AdamW's eps of 1e-8 lets it
    be: the run is as long as it was asked to be."""
    numbers, x = drawn(), data()[0]
    for name in ("w_out.weight", "w_out.bias"):
        numbers[name] *= 1e-3  # outputs are small, and so is the rounding beside gradients of eps
    target = attend(numbers, x) + normal(B, T, E, scale=1e-6, dtype="float64")
    trains(submission, model_with(submission, numbers), numbers, x, target, steps=2)


def test_a_small_loss_has_all_its_digits(submission):
    """A small loss is as exact as a large one: whoever compares two runs by a millionth of their
    losses needs more digits than a print shows."""
    numbers, x = drawn(), data()[0]
    distance = normal(B, T, E, scale=1e-3, dtype="float64")
    target = attend(numbers, x) + distance
    losses = submission.train(model_with(submission, numbers), x, target, None, steps=1)
    is_list(losses, float, 1, what="losses")
    right = [1e6 * distance.square().mean().item()]
    equal(given([1e6 * losses[0]], dtype="float64"), right, what="a million times the loss")


def test_every_sample_has_its_mask(submission):
    """A mask (B, T, T) hides other keys in each sample, and reaches the model as it is."""
    numbers, mask = drawn(), keep_mask(B, T, T)
    trains(submission, model_with(submission, numbers), numbers, *data(), mask, steps=2)


def test_with_one_token_each_sample_has_its_own_target(submission):
    """With one token the output is (2, 1, 18), like the target: each sample is compared with its
    own target."""
    numbers = drawn()
    trains(submission, model_with(submission, numbers), numbers, *data(tokens=1))


def test_without_steps_nothing_changes(submission):
    """Without steps there are no losses, and every parameter stays as it is."""
    numbers = drawn()
    for steps in in_any_order(one_of([0], [0, 1], [0, 2], [0, 0, 1], [0, 1, 1])):
        model = model_with(submission, numbers)
        losses = submission.train(model, *data(), None, steps=steps)
        is_list(losses, float, steps, what="losses")
        if not steps:
            equal_parameters(model, numbers, numbers)


def test_inputs_stay_as_they_are(submission):
    """Inputs, target and mask are only read: the next run needs them again."""
    numbers, (x, target) = drawn(), data(scale=10)
    x[0, 0, 0] = 10  # one outlier: many of them would make gradients of mere rounding
    trains(submission, model_with(submission, numbers), numbers, x, target, keep_mask(B, T, T))
    arguments_kept()


def test_training_mode_stays(submission):
    """A model in training mode is trained in it, and stays in it. Its dropout drops everything
    here: the loss is the mean square of the target, and the parameters do nothing but shrink."""
    numbers, (x, target) = drawn(), data()
    model = model_with(submission, numbers, dropout=1.0)
    losses = submission.train(model, x, target, None, steps=2, lr=0.1)
    equal_losses(losses, [target.square().mean().item()] * 2)
    shrunk = (1 - DECAY * 0.1) ** 2
    equal_parameters(model, {name: shrunk * each for name, each in numbers.items()}, numbers)
    is_exactly(model.number("training"), True, what="model.training")


def test_evaluation_mode_stays(submission):
    """A model in evaluation mode is trained in it, and stays in it: its dropout drops nothing."""
    numbers = drawn()
    model = model_with(submission, numbers, dropout=1.0).eval()
    trains(submission, model, numbers, *data())
    is_exactly(model.number("training"), False, what="model.training")


def test_each_part_keeps_its_mode(submission):
    """A part in evaluation mode inside a model in training mode stays there: freezing a part
    of a model relies on that."""
    numbers = drawn()
    model = model_with(submission, numbers, dropout=1.0)
    model.part("dropout").eval()
    trains(submission, model, numbers, *data())
    is_exactly(model.part("dropout").number("training"), False, what="model.dropout.training")


def test_a_second_run_begins_with_a_new_optimizer(submission):
    """A second run of the same model begins where the parameters are, with an AdamW that has seen
    nothing yet."""
    numbers, (x, target) = drawn(), data()
    model = model_with(submission, numbers)
    submission.train(model, x, target, None, steps=1, lr=0.1)
    after_one = naive(numbers, x, target, steps=1)[1]
    trains(submission, model, after_one, x, target)


# losses_match_unmasked


def test_rounding_is_no_difference(submission):
    """Losses of any size match if they differ by less than a millionth of themselves: two runs
    that compute the same need not round alike."""
    parts = (2e-10, -2e-10), (7e-7, -7e-7)
    pairs = [(size * (1 + part), size) for two in parts for size in SIZES[::-1] for part in two]
    cases = [([1.0, a], [1.0, b], True, f"{a!r} matches {b!r}") for a, b in pairs]
    judged(submission, cases)


def test_small_losses_differ_too(submission):
    """Losses of any size do not match if they differ by more than a millionth of themselves: after
    a long run losses are small, and so are their differences."""
    pairs = [(size * (1 + part), size) for size in SIZES for part in (1.5e-6, -1.5e-6)]
    cases = [([1.0, 0.5, a], [1.0, 0.5, b], False, f"{a!r} matches {b!r}") for a, b in pairs]
    judged(submission, cases)


def test_zero_matches_zero(submission):
    """A loss of zero is equal to zero, and to nothing else."""
    pairs = ((0.0, True), (1e-9, False), (1e-13, False))
    cases = [([0.5, a], [0.5, 0.0], right, f"{a!r} matches 0.0") for a, right in pairs]
    judged(submission, cases)


def test_runs_of_different_lengths_do_not_match(submission):
    """Runs of different lengths do not match, whichever is longer."""
    pairs = (([0.9, 0.5], [0.9, 0.5, 0.3]), ([0.9, 0.5, 0.3], [0.9, 0.5]))
    judged(submission, [(a, b, False, f"{len(a)} losses match {len(b)}") for a, b in pairs])
