"""How a text goes on: logits to probabilities, which tokens are kept, and which one is picked.

Expected values are worked by hand, or come from loops over single rows in float64. The model that
`generate` is given is the suite's, with random weights in it: what it has to say is computed here.
"""

import math

import numpy as np
import torch

from kata.judging.claims import arguments_kept, equal, is_array, is_exactly
from kata.judging.inputs import given, in_any_order, normal, nudged, numpy, one_of

B, T, V, E, C = 3, 4, 11, 6, 5  # texts, tokens, vocabulary, width, context length
NOTHING = -math.inf
ALMOST_ONE = 1 - 2.0**-24  # the largest float32 below 1


def apart(*shape, step=0.5, dtype=""):
    """Logits, in any order, that lie about one step from one another in each row."""
    places = normal(*shape).argsort(dim=-1).argsort(dim=-1)
    inside = normal(*shape, dtype="float64").tanh() / 4
    values = step * (places + inside - (shape[-1] - 1) / 2)
    return values.to(getattr(torch, dtype or "float32"))


def per_row(function, values, *others):
    """What a function of one row gives for each of them, as an array of the same shape."""
    rows = numpy(values).reshape(-1, values.shape[-1])
    return np.array([function(row, *others) for row in rows]).reshape(values.shape)


def shares_of(row, temperature=1.0):
    """The softmax of one row, divided by the temperature, in float64."""
    with np.errstate(under="ignore"):
        powers = np.exp((row - row.max()) / temperature)
    return powers / powers.sum()


def shares(logits, temperature=1.0):
    """The softmax of each row."""
    return per_row(shares_of, logits, temperature)


def first_largest(row):
    """One for the first of the largest of a row, zero for all others."""
    return np.arange(len(row)) == list(row).index(max(row))


def with_rest(row, kept):
    """These tokens of a row as they are, and minus infinity elsewhere."""
    return [value if at in kept else NOTHING for at, value in enumerate(row)]


def largest(row, k):
    """One row with its k largest."""
    return with_rest(row, sorted(range(len(row)), key=lambda at: -row[at])[:k])


def nucleus(row, p):
    """One row with as many of its likeliest as it takes to reach p."""
    parts, kept, total = shares_of(row), [], 0.0
    for token in sorted(range(len(row)), key=lambda at: -parts[at]):
        if total < p:
            kept.append(token)
            total += parts[token]
    return with_rest(row, kept)


def clear(logits, p):
    """This p, or one a little above it, that no sum of likeliest tokens comes near."""
    sums = np.cumsum(-np.sort(-shares(logits), axis=-1), axis=-1)
    while np.abs(sums - p).min() < 1e-4:
        p += 1e-3
    return p


def equal_top_k(submission, logits, k):
    """The k largest of each row are kept as they were; the others are minus infinity."""
    equal(submission.keep_top_k(logits, k), per_row(largest, logits, k))


def equal_top_p(submission, logits, p):
    """The fewest likeliest of each row that reach p are kept; the others are minus infinity."""
    equal(submission.keep_top_p(logits, p), per_row(nucleus, logits, p))


def logs(*probabilities, dtype=""):
    """Logits of these probabilities, in two rows that are alike; zero is minus infinity."""
    with np.errstate(divide="ignore"):
        return given(np.log(np.array([probabilities] * 2)), dtype=dtype)


def judged(submission, cases, dtype=""):
    """Each draw picks its token, in two rows that are alike; a case is (row, draw, token)."""
    for row, draw, token in in_any_order(cases):
        got = submission.pick(given([row] * 2, dtype=dtype), given([draw] * 2, dtype=dtype))
        equal(got, np.array([token] * 2), dtype="int64")


def middles(probabilities):
    """The middle of each token's part."""
    ends = np.cumsum(numpy(probabilities), axis=-1)
    return ends - numpy(probabilities) / 2


def drawn(most=C):
    """Numbers for the suite's model, by name; it can read so many tokens."""
    return {
        "embedding.weight": normal(V, E, dtype="float64"),
        "positions": normal(most, E, dtype="float64"),
        "readout.weight": normal(V, E, dtype="float64"),
        "readout.bias": 0.1 * normal(V, dtype="float64"),
    }


def writer(submission, numbers, device="cpu", **options):
    """The suite's model with these numbers in it, in evaluation mode."""
    most = len(numbers["positions"])
    model = submission.probe("writer", V, E, most, **options).to("float64").eval()
    if device != "cpu":
        model.to(device)
    return model.load(numbers)


def texts(samples=B, length=T):
    """Random tokens."""
    return (normal(samples, length).abs() * 1e4).long() % V


def following(numbers, text, dropped):
    """The token that the model finds likeliest after one text, by the model's formula."""
    embedding, positions, weight, bias = (each.cpu() for each in numbers.values())
    seen = text[-len(positions) :]
    read = (embedding[seen] * positions[: len(seen)]).mean(dim=0)
    return int((bias if dropped else weight @ read + bias).argmax())


def written(numbers, tokens, steps, *, dropped=False):
    """Each text with what the model adds to it, one after the other."""
    whole = [list(text) for text in tokens.tolist()]
    for text in whole:
        for _ in range(steps):
            text.append(following(numbers, text, dropped))
    return np.array(whole)


def goes_on(submission, numbers, tokens, steps, **options):
    """The texts go on as the model says; returns the model."""
    model, right = writer(submission, numbers, **options), written(numbers, tokens, steps)
    got = submission.generate(model, tokens, steps, len(numbers["positions"]))
    equal(got, right, dtype="int64")
    return model


# The idea


# token_probabilities


def test_every_row_has_probabilities_of_its_own(submission, device):
    """At temperature 1 probabilities are the softmax of each row: it sums to one over the last
    dimension, whatever the others hold."""
    logits = normal(B, V, scale=2)
    equal(submission.token_probabilities(logits, 1.0), shares(logits))


def test_a_temperature_below_one_makes_likely_tokens_likelier(submission):
    """Logits 0 and ln 2 at temperature 0.5 are divided by it before the softmax: the powers are 1
    and 4, the probabilities 0.2 and 0.8. At temperature 1 they are a third and two thirds. In the
    second row they stand the other way round."""
    ratio = float(nudged(2.0, by=0.5))
    logits = given([[0.0, math.log(ratio)], [math.log(ratio), 0.0]])
    for temperature in in_any_order([0.5, 1.0]):
        powers = np.array([1.0, ratio ** (1 / temperature)])
        right = powers / powers.sum()
        equal(submission.token_probabilities(logits, temperature), [right, right[::-1]])


def test_a_temperature_above_one_brings_probabilities_together(submission):
    """Logits 0 and ln 9 at temperature 2 give powers 1 and 3: probabilities 0.25 and 0.75, in
    either order."""
    ratio = float(nudged(3.0, by=0.5))
    logits = given([[0.0, 2 * math.log(ratio)], [2 * math.log(ratio), 0.0]])
    right = np.array([1.0, ratio]) / (1 + ratio)
    equal(submission.token_probabilities(logits, 2.0), [right, right[::-1]])


def test_without_a_temperature_logits_are_not_scaled(submission):
    """Where no temperature is given, it is 1: a plain softmax."""
    logits = normal(B, V)
    equal(submission.token_probabilities(logits), shares(logits))


# keep_top_k


def test_the_k_largest_logits_stay_as_they_were(submission):
    """Of 3, 1 and 2 the two largest stay in their places, as logits and not as probabilities, and
    the smallest becomes minus infinity, which a softmax turns into zero. The second row has the
    same logits, the last one first."""
    for numbers in in_any_order([[3.0, 1.0, 2.0], [-2.0, -1.0, -3.0]]):
        row = nudged(numbers, by=0.2)
        equal_top_k(submission, given([row, row[::-1]]), 2)


def test_every_row_keeps_its_own_k(submission, device):
    """Each row keeps as many as every other, though all logits of one row are above those of the
    next."""
    logits = apart(4, V) + given([30.0, 0.0, -30.0, 60.0])[:, None]
    equal_top_k(submission, logits, 3)


def test_one_logit_is_kept_where_k_is_one(submission):
    """With k of 1 the largest alone is left in each row."""
    equal_top_k(submission, apart(3, V), 1)


# keep_top_p


def test_the_token_that_reaches_p_is_kept(submission):
    """Of probabilities 0.5, 0.3 and 0.2 the first two are kept for p = 0.6: 0.5 is not enough, and
    the token with which the sum reaches p belongs to them."""
    for p in in_any_order([0.6, float(nudged(0.7, by=0.08))]):
        equal_top_p(submission, logs(0.5, 0.3, 0.2), p)


def test_one_token_is_enough_where_it_has_p_alone(submission):
    """Of probabilities 0.5, 0.3 and 0.2 the first alone is kept for p = 0.4."""
    for p in in_any_order([0.4, float(nudged(0.25, by=0.2))]):
        equal_top_p(submission, logs(0.5, 0.3, 0.2), p)


def test_likely_tokens_are_kept_wherever_they_stand(submission):
    """The likeliest tokens are kept in their places, and every other one is minus infinity there:
    a row is not sorted for its reader."""
    parts = [0.05, 0.4, 0.1, 0.3, 0.15]
    order = normal(len(parts)).argsort().tolist() if one_of(0, 1, 2) else range(len(parts))
    logits = logs(*(parts[at] for at in order))
    equal(submission.keep_top_p(logits, 0.75), per_row(nucleus, logits, 0.75))


def test_every_row_keeps_as_many_tokens_as_it_needs(submission, device):
    """A row in which one token is likely keeps fewer than one in which many are: how many is
    counted for each row."""
    logits = apart(4, V) * given([0.1, 3.0, 1.0, 0.3])[:, None]
    equal_top_p(submission, logits, clear(logits, 0.7))


# pick


def test_the_token_on_whose_part_the_draw_falls_is_picked(submission):
    """With probabilities 0.75 and 0.25 draws of 0.1 and 0.6 pick token 0, which has three quarters
    of the line, and a draw of 0.9 picks token 1."""
    cases = [(0.1, 0), (0.6, 0), (0.9, 1)]
    judged(submission, [([0.75, 0.25], float(nudged(at, by=0.04)), token) for at, token in cases])


def test_tokens_lie_on_the_line_in_their_order(submission):
    """Parts lie one behind the other in the order of the tokens, not of their probabilities: draws
    in the middle of each part pick them one after the other."""
    row = [0.1, 0.3, 0.05, 0.4, 0.15]
    order = normal(len(row)).argsort().tolist() if one_of(0, 1, 2) else range(len(row))
    row = [row[at] for at in order]
    judged(submission, [(row, at, token) for token, at in enumerate(middles(row))])


def test_every_row_has_its_own_draw(submission, device):
    """Each row is picked from with its own draw."""
    parts, tokens = shares(normal(5, V)), numpy(texts(5, 1))[:, 0]
    draws = np.take_along_axis(middles(parts), tokens[:, None], axis=-1)[:, 0]
    equal(submission.pick(given(parts), given(draws)), tokens, dtype="int64")


def test_tokens_without_probability_are_skipped(submission):
    """A token between others whose probability is zero has no part of the line."""
    row = [0.25, 0.0, 0.0, 0.5, 0.0, 0.25]
    at = nudged([0.1, 0.2, 0.3, 0.6, 0.85, 0.95], by=0.02)
    judged(submission, list(zip([row] * 6, map(float, at), [0, 0, 3, 3, 5, 5], strict=True)))


# generate


def test_one_step_adds_the_likeliest_token(submission):
    """After one step each text has one token more: the one with the largest logit at its last
    place, in a tensor of int64 with the whole text."""
    goes_on(submission, drawn(), texts(), 1)


def test_every_step_reads_what_was_added_before(submission):
    """Each step reads the text with all tokens that were added to it."""
    goes_on(submission, drawn(), texts(length=2), 3)


def test_texts_begin_as_they_were_given(submission):
    """What was given stays at the beginning of each text, whole, also where it is longer than what
    the model can read."""
    for length, steps in in_any_order([(2, 2), (C + 4, 3)]):
        numbers, tokens = drawn(), texts(length=length)
        right = written(numbers, tokens, steps)
        got = submission.generate(writer(submission, numbers), tokens, steps, C)
        equal(got, right, where=np.arange(length + steps) < length, dtype="int64")


def test_a_text_that_fits_exactly_is_read_whole(submission):
    """A text of exactly as many tokens as the model can read is read from its first token on."""
    goes_on(submission, drawn(), texts(8, C), 1)


def test_of_a_long_text_the_model_reads_the_last_tokens(submission):
    """Of a text that is longer than the model can read it reads the last tokens, as many as it
    can."""
    goes_on(submission, drawn(), texts(length=C + 3), 2)


def test_a_text_grows_past_what_the_model_can_read(submission, device):
    """A text that fits at first may outgrow the model: from then on it reads the last tokens."""
    goes_on(submission, drawn(), texts(length=3), 6, device=device)


def test_the_model_is_called_once_for_each_step(submission):
    """One call gives what follows each of the texts: four steps take four calls."""
    steps, model = one_of(4, 3, 5, 6), writer(submission, drawn())
    is_array(submission.generate(model, texts(), steps, C))
    is_exactly(model.number("calls"), steps, what="how often the model was called")


# The fine print


# token_probabilities


def test_at_temperature_zero_the_largest_logit_has_probability_one(submission, device):
    """Temperature 0 is the limit and no division by zero: in each row the largest logit has
    probability one, and so it has in a single row."""
    logits = normal(2, 3, V)
    logits[0] -= 100  # all are negative
    for each in (logits, logits[1, 0]):
        equal(submission.token_probabilities(each, 0.0), per_row(first_largest, each) * 1.0)


def test_at_temperature_zero_logits_that_are_close_are_told_apart(submission):
    """However little the largest logit is above the next, at temperature 0 it has all: no small
    temperature stands in for it."""
    logits = normal(3, V, dtype="float64")
    logits[:, 4] = logits.amax(dim=-1) + 1e-13
    equal(submission.token_probabilities(logits, 0.0), per_row(first_largest, logits) * 1.0)


def test_at_temperature_zero_the_first_of_equal_logits_wins(submission):
    """Where several logits are the largest, the first of them has probability one: they do not
    share it."""
    logits = normal(3, V).clamp(max=1.0)
    for row, places in enumerate(((6, 3, 8), (0, 9), (10, 5))):
        logits[row, list(places)] = 2.0
    for tied in (logits, normal(8, 31).clamp(max=0.5)):
        equal(submission.token_probabilities(tied, 0), per_row(first_largest, tied) * 1.0)


def test_at_temperature_zero_minus_infinity_is_never_the_largest(submission):
    """With tokens left out by minus infinity, temperature 0 gives one and zeros, and no NaN."""
    logits = normal(3, V) - 9990
    logits[0, :4] = logits[1, 1:] = logits[2, 5] = NOTHING
    equal(submission.token_probabilities(logits, 0.0), per_row(first_largest, logits) * 1.0)


def test_probabilities_have_the_dtype_of_the_logits(submission):
    """Logits in float32 give float32, logits in float64 float64; a temperature of 0 makes no whole
    numbers."""
    for dtype in in_any_order(["float64", "float32"]):
        logits = normal(2, V, dtype=dtype)
        got = [submission.token_probabilities(logits, temperature) for temperature in (0.6, 0)]
        equal(got[0], shares(logits, 0.6), dtype=dtype)
        equal(got[1], per_row(first_largest, logits) * 1.0, dtype=dtype)


def test_any_temperature_from_a_hundredth_up_is_used_as_it_is(submission):
    """Temperatures may be as small as 0.01, as large as 1,000, and whole numbers, too: none is
    rounded, or moved to a limit."""
    for temperature in (0.01, 0.08, 2, 30.0, 1000):
        logits = temperature * normal(3, V)
        equal(submission.token_probabilities(logits, temperature), shares(logits, temperature))


def test_large_logits_at_a_low_temperature_do_not_overflow(submission):
    """Logits up to 10,000 at a temperature of 0.01 overflow no power: only what they are above
    one another counts, for each row by itself."""
    logits = given([[1e4, 9990.0, -1e4], [-1e4, -9990.0, -9980.0], [0.0, -1e4, 1.0]])
    for temperature in (0.5, 0.01):
        equal(submission.token_probabilities(logits, temperature), shares(logits, temperature))


def test_minus_infinity_gets_probability_zero(submission):
    """A logit of minus infinity says that a token never comes next: its probability is zero, and
    the others share the rest, at any temperature."""
    logits = normal(3, V)
    logits[0, 2:5] = logits[1, 0] = logits[2, 1:] = NOTHING
    for temperature in (0.5, 1.0, 3.0):
        equal(submission.token_probabilities(logits, temperature), shares(logits, temperature))


def test_minus_infinity_is_below_every_other_logit(submission):
    """Where all other logits are near −9,990, a logit of minus infinity still has no share: no
    number stands in for it."""
    logits = (normal(3, V) - 9990).double()
    logits[0, 2:5] = logits[1, 0] = logits[2, 1:] = NOTHING
    equal(submission.token_probabilities(logits, 2.0), shares(logits, 2.0))


def test_probabilities_have_any_leading_dimensions(submission):
    """A single row of logits, or rows in three dimensions, keep their shape; so does a
    vocabulary of one token, which is certain."""
    for shape in ((V,), (2, 1, 3, V), (3, 1)):
        logits = normal(*shape)
        equal(submission.token_probabilities(logits, 1.3), shares(logits, 1.3))


def test_logits_keep_their_values_when_probabilities_are_made(submission):
    """Logits that lie in memory in another order are only read, at temperature 0 as well: they can
    be used again at another temperature."""
    logits = normal(2, V, 3).mT
    for temperature in (0.5, 1.0, 2.0):
        right = shares(logits, temperature)
        equal(submission.token_probabilities(logits, temperature), right)
    equal(submission.token_probabilities(logits, 0), per_row(first_largest, logits) * 1.0)
    arguments_kept()


# keep_top_k


def test_top_k_keeps_the_dtype(submission):
    """The logits that are kept have the dtype that they had, float64 or float32."""
    for dtype in in_any_order(["float64", "float32"]):
        logits = apart(2, V, dtype=dtype)
        equal(submission.keep_top_k(logits, 3), per_row(largest, logits, 3), dtype=dtype)


def test_a_logit_of_zero_is_kept_like_any_other(submission):
    """Zero is a logit, and no sign for one that was left out: where it is among the largest it is
    kept."""
    for row in in_any_order([[0.0, -2.0, -1.0], [3.0, -1.0, 0.0]]):
        equal_top_k(submission, given(row), 2)


def test_k_of_all_tokens_keeps_all(submission):
    """With k as large as the vocabulary nothing is dropped; one less drops one token."""
    for k in in_any_order([V, V - 1]):
        equal_top_k(submission, apart(3, V), k)


def test_more_than_all_tokens_keeps_all(submission):
    """A k above the size of the vocabulary is no error: all are kept, where 2 keeps two, and 60 of
    70 tokens sixty."""
    for k in in_any_order([2, V + 1, 50]):
        equal_top_k(submission, apart(3, V), k)
    equal_top_k(submission, apart(2, 70), 60)


def test_top_k_tells_logits_apart_that_are_close(submission):
    """Two logits may differ in their last digits only, or lie so low that their probabilities are
    the same zero: the larger is kept."""
    for step in (1e-13, 300.0):
        equal_top_k(submission, 1 + apart(3, V, step=step, dtype="float64"), 4)
    equal_top_k(submission, 1 + apart(3, V, step=5e-7), 4)


def test_top_k_has_any_leading_dimensions(submission):
    """A single row of logits, or rows in three dimensions, keep their shape."""
    for shape in ((V,), (2, 1, 3, V), (3, 1)):
        equal_top_k(submission, apart(*shape), 4)


def test_top_k_changes_no_argument(submission):
    """Logits that lie in memory in another order are only read: another k begins with all of
    them."""
    logits = apart(2, 3, V).mT.contiguous().mT
    for k in (3, 1, V):
        equal_top_k(submission, logits, k)
    arguments_kept()


# keep_top_p


def test_top_p_keeps_the_dtype(submission):
    """The logits that are kept have the dtype that they had, float64 or float32."""
    for dtype in in_any_order(["float64", "float32"]):
        logits = apart(2, V, dtype=dtype)
        p = clear(logits, 0.5)
        equal(submission.keep_top_p(logits, p), per_row(nucleus, logits, p), dtype=dtype)


def test_a_logit_of_zero_is_as_likely_as_its_power_says(submission):
    """Zero is a logit, and no sign for one that was left out: where it is among the likeliest it is
    kept."""
    for row in in_any_order([[0.0, -2.0, -1.0], [1.0, -1.0, 0.0]]):
        equal_top_p(submission, given(row), 0.8)


def test_the_likeliest_token_is_kept_where_p_is_tiny(submission):
    """However small p is, one token is left in each row: with none there is nothing to pick."""
    logits = apart(3, V)
    for p in in_any_order([1e-3, 1e-9, 1e-30]):
        equal_top_p(submission, logits, p)


def test_top_p_of_one_keeps_all(submission):
    """With p of 1 no logit changes, not even those whose probability rounds to zero, whether p is
    written 1 or 1.0; below 1 the unlikeliest are dropped."""
    logits = apart(3, 40, step=2.0)
    logits[0, 5] = -900.0
    logits[1, 3] = NOTHING
    for p in in_any_order([1.0, 1]):
        equal(submission.keep_top_p(logits, p), logits)
    stairs = torch.arange(40.0)  # in float32 the likeliest 20 have more than 1 together
    equal(submission.keep_top_p(stairs, 1.0), stairs)
    logits = apart(3, V)
    equal_top_p(submission, logits, clear(logits, 0.9))


def test_a_p_near_one_drops_what_is_left(submission):
    """With p = 0.99 the unlikeliest of many tokens are dropped, and no others: of some rows few are
    kept, and of others a hundred."""
    for logits in (apart(3, 40, step=0.2), apart(2, 120, step=0.02)):
        equal_top_p(submission, logits, clear(logits, float(nudged(0.988, by=0.005))))


def test_a_sum_close_to_p_is_above_or_below_it(submission):
    """A probability of 0.45 reaches a p that is a little below it, and does not reach one that is a
    little above it; the same for sums, also near 1. Half precision cannot tell them apart."""
    cases = [
        (logs(0.45, 0.35, 0.2), (0.44998, 0.45002)),
        (logs(0.5, 0.3, 0.2), (0.80002, 0.79998)),
        (logs(0.6, 0.39996, 0.00004), (0.99994, 0.99998)),
    ]
    for logits, ps in in_any_order(cases):
        for p in ps:
            equal_top_p(submission, logits, p)


def test_top_p_asks_for_probabilities_not_for_logits(submission):
    """What all logits of a row have in common makes no difference, however large it is: logits
    between −1,000 and 1,000 overflow no power."""
    logits = apart(3, V)
    p = clear(logits, 0.8)
    equal_top_p(submission, logits + given([[990.0], [-990.0], [400.0]]), p)


def test_top_p_takes_tokens_that_are_left_out_already(submission):
    """Tokens that have minus infinity already have no share in the sum, and keep it."""
    logits = apart(3, V)
    logits[0, 2:5] = logits[1, 0] = logits[2, 1:] = NOTHING
    equal_top_p(submission, logits, clear(logits, 0.85))


def test_top_p_has_any_leading_dimensions(submission):
    """A single row of logits, or rows in three dimensions, keep their shape."""
    for shape in ((V,), (2, 1, 3, V), (3, 1)):
        logits = apart(*shape)
        equal_top_p(submission, logits, clear(logits, 0.65))


def test_top_p_changes_no_argument(submission):
    """Logits that lie in memory in another order are only read: another p begins with all of
    them."""
    logits = apart(2, 3, V).mT.contiguous().mT
    for p in (0.9, 0.3, 1.0):
        equal_top_p(submission, logits, clear(logits, p) if p < 1 else p)
    arguments_kept()


# pick


def test_a_small_part_has_draws_of_its_own(submission):
    """A token with a probability of 0.00004 has a part of the line like any other: the draws in it
    pick that token, and those beside it its neighbours."""
    row = [0.5, 0.00004, 0.49996]
    judged(submission, [(row, 0.49998, 0), (row, 0.50002, 1), (row, 0.50006, 2)])


def test_a_draw_of_zero_picks_the_first_token_that_can_come(submission):
    """A draw of 0 may occur: it picks the first token whose probability is not zero, which need
    not be token 0."""
    rows = ([0.5, 0.5, 0.0, 0.0], 0), ([0.0, 0.5, 0.5, 0.0], 1), ([0.0, 0.0, 0.25, 0.75], 2)
    judged(submission, [(row, 0.0, token) for row, token in rows])


def test_the_largest_draw_picks_the_last_token_that_can_come(submission):
    """The largest draw picks the last token whose probability is not zero, which need not be the
    last one."""
    rows = ([0.25, 0.5, 0.25, 0.0], 2), ([0.0, 0.5, 0.25, 0.25], 3), ([0.5, 0.5, 0.0, 0.0], 1)
    judged(submission, [(row, ALMOST_ONE, token) for row, token in rows])


def test_rounding_does_not_lead_past_the_last_token(submission):
    """Where probabilities sum to a little less than one, or more, the largest draw still picks the
    last token whose probability is not zero: not one behind it, and none that does not exist."""
    for off in in_any_order([-(2.0**-22), 2.0**-22, -(2.0**-21)]):
        rows = [[0.25, 0.25, 0.5 + off, 0.0, 0.0], [0.0, 0.25, 0.25, 0.25, 0.25 + off]]
        judged(submission, [(rows[0], ALMOST_ONE, 2), (rows[1], ALMOST_ONE, 4)])


def test_pick_reads_float64_to_its_last_digits(submission):
    """In float64 the largest draw lies closer to one than float32 can tell, and picks the last
    token that can come all the same."""
    row, draw = [0.5, 0.25, 0.25, 0.0], 1 - 2.0**-53
    judged(submission, [(row, draw, 2), (row, 0.0, 0), (row, 0.6, 1)], dtype="float64")


def test_a_single_row_picks_a_single_token(submission):
    """Probabilities (V,) and a draw without dimensions give a token without dimensions."""
    parts, token = shares(normal(V)), one_of(3, *range(V))
    equal(submission.pick(given(parts), given(middles(parts)[token])), token, dtype="int64")


def test_one_row_of_a_batch_stays_a_batch(submission):
    """Leading dimensions of size 1 stay, and there may be three."""
    for leading in ((1,), (2, 1, 3)):
        parts, tokens = shares(normal(*leading, V)), numpy(texts(6, 1))[: math.prod(leading)]
        tokens = tokens.reshape(leading)
        draws = np.take_along_axis(middles(parts), tokens[..., None], axis=-1)[..., 0]
        equal(submission.pick(given(parts), given(draws)), tokens, dtype="int64")


def test_pick_changes_no_argument(submission):
    """Probabilities that lie in memory in another order are only read, and so are the draws: the
    same ones pick the same tokens again, even the smallest and the largest."""
    logits, tokens = normal(2, 3, V), numpy(texts(6, 1)).reshape(2, 3) // 2 * 2
    logits[..., 5] = NOTHING
    tokens[0, 0], tokens[1, 2] = 0, V - 1
    parts = given(shares(logits) * (1 + 2.0**-21)).mT.contiguous().mT
    draws = given(np.take_along_axis(middles(parts), tokens[..., None], axis=-1)[..., 0])
    draws[0, 0], draws[1, 2] = 0.0, ALMOST_ONE
    for _ in range(2):
        equal(submission.pick(parts, draws), tokens, dtype="int64")
    arguments_kept()


# generate


def test_the_largest_logit_wins_however_close_the_next_is(submission):
    """The largest logit is not rounded, and nothing is left to chance: one that is 0.00002 below it
    is never taken."""
    numbers = drawn()
    pairs = slice(0, V - 1, 2), slice(1, V, 2)
    for name in ("readout.weight", "readout.bias"):
        numbers[name][pairs[1]] = numbers[name][pairs[0]]
    numbers["readout.bias"][pairs[1]] += 2e-5  # the second of two is larger
    goes_on(submission, numbers, texts(), 5)


def test_one_text_of_one_token(submission):
    """A single text that begins with a single token goes on like others."""
    goes_on(submission, drawn(), texts(1, 1), 4)


def test_a_model_may_read_no_more_than_one_token(submission):
    """A context of one token is a context: at each step the model reads the last one alone."""
    for length in in_any_order([1, 3]):
        goes_on(submission, drawn(most=1), texts(length=length), 4)


def test_without_steps_texts_stay_as_they_are(submission):
    """Without steps nothing is added, and the model is not asked."""
    for length in in_any_order([2, C + 2]):
        model = goes_on(submission, drawn(), texts(length=length), 0)
        is_exactly(model.number("calls"), 0, what="how often the model was called")


def test_a_model_in_training_mode_stays_in_it(submission):
    """A model in training mode is left in it: its training goes on after the text."""
    model = writer(submission, drawn()).train()
    is_array(submission.generate(model, texts(), 3, C))
    is_exactly(model.number("training"), True, what="model.training")


def test_a_model_in_training_mode_is_called_in_it(submission):
    """A model is called in the mode that it is in: in training mode its dropout is at work, which
    drops everything here, and leaves the bias to say what follows."""
    numbers, tokens = drawn(), texts()
    model, right = (
        writer(submission, numbers, dropout=1.0),
        written(numbers, tokens, 3, dropped=True),
    )
    equal(submission.generate(model.train(), tokens, 3, C), right, dtype="int64")


def test_a_model_in_evaluation_mode_stays_in_it(submission):
    """A model in evaluation mode is called and left in it: its dropout drops nothing."""
    model = goes_on(submission, drawn(), texts(), 3, dropout=1.0)
    is_exactly(model.number("training"), False, what="model.training")


def test_a_model_may_be_a_plain_function(submission):
    """A model is something that can be called: it need not have parameters, a mode, or any other
    attribute of a module."""
    goes_on(submission, drawn(), texts(), 2, plain=True)


def test_generate_changes_no_argument(submission):
    """Tokens that lie in memory in another order are only read: the caller still has the beginning
    of each text."""
    tokens = texts(length=C + 2).mT.contiguous().mT
    goes_on(submission, drawn(), tokens, 3)
    arguments_kept()
