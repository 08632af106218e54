// Numbers of a map: how they are compared, and how they are written.
"use strict";

const exhibits = {}; // by name: its states and its maps
const exhibitNumbers = (() => {
  const CLOSE = 1e-9; // two sums of the same numbers in another order
  const ALIKE = 1e-6; // two numbers that nobody has to tell apart

  const range = (size) => Array.from({ length: size }, (_, at) => at);
  /** The largest magnitude; NaN if one of the numbers is. */
  const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const wrongAt = (right, got, block, row, column) =>
    !(Math.abs(got?.[block]?.[row]?.[column] - right?.[block]?.[row]?.[column]) <= ALIKE);

  // Numbers as texts

  const signed = (text) => text.replaceAll("-", "−");
  const fill = (text, values) => text.replace(/\{([\w-]+)\}/g, (_, name) => values[name]);

  /** A number in few digits, as `short` in states.py writes it. */
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

  return { range, largest, wrongAt, fill, short, written };
})();
