/* The caret of a field that others change while somebody types in it: it stays between the same letters. */

/** Gives a field another text.
    @param {HTMLInputElement | HTMLTextAreaElement} field
    @param {string} value */
export function replace(field, value) {
  const { value: before, selectionStart, selectionEnd } = field;
  field.value = value;
  let alike = 0;
  while (alike < before.length && before[alike] === value[alike]) alike += 1;
  /** @param {number | null} at */
  const place = (at) => ((at ?? 0) <= alike ? at : Math.max(alike, (at ?? 0) + value.length - before.length));
  field.setSelectionRange(place(selectionStart), place(selectionEnd));
}
