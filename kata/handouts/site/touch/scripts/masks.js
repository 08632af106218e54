"use strict";

exhibit("masks", ({ scores }, { line, tokens }) => {
  const { table, map, softmax, hide, past } = exhibitNumbers;
  const own = table(tokens, tokens, (row, column) => scores[row][column]);
  const plain = softmax(own);
  const lines = {
    dropped: plain,
    "dropped-and-inverted": plain,
    inverted: softmax(hide(own, (row, column) => !past(row, column))),
    transposed: softmax(hide(own, (row, column) => past(column, row))),
    zeroed: map(plain, (weight, row, column) => (past(row, column) ? weight : 0)),
    ahead: softmax(hide(own, (row, column) => column <= row + 1)),
    right: softmax(hide(own, past)),
  };
  return { right: [lines.right], got: [lines[line]], hidden: (row, column) => !past(row, column) };
});
