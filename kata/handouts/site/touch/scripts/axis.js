"use strict";

exhibit("axis", ({ scores }, { line, heads }) => {
  const { map, transpose, sum, softmaxOf, softmax } = exhibitNumbers;
  const own = scores.slice(0, heads);
  const right = own.map(softmax);
  const over = (row, column) => softmaxOf(own.map((head) => head[row][column]));
  const width = own[0][0].length;
  const lines = {
    queries: () => own.map((head) => transpose(softmax(transpose(head)))),
    heads: () => own.map((head, at) => map(head, (_, row, column) => over(row, column)[at])),
    everything: () => own.map((head) => {
      const weights = softmaxOf(head.flat());
      return map(head, (_, row, column) => weights[row * width + column]);
    }),
    sigmoid: () => own.map((head) => map(head, (score) => 1 / (1 + Math.exp(-score)))),
    twice: () => right.map(softmax),
    right: () => right,
  };
  const got = lines[line]();
  const ends = (values) => {
    const numbers = { low: Math.min(...values), high: Math.max(...values) };
    return { numbers, holds: null };
  };
  const ofKeys = got.flatMap((head) => transpose(head).map(sum));
  const ofHeads = got[0].flatMap((row, r) => row.map((_, c) => sum(got.map((head) => head[r][c]))));
  return { right, got, facts: { keys: ends(ofKeys), heads: ends(ofHeads) } };
});
