"use strict";

exhibit("fills", ({ scores }, { line, size }) => {
  const { map, softmax, hide, past } = exhibitNumbers;
  const own = map(scores, (score) => score * size);
  const lines = {
    boolean: map(own, (score, row, column) => score + Number(past(row, column))),
    zero: hide(own, past, 0),
    tiny: hide(own, past, 1e-9),
    ten: hide(own, past, -10),
    thousand: hide(own, past, -1000),
    sign: map(own, (score, row, column) => score + (past(row, column) ? 0 : 1e9)),
    right: hide(own, past),
  };
  const hidden = (row, column) => !past(row, column);
  return { right: [softmax(lines.right)], got: [softmax(lines[line])], hidden };
});
