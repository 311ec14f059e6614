/* A page whose form is saved as a whole: asks before somebody leaves with words that were not sent. The editor, which
   keeps words in the browser, asks by a rule of its own (main.js). */

// What was refused stands in the form again, and is not saved either.
let unsent = /** @type {HTMLInputElement | null} */ (document.querySelector("[aria-invalid]"))?.form;

addEventListener("input", ({ target }) => {
  unsent = /** @type {HTMLInputElement} */ (target).form;
});
addEventListener("submit", ({ target }) => {
  if (target === unsent) unsent = null; // other forms of the page send other things
});
addEventListener("beforeunload", (event) => {
  if (unsent) event.preventDefault();
});
