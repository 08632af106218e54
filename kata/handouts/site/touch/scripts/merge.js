"use strict";

exhibit("merge", ({ width }, { line, heads, tokens }) => {
  const { range, table, none } = exhibitNumbers;
  const number = (head, token, feature) => head * 100 + token * 10 + feature;
  const rows = (value) => table(tokens, heads * width, value);
  const unfold = (place, ...sizes) => { // the places along three axes of one in memory
    const last = place % sizes[2];
    const rest = Math.floor(place / sizes[2]);
    return [Math.floor(rest / sizes[1]), rest % sizes[1], last];
  };
  const lines = {
    untransposed: () => rows((row, column) =>
      number(...unfold(row * heads * width + column, heads, tokens, width))),
    "wrong-pair": () => rows((row, column) => {
      const [head, feature, token] = unfold(row * heads * width + column, heads, width, tokens);
      return number(head, token, feature);
    }),
    interleaved: () => rows((row, column) =>
      number(column % heads, row, Math.floor(column / heads))),
    reversed: () => rows((row, column) =>
      number(heads - 1 - Math.floor(column / width), row, column % width)),
    stacked: () => table(heads * tokens, width, (row, column) =>
      number(Math.floor(row / tokens), row % tokens, column)),
    right: () => rows((row, column) => number(Math.floor(column / width), row, column % width)),
  };
  const [right, got] = [lines.right(), lines[line]()];
  const token = (value) => Math.floor(value / 10) % 10;
  const shape = [got, right].map((each) => `(${each.length}, ${each[0].length})`);
  const kept = new Set(got.flat());
  return {
    right: [right],
    got: [got],
    given: range(heads).map((head) => table(tokens, width, (row, at) => number(head, row, at))),
    hue: (value) => Math.floor(value / 100),
    facts: {
      shape: { numbers: { shape: shape[0] }, holds: shape[0] === shape[1] },
      tokens: none(got.filter((row) => row.some((value) => token(value) !== token(row[0]))).length),
      later: none(got.flatMap((row, at) => row.filter((value) => token(value) > at)).length),
      lost: none(right.flat().filter((value) => !kept.has(value)).length),
    },
  };
});
