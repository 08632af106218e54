"use strict";

exhibit("fused", ({ width }, { line, heads }) => {
  const { range, table, none } = exhibitNumbers;
  const all = heads * width;
  const right = range(3).map((kind) => table(heads, width, (head, feature) => kind * 100 + head * 10 + feature));
  const perHead = range(heads).flatMap((head) => right.flatMap((block) => block[head]));
  const row = line === "heads-as-blocks" ? perHead : right.flat(2);
  const read = (place) => range(3).map((kind) => table(heads, width, (head, feature) => row[place(kind, head, feature)]));
  const lines = {
    "blocks-as-heads": () => read((kind, head, feature) => head * 3 * width + kind * width + feature),
    "heads-as-blocks": () => read((kind, head, feature) => kind * all + head * width + feature),
    thirds: () => read((kind, head, feature) => (head * width + feature) * 3 + kind),
    "keys-first": () => [1, 0, 2].map((kind) => right[kind]),
    "values-second": () => [0, 2, 1].map((kind) => right[kind]),
    right: () => right,
  };
  const got = lines[line]();
  const kind = (value) => Math.floor(value / 100);
  const head = (value) => Math.floor(value / 10) % 10;
  const kept = new Set(got.flat(2));
  return {
    right,
    got,
    given: [table(3, all, (line, place) => row[line * all + place])],
    hue: kind,
    facts: {
      kinds: none(got.flatMap((block, at) => block.flat().filter((value) => kind(value) !== at)).length),
      heads: none(got.flatMap((block) => block.flatMap((values, at) => values.filter((value) => head(value) !== at))).length),
      lost: none(right.flat(2).filter((value) => !kept.has(value)).length),
    },
  };
});
