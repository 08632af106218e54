// Numbers and maps, as the formulas of the exhibits need them, and what is measured of every map.
"use strict";

const exhibitNumbers = (() => {
  const CLOSE = 1e-9; // two sums of the same numbers in another order
  const ALIKE = 1e-6; // two numbers that nobody has to tell apart

  const range = (size) => Array.from({ length: size }, (_, at) => at);
  const table = (rows, columns, value) =>
    range(rows).map((row) => range(columns).map((column) => value(row, column)));
  const map = (matrix, change) =>
    matrix.map((row, r) => row.map((value, c) => change(value, r, c)));
  const transpose = (matrix) => matrix[0].map((_, column) => matrix.map((row) => row[column]));
  const dot = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0);
  const product = (one, other) =>
    one.map((row) => transpose(other).map((column) => dot(row, column)));
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const mean = (values) => sum(values) / values.length;
  /** The largest magnitude; NaN if one of the numbers is. */
  const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const withoutNoise = (value) => (value < CLOSE ? 0 : value);
  const variance = (values, less = 0) => {
    const middle = mean(values);
    return sum(values.map((value) => (value - middle) ** 2)) / (values.length - less);
  };
  const softmaxOf = (row) => {
    const most = Math.max(...row);
    const powers = row.map((value) => Math.exp(value - most));
    const total = sum(powers);
    return powers.map((power) => power / total);
  };
  const softmax = (matrix) => matrix.map(softmaxOf);
  const hide = (scores, seen, fill = -Infinity) =>
    map(scores, (value, row, column) => (seen(row, column) ? value : fill));
  const past = (row, column) => column <= row;
  const measure = (value, holds = null) => ({ numbers: { value }, holds });
  const none = (count) => measure(count, count === 0);

  // What is measured of every map

  const wrongAt = (right, got, block, row, column) =>
    !(Math.abs(got?.[block]?.[row]?.[column] - right?.[block]?.[row]?.[column]) <= ALIKE);

  const common = {
    same({ right, got }) {
      const cells = right.flatMap((rows, b) =>
        rows.flatMap((row, r) => row.map((_, c) => wrongAt(right, got, b, r, c))));
      const count = cells.filter(Boolean).length;
      return { numbers: { count, total: cells.length }, holds: count === 0 };
    },
    finite({ got }) {
      const cells = got.flat(2);
      const count = cells.filter((value) => !Number.isFinite(value)).length;
      return { numbers: { count, total: cells.length }, holds: count === 0 };
    },
    sums({ got }) {
      const sums = got.flatMap((rows) => rows.map(sum));
      const known = sums.filter((value) => !Number.isNaN(value));
      const low = known.length ? Math.min(...known) : NaN;
      const holds = sums.every((value) => Math.abs(value - 1) < CLOSE);
      return { numbers: { low, high: Math.max(...sums) }, holds };
    },
    hidden({ got, hidden }) {
      const ofBlock = (rows) => rows.flatMap((row, r) => row.filter((_, c) => hidden(r, c)));
      const values = got.flatMap(ofBlock);
      return measure(largest(values), values.every((value) => value === 0));
    },
  };

  // Numbers as texts

  const signed = (text) => text.replaceAll("-", "−");
  const fill = (text, values) => text.replace(/\{([\w-]+)\}/g, (_, name) => values[name]);

  /** A number in few digits, as `short` in showing.py writes it. */
  function short(value) {
    if (typeof value === "string") return value;
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value < 0 ? "−∞" : "∞";
    const size = Math.abs(value);
    const whole = Math.round(size) && Math.abs(size - Math.round(size)) < CLOSE;
    if (value === 0 || (whole && size < 1e4)) return signed(`${Math.round(value) || 0}`);
    if (size < 0.0005 || size >= 1e4) return signed(value.toExponential(0).replace("+", ""));
    return signed(value.toFixed(size < 0.005 ? 3 : 2));
  }

  /** A number of a map: with letters or leading zeros where it tells where it comes from. */
  function written(look, value) {
    const padded = (digits) => String(value).padStart(digits, "0");
    if (look.letters) return look.letters[Math.floor(value / 100)] + padded(3).slice(1);
    if (look.digits) return padded(look.digits);
    return value !== 0 && Math.abs(value) < CLOSE ? "≈0" : short(value);
  }

  return {
    range, table, map, transpose, dot, product, sum, mean, largest, withoutNoise, variance,
    softmaxOf, softmax, hide, past, measure, none, wrongAt, common, fill, short, written,
  };
})();
