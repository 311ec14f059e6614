/* What two texts have in common, word by word. */

/** Positions in `one` of a longest run of words that both have in the same order.
    @param {string[]} one
    @param {string[]} two
    @returns {Set<number>} */
export function common(one, two) {
  const rows = Array.from({ length: one.length + 1 }, () => new Uint16Array(two.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = two.length - 1; j >= 0; j -= 1) {
      rows[i][j] = one[i] === two[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
    }
  }
  const kept = new Set();
  for (let i = 0, j = 0; i < one.length && j < two.length; ) {
    if (one[i] === two[j]) {
      kept.add(i);
      i += 1;
      j += 1;
    } else if (rows[i + 1][j] >= rows[i][j + 1]) i += 1;
    else j += 1;
  }
  return kept;
}
