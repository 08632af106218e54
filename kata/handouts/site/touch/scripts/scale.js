"use strict";

exhibit("scale", ({ query, key }, { line, width }) => {
  const { range, dot, mean, variance, softmax, measure } = exhibitNumbers;
  /** The first entries of a vector whose signs are the bits of hexadecimal digits. */
  const signs = (digits, width) =>
    range(width).map((at) => (parseInt(digits[at >> 2], 16) & (8 >> (at & 3)) ? 1 : -1));
  const [queries, keys] = [query, key].map((rows) => rows.map((row) => signs(row, width)));
  const root = Math.sqrt(width);
  const factor = { none: 1, width: 1 / width, multiplied: root, half: 2 / width, right: 1 / root };
  const scaled = (by) => queries.map((one) => keys.map((other) => dot(one, other) * factor[by]));
  const [scores, got] = [scaled(line), softmax(scaled(line))];
  const spread = Math.sqrt(variance(scores.flat()));
  return {
    right: [softmax(scaled("right"))],
    got: [got],
    facts: {
      spread: measure(spread, spread >= 0.5 && spread <= 2),
      winner: measure(mean(got.map((row) => Math.max(...row)))),
      slope: measure(Math.max(...got.flat().map((weight) => weight * (1 - weight)))),
    },
  };
});
