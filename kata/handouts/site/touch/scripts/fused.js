"use strict";

exhibit("fused", ({ width }, { line, heads }) => {
  const { range, table, sum, none } = exhibitNumbers;
  const all = heads * width;
  const number = (kind, head, feature) => kind * 100 + head * 10 + feature;
  const three = (value) =>
    range(3).map((kind) => table(heads, width, (head, feature) => value(kind, head, feature)));
  const right = three(number);
  const perHead = range(heads).flatMap((head) => right.flatMap((block) => block[head]));
  const row = line === "heads-as-blocks" ? perHead : right.flat(2);
  const read = (place) => three((kind, head, feature) => row[place(kind, head, feature)]);
  const lines = {
    "blocks-as-heads": () => read((kind, head, feature) => (head * 3 + kind) * width + feature),
    "heads-as-blocks": () => read((kind, head, feature) => kind * all + head * width + feature),
    thirds: () => read((kind, head, feature) => (head * width + feature) * 3 + kind),
    "keys-first": () => [1, 0, 2].map((kind) => right[kind]),
    "values-second": () => [0, 2, 1].map((kind) => right[kind]),
    right: () => right,
  };
  const got = lines[line]();
  const kind = (value) => Math.floor(value / 100);
  const head = (value) => Math.floor(value / 10) % 10;
  const strangers = (values, own) => values.filter((value) => head(value) !== own).length;
  const kept = new Set(got.flat(2));
  return {
    right,
    got,
    given: [table(3, all, (line, place) => row[line * all + place])],
    hue: kind,
    facts: {
      kinds: none(got.flatMap((block, at) => block.flat().filter((n) => kind(n) !== at)).length),
      heads: none(sum(got.flatMap((block) => block.map(strangers)))),
      lost: none(right.flat(2).filter((value) => !kept.has(value)).length),
    },
  };
});
