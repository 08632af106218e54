"""What is asked of a language model, and what its answers cost.

Expected values are worked by hand, or come from loops over texts and tokens in float64; gradients
come from PyTorch's own cross-entropy.
"""

import math

import numpy as np
import torch.nn.functional as F

from kata.judging.claims import (
    arguments_kept,
    equal,
    equal_gradient,
    gradients,
    has_dtype,
    has_shape,
    is_array,
    is_pair,
)
from kata.judging.inputs import arrays, given, in_any_order, normal, nudged, numpy, one_of

IGNORED = -100


def texts(samples, size, dtype="int64"):
    """Tokens of which no two are the same, so that it can be told which one went where."""
    order = numpy(normal(samples * size).argsort()) + one_of(3, 5, 11)
    return given(order.reshape(samples, size), dtype=dtype)


def padded(tokens, lengths, padding=0):
    """The same texts, with this number behind the real tokens of each."""
    places = np.arange(tokens.shape[1])
    real = places < np.array(lengths)[:, None]
    return given(np.where(real, numpy(tokens), padding)), given(lengths)


def asked(tokens, lengths):
    """The targets by their definition: one text and one token after another."""
    tokens, lengths = arrays(tokens, lengths)
    samples, size = tokens.shape
    targets = np.full((samples, size - 1), IGNORED)
    for b in range(samples):
        for t in range(lengths[b] - 1):
            targets[b, t] = tokens[b, t + 1]
    return targets


def real(tokens, lengths):
    """At which places something is asked."""
    return asked(tokens, lengths) != IGNORED


def shifted(submission, tokens, lengths):
    """Inputs and targets, once it is sure that there are two arrays of the right shape."""
    pair = submission.shift(tokens, lengths)
    is_pair(pair, "(inputs, targets)")
    samples, size = tokens.shape
    for each, name in zip(pair, ("inputs", "targets"), strict=True):
        has_shape(each, (samples, size - 1), name)
    return pair


def asks(submission, tokens, lengths, where=None):
    """The targets are those of the definition, at least there."""
    _, targets = shifted(submission, tokens, lengths)
    equal(targets, asked(tokens, lengths), what="targets", where=where)


def costs(logits, targets):
    """Minus the logarithm of each softmax at its target, by definition, one after another."""
    logits, targets = arrays(logits, targets)
    losses = np.zeros(targets.shape)
    for place in np.ndindex(targets.shape):
        if targets[place] != IGNORED:
            row = logits[place] - logits[place].max()
            losses[place] = np.log(np.exp(row).sum()) - row[targets[place]]
    return losses


def mean_cost(logits, targets):
    """The mean over the targets that count; zero if none does."""
    count = (numpy(targets) != IGNORED).sum()
    return costs(logits, targets).sum() / max(count, 1)


def drawn(*shape, tokens):
    """Targets that are any of so many tokens."""
    return normal(*shape, tokens).argmax(-1)


def some_ignored(targets):
    """The same targets, of which some are ignored: none of the first text, two of the second one,
    four of the third one, at its start, in its middle and at its end."""
    samples, size = targets.shape
    order, ends = 3 * np.arange(size) % size, size - 2 * np.arange(samples)[:, None]
    return given(np.where(order < ends, numpy(targets), IGNORED))


def coarse(values):
    """These in whole 64ths, which float32 holds exactly as far out as ten thousand."""
    return np.round(64 * values) / 64


def far_apart():
    """Logits of three tokens in rows of very different size."""
    rows = [[9900.0, 9903.0, 9901.0], [-9900.0, -9905.0, -9902.0], [0.3, -0.2, 0.1]]
    return coarse(nudged([in_any_order(rows)], by=0.1))


def reference_losses(logits, targets):
    """PyTorch's own losses, whose gradients are right."""
    rows = logits.reshape(-1, logits.size(-1))
    flat = F.cross_entropy(rows, targets.flatten(), reduction="none")
    return flat.view(targets.shape)


# The idea


# shift


def test_the_inputs_are_all_tokens_but_the_last(submission, device):
    """A model reads every token of a text but the last one, after which nothing comes."""
    tokens = texts(3, 6)
    inputs, _ = shifted(submission, tokens, given([6, 6, 6]))
    equal(inputs, numpy(tokens)[:, :5], what="inputs")


def test_each_target_is_the_token_after_it(submission, device):
    """At each place the question is what comes next, and not what stands there."""
    before_the_end = np.array([[True] * 4 + [False], [False] * 5])  # of the first text
    asks(submission, texts(2, 6), given([6, 6]), where=before_the_end)


def test_the_last_target_is_the_last_token(submission):
    """The last input asks for the last token: a text of S tokens has S − 1 questions."""
    at_the_end = np.array([[False] * 4 + [True], [False] * 5])  # of the first text
    asks(submission, texts(2, 6), given([6, 6]), where=at_the_end)


def test_no_target_comes_from_another_text(submission):
    """Each row is a text of its own: nothing at its end asks for how the next one begins."""
    asks(submission, texts(4, 6), given([6, 6, 6, 6]))


def test_padding_is_never_a_target(submission, device):
    """What comes after the last real token is padding: no model is to learn to write that."""
    tokens, lengths = padded(texts(3, 8), [5, 2, 8])
    asks(submission, tokens, lengths, where=~real(tokens, lengths))


def test_every_real_token_but_the_first_is_a_target(submission):
    """A text of n real tokens has n − 1 targets: the last real one is a target, too."""
    tokens, lengths = padded(texts(3, 8), [5, 2, 8])
    asks(submission, tokens, lengths, where=real(tokens, lengths))


def test_the_inputs_keep_their_padding(submission):
    """−100 is for targets alone: as an input it would be a token that no vocabulary has. What
    stands there already, even −1, is for the model to leave out, and stays."""
    behind = np.array([[-1] * 8, [0, 9, -1, -100, 0, 50256, 0, 0], [0] * 8])
    tokens, lengths = padded(texts(3, 8), [5, 1, 8], padding=behind)
    inputs, _ = shifted(submission, tokens, lengths)
    equal(inputs, numpy(tokens)[:, :7], what="inputs")


def test_padding_may_be_any_number(submission):
    """Padding is what lies behind the length of its text, whatever numbers stand there."""
    behind = np.array([[9, -1, 7, -100, 9, 50256, 8, 0], [-1] * 8, [9] * 8])
    tokens, lengths = padded(texts(3, 8), [2, 5, 8], padding=behind)
    asks(submission, tokens, lengths)


def test_a_real_token_may_have_the_number_of_the_padding(submission):
    """The lengths say what is real: many models pad with the token that ends their texts."""
    for end in (0, one_of(2, 1, 50256)):
        tokens, lengths = padded(texts(3, 8), [5, 8, 7], padding=end)
        tokens[0, 2] = tokens[0, 4] = tokens[1, 7] = tokens[2, 1] = end
        asks(submission, tokens, lengths)


def test_all_texts_may_be_shorter_than_their_rows(submission):
    """The width of the rows decides the shape, and not the longest text in them."""
    tokens, lengths = padded(texts(2, 9), [4, 6])
    asks(submission, tokens, lengths)


# token_losses


def test_even_logits_cost_the_logarithm_of_the_vocabulary(submission, device):
    """With V equal logits each token has the probability 1/V, and its loss is log V."""
    for tokens in (4, one_of(7, 5, 6, 9)):
        logits, targets = given(np.full((2, tokens, tokens), 2.0)), np.arange(2 * tokens)
        targets = given(1 + targets.reshape(2, tokens) % (tokens - 1))
        equal(submission.token_losses(logits, targets), np.full((2, tokens), math.log(tokens)))


def test_losses_worked_by_hand(submission):
    """The logits log 1, log 2 and log 5 are the probabilities 1/8, 2/8 and 5/8."""
    a, b, c = in_any_order([1, 2, 5])
    logits = given([np.log([[a, b, c], [b, c, a], [c, a, b]])] * 2)
    got = submission.token_losses(logits, given([[0, 0, 0], [1, 2, 1]]))
    equal(got, np.log([[8 / a, 8 / b, 8 / c], [8 / b, 8 / a, 8 / a]]))


def test_each_token_pays_for_its_own_target(submission):
    """The loss at a place comes from the logits and the target of that place, and no other."""
    logits, targets = normal(3, 5, 7, scale=2.0), drawn(3, 5, tokens=7)
    equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_the_largest_token_need_not_occur(submission):
    """The logits say how large the vocabulary is: the targets need not use all of it."""
    logits, targets = normal(2, 4, 9, scale=2.0), given([[2, 0, 5, 2], [1, 5, 3, 0]])
    equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_ignored_targets_cost_nothing(submission, device):
    """Where the target is −100 the loss is zero: that is no token, and no index from the end, be
    the vocabulary larger than 100 or smaller."""
    for tokens in (300, 7):
        logits, targets = normal(3, 5, tokens), some_ignored(drawn(3, 5, tokens=tokens))
        targets[0, 0] = tokens - 1
        equal(submission.token_losses(logits, targets), costs(logits, targets))


# next_token_loss


def test_a_mean_worked_by_hand(submission, device):
    """Two tokens that cost log 2 and two that cost log 4 have a mean of 1.5 · log 2."""
    lows = one_of(-60.0, -61.0, -65.0, -70.0)
    two, four = [0.0, 0.0, lows, lows], [0.0] * 4
    logits = given([[two, four], [four, two]])
    equal(submission.next_token_loss(logits, given([[1, 3], [2, 0]])), 1.5 * math.log(2))


def test_the_loss_is_the_mean_of_the_losses_of_all_tokens(submission):
    """If nothing is ignored the loss is the mean over all texts and places, as one number."""
    logits, targets = normal(3, 5, 7, scale=3.0), drawn(3, 5, tokens=7)
    equal(submission.next_token_loss(logits, targets), mean_cost(logits, targets))


def test_ignored_targets_do_not_count(submission):
    """The sum is divided by the targets that count, wherever they stand: padding does not make a
    loss smaller, nor does a question before the answer."""
    logits, targets = normal(2, 6, 7, scale=3.0), drawn(2, 6, tokens=7)
    targets[:, 0], targets[:, 4:] = IGNORED, IGNORED
    equal(submission.next_token_loss(logits, targets), mean_cost(logits, targets))


def test_each_token_weighs_the_same_in_whatever_text(submission, device):
    """A token of a short text weighs no more than one of a long text: no mean of means."""
    logits, targets = normal(3, 5, 7, scale=3.0), some_ignored(drawn(3, 5, tokens=7))
    equal(submission.next_token_loss(logits, targets), mean_cost(logits, targets))


def test_a_token_that_is_certain_counts(submission):
    """A loss of zero is a loss: a token that was told with certainty makes the mean smaller."""
    certain, even = [0.0, nudged(40.0, by=5), 0.0], [0.0, 0.0, 0.0]
    logits = given([[certain, even, even], [even, certain, even]])
    targets = given([[1, 0, 2], [1, 1, IGNORED]])
    equal(submission.next_token_loss(logits, targets), 3 / 5 * math.log(3))


# The fine print


# shift


def test_a_text_of_one_token_asks_nothing(submission):
    """After a single token nothing comes, so that all of its targets are ignored."""
    for size in (5, 2):
        tokens, lengths = padded(texts(3, size), [1, size, 1])
        asks(submission, tokens, lengths)


def test_inputs_and_targets_have_the_dtype_of_the_tokens(submission):
    """Tokens are whole numbers, before and after, and may be as large as their dtype allows:
    float32 would make two of them the same from 17 million on, and int32 ends at two thousand
    million."""
    for dtype, large in (("int64", 3_000_000_000), ("int32", 100_000_000), ("int64", 100_000)):
        tokens = texts(2, 7, dtype=dtype) + large * one_of(1, 2, 4)
        inputs, targets = shifted(submission, tokens, given([7, 4]))
        equal(inputs, numpy(tokens)[:, :6], dtype=dtype, what="inputs")
        equal(targets, asked(tokens, [7, 4]), dtype=dtype, what="targets")


def test_lengths_may_have_any_integer_dtype(submission):
    """Lengths are counts: int32 and uint8 are as good as int64, also where a text is as long as
    they can say."""
    for dtype, size in (("int32", 7), ("uint8", 7), ("int16", 7), ("int8", 127), ("uint8", 255)):
        tokens, lengths = texts(3, size), given([3, size, 1], dtype=dtype)
        asks(submission, tokens, lengths)


def test_tokens_may_be_a_transposed_view(submission):
    """Tokens that were stored one step after another, (S, B), need not be copied first."""
    tokens, lengths = texts(7, 3).T, given([3, 7, 5])
    inputs, targets = shifted(submission, tokens, lengths)
    equal(inputs, numpy(tokens)[:, :6], what="inputs")
    equal(targets, asked(tokens, lengths), what="targets")


def test_texts_may_be_as_short_as_two_tokens_or_long(submission):
    """Two tokens are one question; there is no longest text."""
    for samples, size in ((1, 2), (4, 2), (2, 150), (1, 1100)):
        tokens = texts(samples, size)
        inputs, _ = shifted(submission, tokens, given([size] * samples))
        equal(inputs, numpy(tokens)[:, :-1], what="inputs")
        asks(submission, tokens, given([size] * samples))


def test_there_may_be_as_many_texts_as_places(submission):
    """Each length belongs to a text, also where there are as many texts as targets in each."""
    tokens, lengths = padded(texts(5, 6), [4, 2, 6, 1, 5])
    asks(submission, tokens, lengths)


def test_shift_changes_no_argument(submission):
    """Tokens and lengths belong to the caller, who reads them again in the next epoch."""
    tokens, lengths = padded(texts(3, 8), [5, 2, 8])
    asks(submission, tokens, lengths)
    arguments_kept()


def test_shift_does_not_change_a_single_text(submission):
    """The targets of a single text lie in order in memory: `contiguous()` gives a view of it."""
    tokens, lengths = padded(texts(1, 8), [5])
    asks(submission, tokens, lengths)
    arguments_kept()


# token_losses


def test_token_losses_have_the_dtype_of_the_logits(submission):
    """float64 logits give losses in float64, and float32 logits losses in float32."""
    for dtype in ("float32", "float64"):
        logits, targets = normal(3, 5, 7, dtype=dtype), some_ignored(drawn(3, 5, tokens=7))
        got = submission.token_losses(logits, targets)
        has_dtype(got, dtype)
        equal(got.float(), costs(logits, targets))  # float32's digits are enough


def test_losses_are_zeros_if_all_is_ignored(submission):
    """A batch in which nothing is asked costs nothing, and is no error: the zeros have the dtype of
    the logits, as any losses."""
    for dtype in ("float32", "float64"):
        logits, targets = normal(2, 3, 5, dtype=dtype), given(np.full((2, 3), IGNORED))
        equal(submission.token_losses(logits, targets), np.zeros((2, 3)), dtype=dtype)


def test_large_logits_do_not_overflow(submission):
    """exp(200) is inf in float32, exp(9900) in float64: what counts is how far logits are apart."""
    for dtype, size in (("float32", 200), ("float64", 9900)):
        above, targets = coarse(nudged([[0.0, 3.0, 1.0]] * 2, by=0.5)), given([0, 2])
        logits = given(size + above, dtype=dtype)
        equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_each_token_subtracts_a_maximum_of_its_own(submission):
    """Logits around −9900 have an exp of zero, unless their own largest is taken off first."""
    logits, targets = given(far_apart(), dtype="float64"), given([[1, 0, 2]])
    equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_improbable_targets_cost_what_they_should(submission):
    """A probability of exp(−300) is zero in float32; its loss is 300, not inf and not a limit."""
    for dtype in ("float32", "float64"):
        rows = nudged([[300.0, 0.0, 1.0], [0.0, 19000.0, 0.0], [18.0, 50.0, 3.0]], by=0.5)
        logits, targets = given(rows - 9000.0 * (rows > 15000), dtype=dtype), given([1, 2, 0])
        equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_logits_may_be_a_transposed_view(submission):
    """A model that works step by step gives (T, B, V): transposed, that is a view."""
    logits, targets = normal(5, 3, 7).transpose(0, 1), drawn(3, 5, tokens=7)
    equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_targets_may_be_a_transposed_view(submission):
    """Targets that were stored one step after another, (T, B), need not be copied first."""
    logits, targets = normal(3, 5, 7), drawn(5, 3, tokens=7).T
    equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_logits_may_have_any_number_of_leading_dimensions(submission):
    """The last dimension is the vocabulary, whatever stands before it, and if nothing does."""
    for leading in ((), (4,), (3, 2), (3, 2, 4, 5)):
        logits, targets = normal(*leading, 6, scale=2.0), drawn(*leading, tokens=6)
        equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_dimensions_of_one_stay(submission):
    """One text of one token, and even a vocabulary of one, whose only token is certain."""
    for shape in ((1, 1, 6), (2, 1, 6), (1, 6), (2, 3, 1)):
        logits, targets = normal(*shape), drawn(*shape[:-1], tokens=shape[-1])
        equal(submission.token_losses(logits, targets), costs(logits, targets))
    logits, targets = normal(2, 3, 1), given([[0, IGNORED, 0], [IGNORED, 0, 0]])
    equal(submission.token_losses(logits, targets), costs(logits, targets))


def test_a_single_target_may_be_ignored(submission):
    """Logits (V,) and a target without dimensions are one row: −100 costs nothing there, too."""
    for tokens in (6, 130):
        equal(submission.token_losses(normal(tokens), given(IGNORED)), 0.0)


def test_gradients_push_up_the_target_and_down_the_others(submission):
    """The gradient of a loss is the softmax, less one at the target, for one row as for many."""
    for leading in ((3, 5), ()):
        logits, targets = normal(*leading, 7, grad=True), drawn(*leading, tokens=7)
        (found,) = gradients(submission.token_losses(logits, targets), logits)
        (right,) = gradients(reference_losses(logits, targets), logits)
        equal_gradient(found, right, "logits")


def test_no_gradient_comes_from_ignored_targets(submission):
    """A loss of zero is not enough: what is ignored must not pull at the model either. Where
    all is ignored the gradients are zeros: there is still a way back to the logits."""
    logits, none = normal(3, 5, 7, grad=True), given(np.full((3, 5), IGNORED))
    for targets in (some_ignored(drawn(3, 5, tokens=7)), none):
        (found,) = gradients(submission.token_losses(logits, targets), logits)
        (right,) = gradients(reference_losses(logits, targets), logits)
        equal_gradient(found, right, "logits")


def test_gradients_are_finite_for_improbable_targets(submission):
    """Where the probability of a target is zero in float32 its gradient is −1, neither NaN nor 0;
    and where such a target is ignored it is zero."""
    rows = nudged([[300.0, 0.0, 1.0], [-9000.0, 9000.0, 0.0], [-9000.0, 9000.0, 5.0]], by=0.5)
    logits, targets = given(rows, grad=True), given([1, 2, IGNORED])
    (found,) = gradients(submission.token_losses(logits, targets), logits)
    (right,) = gradients(reference_losses(logits, targets), logits)
    equal_gradient(found, right, "logits")


def test_token_losses_changes_no_argument(submission):
    """Logits and targets belong to the caller: −100 is still there afterwards."""
    logits, targets = normal(3, 5, 7), some_ignored(drawn(3, 5, tokens=7))
    equal(submission.token_losses(logits, targets), costs(logits, targets))
    arguments_kept()


# next_token_loss


def test_the_loss_has_the_dtype_of_the_logits(submission):
    """float64 logits give a loss in float64, and float32 logits a loss in float32."""
    for dtype in ("float32", "float64"):
        logits, targets = normal(3, 5, 7, dtype=dtype), some_ignored(drawn(3, 5, tokens=7))
        got = submission.next_token_loss(logits, targets)
        has_dtype(got, dtype)
        equal(got.float(), mean_cost(logits, targets))  # float32's digits are enough


def test_the_mean_of_large_logits_is_finite(submission):
    """Logits in the thousands, and targets whose probability is zero in float64."""
    rows = far_apart()[0]
    both = [[*rows, [3000.0, 0.0, 1.0]], [*rows, [0.0, -9000.0, 9000.0]]]
    logits = given(both, dtype="float64")
    targets = given([[1, 0, 2, 1], [0, IGNORED, 2, 1]])
    equal(submission.next_token_loss(logits, targets), mean_cost(logits, targets))


def test_the_loss_takes_views(submission):
    """Logits that lie in memory as (B, V, T), and targets as (T, B), are taken as they are."""
    logits, targets = normal(3, 7, 5).transpose(1, 2), drawn(5, 3, tokens=7).T
    equal(submission.next_token_loss(logits, targets), mean_cost(logits, targets))


def test_a_text_without_targets_changes_nothing(submission):
    """A text of one token asks nothing, and so the mean is that of the other texts."""
    logits, targets = normal(3, 5, 7, scale=3.0), drawn(3, 5, tokens=7)
    targets[1] = IGNORED
    equal(submission.next_token_loss(logits, targets), mean_cost(logits, targets))


def test_the_loss_is_zero_if_all_is_ignored(submission):
    """No target is no loss: 0/0 would be NaN, and end the training run. So would 0 · inf, if the
    zero was made of powers of large logits."""
    for dtype in ("float32", "float64"):
        logits, targets = normal(2, 3, 5, dtype=dtype), given(np.full((2, 3), IGNORED))
        for scale in (1, 1500):
            equal(submission.next_token_loss(scale * logits, targets), 0.0, dtype=dtype)


def test_one_text_of_one_token_has_a_loss(submission):
    """Batches and texts may be of size one, and a vocabulary as large as the text is long."""
    for shape in ((1, 1, 6), (4, 1, 6), (1, 5, 5)):
        logits, targets = normal(*shape, scale=3.0), drawn(*shape[:-1], tokens=shape[-1])
        targets[:, 1:3] = IGNORED
        equal(submission.next_token_loss(logits, targets), mean_cost(logits, targets))


def test_a_mean_of_thousands_of_tokens_counts_them_all(submission):
    """3303 tokens that cost log 4 each have a mean of log 4: no count is too large."""
    got = submission.next_token_loss(given(np.zeros((3, 1101, 4))), drawn(3, 1101, tokens=4))
    equal(got, math.log(4))


def test_gradients_are_zero_if_all_is_ignored(submission):
    """A batch without a target can be trained on like any other, and moves nothing."""
    logits = normal(2, 3, 5, grad=True)
    loss = submission.next_token_loss(logits, given(np.full((2, 3), IGNORED)))
    (found,) = gradients(loss, logits)
    equal_gradient(found, np.zeros((2, 3, 5)), "logits")


def test_the_gradient_of_the_mean_is_shared_by_the_targets_that_count(submission):
    """Each target that counts has the same share of the gradient, however improbable it is, and no
    other has any."""
    rows = numpy(normal(3, 5, 7)) * np.where(np.arange(5) == 1, 500, 1)[:, None]
    logits, targets = given(rows, grad=True), some_ignored(drawn(3, 5, tokens=7))
    loss = submission.next_token_loss(logits, targets)
    is_array(loss)
    (found,) = gradients(loss, logits)
    (right,) = gradients(F.cross_entropy(logits.flatten(0, 1), targets.flatten()), logits)
    equal_gradient(found, right, "logits")


def test_next_token_loss_changes_no_argument(submission):
    """Logits and targets belong to the caller."""
    logits, targets = normal(3, 5, 7), some_ignored(drawn(3, 5, tokens=7))
    equal(submission.next_token_loss(logits, targets), mean_cost(logits, targets))
    arguments_kept()
