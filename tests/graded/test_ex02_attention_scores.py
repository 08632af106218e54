"""What attention is without trained weights: dot products, a softmax for each query, a mixture."""

import math
from operator import mul

import numpy as np

from kata.judging.claims import arguments_kept, equal, is_array
from kata.judging.inputs import given, in_any_order, normal, nudged, one_of

# Six tokens, three numbers each. A dot product of two has four decimals, so figures are exact.
TOKENS = [
    [0.43, 0.15, 0.89],
    [0.55, 0.87, 0.66],
    [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33],
    [0.77, 0.25, 0.10],
    [0.05, 0.80, 0.55],
]
# Their scores: row t holds those of token t as a query.
SCORES = [
    [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
    [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
    [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
    [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
    [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
    [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
]


def six_tokens():
    """The six tokens, and their scores as queries against themselves as keys."""
    size = nudged(1.0, by=0.2)
    return size * given(TOKENS), size**2 * np.array(SCORES)


def coarse(values):
    """These in whole 64ths, which float32 holds exactly as far out as ten thousand."""
    return np.round(64 * np.asarray(values)) / 64


def naive_scores(queries, keys):
    """Multiply entry by entry and add up, for each query and each key."""
    rows, columns = np.array(queries).tolist(), np.array(keys).tolist()
    return np.array([[sum(map(mul, query, key)) for key in columns] for query in rows])


def naive_weights(scores):
    """Softmax from its definition, one query at a time."""
    if scores.ndim == 2:
        return np.array([naive_weights(row) for row in scores])
    largest = scores.max()
    powers = [math.exp(score - largest) for score in scores.tolist()]
    return np.divide(powers, math.fsum(powers))


def naive_contexts(weights, values):
    """Add up weight times value, for each query and each feature."""
    return naive_scores(weights, np.transpose(values))


# The idea


# score_query


def test_a_score_is_a_dot_product(submission):
    """The score of a key is its dot product with the query: multiply entry by entry, add up."""
    tokens, right = six_tokens()
    equal(submission.score_query(tokens[1], tokens), right[1])


def test_the_query_need_not_be_a_key(submission):
    """The query is whatever the caller passes, and not one of the keys in particular."""
    query, keys, order = given([1.0, 0.0, 2.0]), given(TOKENS), in_any_order(range(6))
    right = np.array([2.21, 1.87, 1.85, 0.88, 0.97, 1.15])
    equal(submission.score_query(query, keys[order]), right[order])


def test_a_key_that_points_away_scores_below_zero(submission):
    """A negative score says that a key points away from the query: the sign is kept."""
    query, keys, order = given([1.0, 0.0, -2.0]), given(TOKENS), in_any_order(range(6))
    right = np.array([-1.35, -0.77, -0.71, -0.44, 0.57, -1.05])
    equal(submission.score_query(query, keys[order]), right[order])


def test_a_query_is_scored_against_any_number_of_keys(submission):
    """There are as many scores as keys, because a sentence may have any length."""
    for count in 4, 40:
        query, keys = normal(3), normal(count, 3)
        equal(submission.score_query(query, keys), naive_scores([query], keys)[0])


def test_the_query_and_the_keys_may_have_any_width(submission):
    """All entries of a vector count, whether it is narrower or wider than there are keys."""
    for width in 2, 8, 6:
        query, keys = normal(width), normal(6, width)
        equal(submission.score_query(query, keys), naive_scores([query], keys)[0])


# attention_scores


def test_six_tokens_score_each_other(submission):
    """Six tokens, each as a query against all six as keys, make the 36 plain dot products."""
    tokens, right = six_tokens()
    equal(submission.attention_scores(tokens, tokens.copy()), right)


def test_queries_are_rows_and_keys_are_columns(submission):
    """Row t belongs to query t, column s to key s; it shows when the queries are not the keys."""
    queries, keys = normal(6, 3), normal(6, 3)
    equal(submission.attention_scores(queries, keys), naive_scores(queries, keys))


def test_there_may_be_more_or_fewer_keys_than_queries(submission):
    """Queries and keys are counted apart: keys may belong to another text, longer or shorter."""
    for t, s in (5, 7), (7, 5):
        queries, keys = normal(t, 6), normal(s, 6)
        equal(submission.attention_scores(queries, keys), naive_scores(queries, keys))


def test_square_queries_or_keys_still_hold_one_vector_per_row(submission):
    """A square of keys or of queries is no special case: each is still a row, and not a column."""
    for t, s in (5, 6), (6, 5):
        queries, keys = normal(t, 6), normal(s, 6)
        equal(submission.attention_scores(queries, keys), naive_scores(queries, keys))


# attention_weights


def test_no_weight_is_negative(submission):
    """Scores may be negative; a weight is a share, and no share is less than nothing."""
    rows = [[1.0, -1.0, 2.0], [-2.0, 3.0, 0.5]]
    scores = given(np.tile(rows, (one_of(1, 2, 4, 5), one_of(1, 3, 5, 7))))
    weights = submission.attention_weights(scores)
    is_array(weights)
    equal(weights, naive_weights(scores), where=weights < 0)


def test_the_weights_of_each_query_sum_to_one(submission):
    """Each query shares out a whole among its keys, whatever the other queries do."""
    scores = normal(5, 7)
    equal(submission.attention_weights(scores), naive_weights(scores))


def test_in_a_square_of_scores_rows_sum_to_one_not_columns(submission):
    """A square of scores is no special case: the sums still belong to rows."""
    scores = normal(4, 4)
    equal(submission.attention_weights(scores), naive_weights(scores))


# context_vectors


def test_a_context_is_a_weighted_sum(submission):
    """A query's context is the sum of all values, each times its weight: two have the same here."""
    weights = given([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]])
    values = given(in_any_order([8.0, 0.0, 2.0, 0.0, 10.0, 4.0, 5.0, -5.0, 10.0])).reshape(3, 3)
    equal(submission.context_vectors(weights, values), naive_contexts(weights, values))


def test_each_query_mixes_the_values_with_its_own_weights(submission):
    """Every query starts from nothing, with its own weights and with the values as they came."""
    weights = given([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])
    values = given(in_any_order([8.0, 0.0, 2.0, 0.0, 16.0, 4.0, 4.0, -4.0, 8.0])).reshape(3, 3)
    equal(submission.context_vectors(weights, values), naive_contexts(weights, values))


def test_a_context_is_as_wide_as_a_value(submission):
    """A context is as wide as a value, which need not be the number of queries or of keys."""
    for width in 4, 5:
        weights, values = naive_weights(normal(5, 7)), normal(7, width)
        equal(submission.context_vectors(weights, values), naive_contexts(weights, values))


def test_square_weights_are_still_read_row_by_row(submission):
    """As many queries as keys: the weights of query t still stand in row t."""
    weights, values = naive_weights(normal(5, 5)), normal(5, 4)
    equal(submission.context_vectors(weights, values), naive_contexts(weights, values))


# The fine print


# score_query


def test_a_single_key_or_a_single_entry_makes_a_score(submission):
    """One key still makes an array of one score, and a vector of one entry is still a vector."""
    for count, width in (1, 3), (6, 1), (1, 1):
        query, keys = normal(width), normal(count, width)
        equal(submission.score_query(query, keys), naive_scores([query], keys)[0])


def test_a_key_that_appears_twice_is_scored_twice(submission):
    """A text may say the same word twice: each of the two keys gets its score."""
    query = given(nudged([2.0, 1.0], by=0.5))
    keys = given([[1.0, 3.0], [0.0, 4.0], [1.0, 3.0]])
    equal(submission.score_query(query, keys), naive_scores([query], keys)[0])


def test_score_query_changes_no_argument(submission):
    """The next query needs the same keys: scoring one query leaves them alone."""
    query, keys = normal(6), normal(7, 6)
    equal(submission.score_query(query, keys), naive_scores([query], keys)[0])
    arguments_kept()


def test_score_query_returns_a_new_array_each_time(submission):
    """Every call makes an array of its own: later calls add nothing to it and change nothing."""
    tokens, right = six_tokens()
    first = submission.score_query(tokens[1], tokens)
    second = submission.score_query(2 * tokens[1], 2 * tokens)
    equal(first, right[1], what="the first result")
    equal(second, 4 * right[1], what="the second result")


# attention_scores


def test_attention_scores_takes_any_number_of_tokens(submission):
    """The array of scores is made for the tokens that come in, and not for six of them."""
    for count in 4, 7, 40:
        queries, keys = normal(count, 3), normal(count, 3)
        equal(submission.attention_scores(queries, keys), naive_scores(queries, keys))


def test_one_query_and_one_key_make_a_one_by_one_matrix(submission):
    """One query and one key make a matrix of one row and one column, and not a number."""
    queries, keys = given([[1.0, 2.0, 3.0]]), given(nudged([[4.0, -5.0, 6.0]], by=0.5))
    equal(submission.attention_scores(queries, keys), naive_scores(queries, keys))


def test_vectors_may_have_a_single_entry(submission):
    """A vector may have a single entry: five queries of width 1 are still five queries."""
    queries, keys = normal(5, 1), normal(7, 1)
    equal(submission.attention_scores(queries, keys), naive_scores(queries, keys))


def test_attention_scores_changes_no_argument(submission):
    """Queries and keys belong to the caller, who gets them back as they were."""
    queries = given([[2.0, -1.0], [0.0, 3.0]])  # what was multiplied by zero cannot be divided back
    keys = given(nudged([[1.0, 4.0], [5.0, -2.0], [3.0, 0.0]], by=0.5))
    equal(submission.attention_scores(queries, keys), naive_scores(queries, keys))
    arguments_kept()


# attention_weights


def test_one_dimensional_scores_become_the_weights_of_one_query(submission):
    """One query alone, one axis: log ½, log 3/2 and log 2 become the weights 1/8, 3/8 and 4/8."""
    for shares in given([0.5, 1.5, 2.0]), given(in_any_order([1.0, 2.0, 3.0, 5.0, 9.0])):
        equal(submission.attention_weights(np.log(shares)), shares / shares.sum())


def test_large_scores_do_not_overflow(submission):
    """exp(10000) is more than a float can hold; the weights are ordinary numbers all the same."""
    scores = given(coarse(nudged([10000.0, 10001.0, 9999.0], by=0.5)))
    equal(submission.attention_weights(scores), naive_weights(scores))


def test_very_negative_scores_do_not_vanish(submission):
    """exp(−10000) rounds to zero, and zero divided by zero is NaN; the weights are not."""
    scores = given(coarse(nudged([-10000.0, -10001.0, -9999.0], by=0.5)))
    equal(submission.attention_weights(scores), naive_weights(scores))


def test_queries_with_scores_of_very_different_size_stay_independent(submission):
    """A query with scores around 10,000 beside one around −10,000: neither disturbs the other."""
    scores = given(coarse(normal(3, 5) + given([[10000.0], [0.0], [-10000.0]])))
    equal(submission.attention_weights(scores), naive_weights(scores))


def test_minus_infinity_gets_weight_zero(submission):
    """A score of −inf is a key that the query may not see: its weight is zero, beside any other."""
    rows = [[1.0, -np.inf, 1.0], [-np.inf, 3.0, -np.inf], [-1e4, -1e4, -np.inf]]
    scores = given(coarse(nudged(rows, by=0.4)))
    right = naive_weights(scores)
    equal(submission.attention_weights(scores), right)
    equal(submission.attention_weights(scores[0]), right[0], what="the weights of one query alone")


def test_a_score_far_above_the_others_takes_all_the_weight(submission):
    """A key that scores 2,000 beside keys that score 0 gets all the weight of its query."""
    scores = given(coarse(nudged([[2000.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, -2000.0]], by=0.4)))
    equal(submission.attention_weights(scores), naive_weights(scores))


def test_a_single_row_or_column_of_scores_keeps_its_shape(submission):
    """The weights have the shape of the scores, even where there is one query or one key."""
    for shape in (1, 7), (7, 1), (1,):
        scores = normal(*shape)
        equal(submission.attention_weights(scores), naive_weights(scores))


def test_attention_weights_changes_no_argument(submission):
    """The scores belong to the caller: the weights are a new array."""
    hidden = given([[1.0, -np.inf, 2.0], [-np.inf, 4.0, 3.0]])
    for scores in normal(5, 7), normal(7), hidden:
        equal(submission.attention_weights(scores), naive_weights(scores))
    arguments_kept()


# context_vectors


def test_with_a_single_key_every_query_gets_its_value(submission):
    """With one key each query has the weight 1 and its value as context: a row for every query."""
    values = normal(1, 4)
    equal(submission.context_vectors(given(np.ones((5, 1))), values), np.tile(values, (5, 1)))


def test_values_may_have_a_single_entry(submission):
    """Values of one number each make contexts of one number: a column, and not a row."""
    weights, values = naive_weights(normal(5, 7)), normal(7, 1)
    equal(submission.context_vectors(weights, values), naive_contexts(weights, values))


def test_a_tiny_weight_on_a_large_value_still_counts(submission):
    """A weight of one in a million is small, but its value may be large: no key is left out."""
    weights = given([[0.999999, 0.000001]])
    values = given(nudged([[1.0, 0.0], [1.0, 4_000_000.0]], by=0.5))
    equal(submission.context_vectors(weights, values), naive_contexts(weights, values))


def test_context_vectors_changes_no_argument(submission):
    """Weights and values belong to the caller, who may still want to look at them."""
    third = 0.333333333  # dividing by a sum of 0.999999999 would not go unnoticed
    weights = given([[third, third, third], [0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    values = given(in_any_order([3.0, 0.0, 6.0, 4.0, 0.0, 8.0])).reshape(3, 2)
    equal(submission.context_vectors(weights, values), naive_contexts(weights, values))
    arguments_kept()


# all functions


def test_all_four_functions_accept_float32(submission):
    """float32 is a float too: all four functions take it."""
    queries, keys = normal(5, 6, dtype="float32"), normal(7, 6, dtype="float32")
    scores, weights = normal(5, 7, dtype="float32"), naive_weights(normal(5, 7)).astype("float32")
    right = naive_scores(queries, keys)
    equal(submission.score_query(queries[0], keys), right[0], what="the scores of one query")
    equal(submission.attention_scores(queries, keys), right, what="the scores")
    equal(submission.attention_weights(scores), naive_weights(scores), what="the weights")
    equal(submission.context_vectors(weights, keys), naive_contexts(weights, keys))


def test_a_later_call_changes_no_earlier_result(submission):
    """What a call has returned belongs to the caller: no later call changes it."""
    tokens, others = normal(4, 3), normal(4, 3)
    scores, later_scores = naive_scores(tokens, tokens), naive_scores(others, others)
    weights, later_weights = naive_weights(scores), naive_weights(later_scores)
    got = submission.attention_scores(tokens, tokens)
    submission.attention_scores(others, others)
    equal(got, scores, what="the first scores")
    got = submission.attention_weights(scores)
    submission.attention_weights(later_scores)
    equal(got, weights, what="the first weights")
    got = submission.context_vectors(weights, tokens)
    submission.context_vectors(later_weights, others)
    equal(got, naive_contexts(weights, tokens), what="the first contexts")


def test_no_result_is_reused_when_only_keys_or_values_change(submission):
    """Equal queries may meet other keys, and equal weights other values: both count, each time."""
    queries, weights = normal(5, 3), naive_weights(normal(5, 7))
    for _ in range(2):
        keys, values = normal(7, 3), normal(7, 4)
        right = naive_scores(queries, keys)
        equal(submission.score_query(queries[0], keys), right[0], what="the scores of one query")
        equal(submission.attention_scores(queries, keys), right, what="the scores")
        contexts = submission.context_vectors(weights, values)
        equal(contexts, naive_contexts(weights, values), what="the contexts")
