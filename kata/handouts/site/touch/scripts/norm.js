"use strict";

exhibit("norm", ({ x }, { line, scale, eps }) => {
  const { map, transpose, mean, largest, withoutNoise, variance, measure } = exhibitNumbers;
  const rows = map(x, (value) => value * scale);
  const away = (rows) => rows.map((row) => row.map((value) => value - mean(row)));
  const divided = (rows, by) =>
    away(rows).map((row, at) => row.map((value) => value / by(rows[at])));
  const all = rows.flat();
  const lines = {
    unbiased: () => divided(rows, (row) => Math.sqrt(variance(row, 1) + eps)),
    outside: () => divided(rows, (row) => Math.sqrt(variance(row)) + eps),
    tutorial: () => divided(rows, (row) => Math.sqrt(variance(row, 1)) + eps),
    none: () => divided(rows, (row) => Math.sqrt(variance(row))),
    variance: () => divided(rows, (row) => variance(row) + eps),
    tokens: () =>
      transpose(divided(transpose(rows), (column) => Math.sqrt(variance(column) + eps))),
    everything: () => map(rows, (value) => (value - mean(all)) / Math.sqrt(variance(all) + eps)),
    right: () => divided(rows, (row) => Math.sqrt(variance(row) + eps)),
  };
  const [right, got] = [lines.right(), lines[line]()];
  const middle = withoutNoise(largest(got.map(mean)));
  const apart = withoutNoise(largest(map(got, (value, r, c) => value - right[r][c]).flat()));
  const spreads = got.map((row) => variance(row)).filter(Number.isFinite);
  return {
    right: [right],
    got: [got],
    facts: {
      mean: measure(middle, middle === 0),
      variance: { numbers: { low: Math.min(...spreads), high: Math.max(...spreads) }, holds: null },
      apart: measure(apart, apart <= 0.01),
    },
  };
});
