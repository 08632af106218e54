"use strict";

exhibit("dropout", ({ scores, drawn }, { line, p, mode }) => {
  const { range, map, sum, largest, withoutNoise, softmaxOf, softmax, measure } = exhibitNumbers;
  const training = mode === "training";
  const weights = softmax(scores);
  const drops = (line, training) => ({ always: true, inverted: !training })[line] ?? training;
  const keeps = (line, draw) => draw >= (line === "share" ? 1 - p : p);

  /** A row where dropout is at work. */
  const dropped = (line, row, kept) => {
    const scale = (values, by) => values.map((value, at) => (kept[at] ? value / by : 0));
    if (line === "scores") return softmaxOf(scale(scores[row], 1 - p));
    if (line === "share") return scale(weights[row], p || 1);
    if (line === "unscaled") return scale(weights[row], 1);
    const left = scale(weights[row], 1 - p);
    return line === "normalised" ? left.map((value) => value / Math.max(sum(left), 1e-9)) : left;
  };
  const answer = (line, training, kept) =>
    weights.map((row, at) => (drops(line, training) ? dropped(line, at, kept[at]) : row));

  /** The mean over all patterns of a row, each with its probability: exact, nothing is drawn. */
  const average = () => {
    const keep = line === "share" ? p : 1 - p;
    const total = map(weights, () => 0);
    for (const pattern of range(32)) {
      const kept = range(5).map((at) => Boolean(pattern & (1 << at)));
      const count = kept.filter(Boolean).length;
      const share = keep ** count * (1 - keep) ** (5 - count);
      const rows = answer(line, training, weights.map(() => kept));
      rows.forEach((row, r) => row.forEach((value, c) => (total[r][c] += share * value)));
    }
    return total;
  };

  const kept = map(drawn, (draw) => keeps(line, draw));
  const got = answer(line, training, kept);
  const none = !(training && drops(line, true));
  const gone = none ? [] : got.flatMap((row, r) => row.filter((_, c) => !kept[r][c]));
  const moved = (values) => {
    const apart = withoutNoise(largest(map(values, (value, r, c) => value - weights[r][c]).flat()));
    return measure(apart, apart === 0);
  };
  return {
    right: [answer("right", training, map(drawn, (draw) => keeps("right", draw)))],
    got: [got],
    facts: {
      gone: measure(largest(gone), largest(gone) === 0),
      average: moved(average()),
      evaluation: moved(answer(line, false, kept)),
    },
  };
});
