"use strict";

exhibit("leak", ({ scores }, { line, layers }) => {
  const { map, product, sum, softmax, hide, past } = exhibitNumbers;
  const everything = () => true;
  const hidden = (row, column) => !past(row, column);
  const ahead = (row, column) => column <= row + 1;
  const seen = (at) => ({
    first: at === 0 ? past : everything,
    last: at === layers - 1 ? past : everything,
    alternating: at % 2 ? hidden : past,
    none: everything,
    ahead,
    right: past,
  });
  // Half of what a layer gives is its input, half is what its queries read.
  const through = (line) => scores.slice(0, layers).reduce((reach, own, at) => {
    const weights = softmax(hide(own, seen(at)[line]));
    const read = product(map(weights, (weight) => weight || 0), reach); // an empty row is NaN
    return map(reach, (share, row, column) => (share + read[row][column]) / 2);
  }, map(scores[0], (_, row, column) => Number(row === column)));
  const got = through(line);
  const later = got[0].slice(1);
  const count = later.filter((share) => share > 0).length;
  const first = { numbers: { value: sum(later), count }, holds: count === 0 };
  return { right: [through("right")], got: [got], hidden, facts: { first } };
});
