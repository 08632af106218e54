"use strict";

exhibit("empty-rows", ({ scores }, { line, padding }) => {
  const { map, sum, largest, softmax, hide, past, measure } = exhibitNumbers;
  const seen = (row, column) => past(row, column) && column >= padding;
  const hidden = (row, column) => !seen(row, column);
  const plain = softmax(scores);
  const kept = map(plain, (weight, row, column) => (seen(row, column) ? weight : 0));
  const divided = kept.map((row) => row.map((weight) => weight / sum(row))); // 0 / 0 is NaN
  const lines = {
    infinity: softmax(hide(scores, seen)),
    large: softmax(hide(scores, seen, -1e9)),
    divided,
    kept: divided.map((row, at) => (at < padding ? plain[at] : row)),
    times: softmax(map(scores, (score, row, column) => score + hidden(row, column) * -Infinity)),
    half: null, // raises an error
    right: map(softmax(hide(scores, seen)), (weight) => (Number.isNaN(weight) ? 0 : weight)),
  };
  const got = lines[line];
  const empty = (got ?? []).slice(0, padding).flat();
  const nothing = measure(largest(empty), empty.every((weight) => weight === 0));
  return { right: [lines.right], got: got && [got], hidden, facts: { nothing } };
});
