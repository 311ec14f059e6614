/* Asks before somebody signs out of a browser that keeps unsaved work of theirs, and deletes that work. Without this
   script the answer to signing out has the browser delete it, unasked. */

import { countUnsaved, forgetUnsaved } from "./studio/journal.js";

const things = (count) => (count === 1 ? "1 change or file is" : `${count} changes or files are`);

for (const form of document.querySelectorAll("form[data-sign-out]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const person = form.dataset.signOut;
    const count = await countUnsaved(person).catch(() => 0); // a browser that keeps nothing has nothing to lose
    const words = `${things(count)} not saved yet, and kept in this browser only. Signing out deletes them. Sign out?`;
    if (count && !confirm(words)) return;
    await forgetUnsaved(person).catch(() => {}); // the answer deletes it too
    form.submit();
  });
}
