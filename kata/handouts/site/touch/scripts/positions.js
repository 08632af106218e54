"use strict";

exhibit("positions", ({ query, key, twice }, { line, offset }) => {
  const { range, map, dot, largest, withoutNoise, softmax, measure } = exhibitNumbers;
  const pairs = query[0].length / 2;

  /** Every pair of features turned by the angle of its place, or what a line does instead. */
  const turned = (x, place, line) => range(pairs).flatMap((pair) => {
    const angle = place * 10000 ** (-pair / pairs);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [a, b] = line === "halves" ? [x[pair], x[pair + pairs]] : [x[2 * pair], x[2 * pair + 1]];
    return line === "added" ? [a + cos, b + sin] : [a * cos - b * sin, a * sin + b * cos];
  });
  const attended = (line, offset) => {
    const place = (at) => (line === "alike" ? offset : (at + offset) * (line === "back" ? -1 : 1));
    const queries = query.map((x, at) => turned(x, line === "forgotten" ? at : place(at), line));
    const keys = line === "queries" ? key : key.map((x, at) => turned(x, place(at), line));
    const root = Math.sqrt(2 * pairs);
    return softmax(queries.map((one) => keys.map((other) => dot(one, other) / root)));
  };
  const [right, got] = [attended("right", offset), attended(line, offset)];
  const before = attended(line, 0);
  const moved = withoutNoise(largest(map(got, (weight, r, c) => weight - before[r][c]).flat()));
  const [one, other] = twice.map((at) => got[at]);
  const apart = withoutNoise(largest(one.map((weight, at) => weight - other[at])));
  const facts = { moved: measure(moved, moved === 0), order: measure(apart, apart > 0) };
  return { right: [right], got: [got], facts };
});
