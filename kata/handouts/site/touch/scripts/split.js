"use strict";

exhibit("split", ({ tokens, features }, { line, heads }) => {
  const { range, table, none } = exhibitNumbers;
  const width = features / heads;
  const number = (token, feature) => token * 10 + feature;
  const blocks = (count, wide, value) =>
    range(count).map((head) => table(tokens, wide, (row, column) => value(head, row, column)));
  const flat = (place) => number(Math.floor(place / features), place % features);
  const lines = {
    view: () => blocks(heads, width, (head, row, column) =>
      flat((head * tokens + row) * width + column)),
    interleaved: () => blocks(heads, width, (head, row, column) =>
      number(row, column * heads + head)),
    early: () => blocks(heads, width, (head, row, column) => {
      const place = (head * tokens + row) * width + column; // in memory, feature by feature
      return number(place % tokens, Math.floor(place / tokens));
    }),
    exchanged: () => blocks(width, heads, (head, row, column) =>
      number(row, head * heads + column)),
    overlapping: () => blocks(heads, width, (head, row, column) => number(row, head + column)),
    right: () => blocks(heads, width, (head, row, column) => number(row, head * width + column)),
  };
  const [right, got] = [lines.right(), lines[line]()];
  const home = (value) => Math.floor((value % 10) / width);
  const shape = [got, right].map((each) => `(${each.length}, ${tokens}, ${each[0][0].length})`);
  const token = (value) => Math.floor(value / 10);
  const mixed = got.flat().filter((row) => row.some((value) => token(value) !== token(row[0])));
  const strangers = (block, head) => block.flat().filter((value) => home(value) !== head);
  const foreign = got.flatMap(strangers);
  const kept = new Set(got.flat(2));
  return {
    right,
    got,
    given: [table(tokens, features, number)],
    hue: home,
    facts: {
      shape: { numbers: { shape: shape[0] }, holds: shape[0] === shape[1] },
      tokens: none(mixed.length),
      features: none(foreign.length),
      lost: none(right.flat(2).filter((value) => !kept.has(value)).length),
    },
  };
});
