"""What scaled dot-product attention is: each query reads the values with weights of its own."""

import math

import numpy as np
from torch.nn import functional as F

from kata.judging.claims import (
    arguments_kept,
    equal,
    equal_gradient,
    gradients,
    has_dtype,
    has_shape,
    is_pair,
)
from kata.judging.inputs import arrays, given, normal, nudged, numpy, one_of


def naive(query, key, value):
    """Attention from its definition, in NumPy float64, each sum over an axis that is named."""
    queries, keys, values = arrays(query, key, value)
    scores = np.einsum("...td,...sd->...ts", queries, keys) / math.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return np.einsum("...ts,...sv->...tv", weights, values), weights


def problem():
    """Two samples of query, key and value: more keys than queries, and no two sizes alike."""
    queries, keys = one_of(5, 3), one_of(7, 10, 11, 12)
    return normal(2, queries, 6), normal(2, keys, 6), normal(2, keys, one_of(4, 8, 9, 13))


def alike(*matrices):
    """Two samples, each with these: what holds for one, before samples are told apart."""
    return [each.repeat(2, 1, 1) for each in matrices]


def attend(submission, query, key, value):
    """Output and weights as they came back, once both have the right shape."""
    returned = submission.scaled_dot_product_attention(query, key, value)
    is_pair(returned)
    has_shape(returned[0], (*query.shape[:-1], value.shape[-1]), "output")
    has_shape(returned[1], (*query.shape[:-1], key.shape[-2]), "weights")
    return returned


def equal_to_naive(submission, query, key, value, dtype=""):
    """Weights and output are those of the definition; the weights first, since they come first."""
    returned = submission.scaled_dot_product_attention(query, key, value)
    is_pair(returned)
    output, weights = naive(query, key, value)
    equal_in(dtype, returned[1], weights, "weights")
    equal_in(dtype, returned[0], output, "output")


def equal_in(dtype, got, right, what):
    """In float64 no more digits count than float32 has: a softmax may be made in float32."""
    if dtype == "float64":
        has_dtype(got, dtype, what)
        got, dtype = got.float(), ""
    equal(got, right, what=what, dtype=dtype)


def equal_gradients(output, expected, **inputs):
    """Each input gets the gradient that PyTorch's own attention sends it."""
    right = gradients(expected, *inputs.values())
    found = gradients(output, *inputs.values())
    for name, got, want in zip(inputs, found, right, strict=True):
        equal_gradient(got, want, name)


# The idea


def test_output_comes_first_and_weights_second(submission):
    """A pair comes back: (B, T, Dv) is what queries read, (B, T, S) with which weights they do."""
    query, key, value = problem()
    attend(submission, query, key, value)


def test_the_weights_of_each_query_sum_to_one(submission):
    """The keys compete for each query: a row of weights, one for each key, sums to one."""
    query, key, value = problem()
    _, weights = attend(submission, query, key, value)
    equal(weights.sum(dim=-1), np.ones(query.shape[:-1]), what="the sums of rows")


def test_the_output_is_made_with_the_returned_weights(submission):
    """The weights show what was read only if they were used: output = weights @ value."""
    query, key, value = problem()
    output, weights = attend(submission, query, key, value)
    equal(weights.sum(dim=-1), np.ones(query.shape[:-1]), what="the sums of rows")
    equal(output, numpy(weights) @ numpy(value), what="output")


def test_two_queries_get_the_weights_worked_out_by_hand(submission, device):
    """Products 2·log 1, 2·log 2 and 2·log 5, divided by √4, become the weights 1/8, 2/8 and 5/8."""
    query, key, value = alike(
        given([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]),
        given(np.log([[1.0, 4.0, 1.0, 1.0], [2.0, 2.0, 1.0, 1.0], [5.0, 2.0, 1.0, 1.0]])),
        given(nudged([[8.0, 0.0], [0.0, 8.0], [8.0, 8.0]], by=1.0)),
    )
    right = np.array([[[0.125, 0.25, 0.625], [0.5, 0.25, 0.25]]] * 2)
    returned = submission.scaled_dot_product_attention(query, key, value)
    is_pair(returned)
    equal(returned[1], right, what="weights")
    equal(returned[0], right @ numpy(value), what="output")


def test_scores_are_divided_by_the_square_root_of_the_width(submission, device):
    """Only for D = 4 are √D, D / 2 and the number 2 the same; here D is 11, and √11 no integer."""
    equal_to_naive(submission, *alike(normal(5, 11), normal(7, 11), normal(7, 4)))


def test_equal_sizes_do_not_mix_up_queries_keys_and_features(submission):
    """As many queries as keys as features: no length tells one axis from another."""
    equal_to_naive(submission, *alike(normal(5, 5), normal(5, 5), normal(5, 5)))


def test_each_sample_attends_to_its_own_keys(submission, device):
    """With one dimension in front, each sample attends to its own keys, and to no other's."""
    equal_to_naive(submission, normal(2, 5, 6), normal(2, 7, 6), normal(2, 7, 4))


# The fine print


def test_query_key_and_value_may_be_matrices(submission):
    """With no dimension in front there is one attention: query, key and value are matrices."""
    equal_to_naive(submission, normal(5, 6), normal(7, 6), normal(7, 4))
    equal_to_naive(submission, normal(5, 5), normal(5, 5), normal(5, 5))


def test_each_head_of_each_sample_attends_independently(submission, device):
    """With two in front, (B, H), each head of each sample is an attention of its own."""
    equal_to_naive(submission, normal(2, 3, 7, 6), normal(2, 3, 5, 6), normal(2, 3, 5, 4))


def test_there_may_be_any_number_of_leading_dimensions(submission):
    """Leading dimensions only repeat, however many there are: tokens and features come last."""
    equal_to_naive(submission, normal(2, 2, 3, 5, 6), normal(2, 2, 3, 7, 6), normal(2, 2, 3, 7, 4))


def test_equal_sizes_do_not_mix_up_samples_heads_and_queries(submission):
    """As many samples and heads as queries, keys and features: axes have places, not sizes."""
    for shape in [(4, 4, 4), (3, 3, 3, 3)]:
        equal_to_naive(submission, normal(*shape), normal(*shape), normal(*shape))


def test_float32_stays_float32(submission):
    """Output and weights have the dtype of the inputs, so that a model stays as small as it is."""
    equal_to_naive(submission, *alike(normal(5, 6), normal(7, 6), normal(7, 4)), dtype="float32")


def test_float64_stays_float64(submission):
    """Double precision in, double precision out, even if the softmax is made in float32."""
    inputs = [normal(*size, dtype="float64") for size in [(5, 6), (7, 6), (7, 4)]]
    equal_to_naive(submission, *alike(*inputs), dtype="float64")


def test_large_scores_count_in_full(submission):
    """Only differences count: scores of 40 and 40 + log 3 share like 0 and log 3, one to three."""
    query = given([[2.0, 0.0, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]])
    key = given([[40.0, 0.0, 0.0, 0.0], [40.0 + math.log(3), 0.0, 0.0, 0.0]])
    query, key, value = alike(query, key, given(nudged([[4.0], [8.0]], by=1.0)))
    right = np.array([[[0.25, 0.75], [0.75, 0.25]]] * 2)
    returned = submission.scaled_dot_product_attention(query, key, value)
    is_pair(returned)
    equal(returned[1], right, what="weights")
    equal(returned[0], right @ numpy(value), what="output")


def test_scores_too_large_for_exp_do_not_overflow(submission):
    """exp(100) is inf in float32, and exp(1000) anywhere; the weights are ordinary ones."""
    query = given([[2.0, 0.0, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]])
    value = given(nudged([[4.0], [8.0]], by=1.0))
    key = given([[-60.0, 0.0, 0.0, 0.0], [-59.0, 0.0, 0.0, 0.0]])
    equal_to_naive(submission, *alike(query.abs(), key, value))  # no score is above zero
    for one, other in ((100.0, 101.0), (900.0, 1000.0), (-1000.0, 1000.0)):
        key = given([[one, 0.0, 0.0, 0.0], [other, 0.0, 0.0, 0.0]])
        equal_to_naive(submission, *alike(query, key, value))


def test_inputs_may_be_transposed_views(submission):
    """Heads that were split off by a transpose do not lie in memory in order; they are welcome."""
    query, key, value = normal(2, 5, 3, 6), normal(2, 7, 3, 6), normal(2, 7, 3, 4)
    equal_to_naive(submission, query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2))
    query, key, value = normal(5, 2, 6), normal(7, 2, 6), normal(7, 2, 4)
    equal_to_naive(submission, query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1))
    query, key, value = normal(2, 6, 5), normal(2, 6, 7), normal(2, 4, 7)
    equal_to_naive(submission, query.mT, key.mT, value.mT)


def test_the_only_key_gets_weight_one_and_its_value_is_the_output(submission):
    """Dimensions of length one stay: the only key gets weight 1, and its value is the output."""
    query, key, value = normal(1, 1, 6), normal(1, 1, 6), normal(1, 1, 4)
    returned = submission.scaled_dot_product_attention(query, key, value)
    is_pair(returned)
    equal(returned[1], [[[1.0]]], what="weights")
    equal(returned[0], value, what="output")


def test_a_single_query_reads_all_of_the_keys(submission):
    """A single query is one like any other: it reads all of the keys, and its row stays a row."""
    equal_to_naive(submission, normal(2, 1, 6), normal(2, 7, 6), normal(2, 7, 4))


def test_a_single_key_is_read_by_every_query(submission):
    """Where there is but one key, every query reads it: one row of weights and of output each."""
    equal_to_naive(submission, normal(2, 5, 6), normal(2, 1, 6), normal(2, 1, 4))


def test_many_keys_share_one_softmax(submission):
    """A hundred keys and more share one softmax: every one of them counts, wherever it stands."""
    equal_to_naive(submission, *alike(normal(3, 6), normal(140, 6), normal(140, 4)))


def test_gradients_reach_the_values(submission):
    """What a query reads can learn: the output sends each value a gradient, shared by weight."""
    query, key, value = normal(2, 5, 6), normal(2, 7, 6), normal(2, 7, 4, grad=True)
    output, _ = attend(submission, query, key, value)
    expected = F.scaled_dot_product_attention(query, key, value)
    equal_gradients(output, expected, value=value)


def test_gradients_reach_queries_and_keys(submission):
    """Where a query looks can learn too: the gradient goes through the weights to query and key."""
    query, key, value = (normal(2, *size, grad=True) for size in [(5, 6), (7, 6), (7, 4)])
    output, _ = attend(submission, query, key, value)
    expected = F.scaled_dot_product_attention(query, key, value)
    equal_gradients(output, expected, query=query, key=key)


def test_keys_may_be_the_only_input_that_asks_for_gradients(submission):
    """Any of the three may be the only one that learns, while the other two ask for no gradient."""
    query, key, value = normal(2, 5, 6), normal(2, 7, 6, grad=True), normal(2, 7, 4)
    output, _ = attend(submission, query, key, value)
    equal_gradients(output, F.scaled_dot_product_attention(query, key, value), key=key)


def test_gradients_pass_through_the_returned_weights(submission):
    """A loss may be made of the weights as well: they too send gradients to query and key."""
    query, key = normal(2, 5, 6, grad=True), normal(2, 7, 6, grad=True)
    _, weights = attend(submission, query, key, normal(2, 7, 4))
    expected = F.scaled_dot_product_attention(query, key, given(np.stack([np.eye(7)] * 2)))
    equal_gradients(weights, expected, query=query, key=key)


def test_arguments_stay_as_they_are(submission):
    """Query, key and value belong to the caller, who may need them again."""
    equal_to_naive(submission, normal(2, 5, 6), normal(2, 7, 6), normal(2, 7, 4))
    arguments_kept()


def test_arguments_stay_as_they_are_in_float64(submission):
    """In double precision too, where `.double()` makes no copy, the arguments are the caller's."""
    query, key, value = (normal(2, *size, dtype="float64") for size in [(5, 6), (7, 6), (7, 4)])
    equal_to_naive(submission, query, key, value, dtype="float64")
    arguments_kept()


def test_earlier_results_stay_as_they_are(submission):
    """Layer after layer attends: a later call changes neither output nor weights of an earlier."""
    query, key, value = normal(2, 5, 6), normal(2, 7, 6), normal(2, 7, 4)
    output, weights = attend(submission, query, key, value)
    attend(submission, -query, key, -value)
    right_output, right_weights = naive(query, key, value)
    equal(weights, right_weights, what="the first weights")
    equal(output, right_output, what="the first output")
