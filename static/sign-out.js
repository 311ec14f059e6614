/* Asks before somebody signs out of a browser that keeps unsaved work of theirs, and deletes that work. Without this
   script the answer to signing out has the browser delete it, unasked. */

import { countUnsaved, forgetUnsaved } from "./studio/unsaved.js";
import { plural } from "./studio/words.js";

try {
  localStorage.setItem("signed-in", ""); // for pages that are the same for everybody: static/signed-in.js
} catch {
  /* A browser that keeps nothing. */
}

for (const form of document.querySelectorAll("form[data-sign-out]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const person = form.dataset.signOut;
    const count = await countUnsaved(person).catch(() => 0); // a browser that keeps nothing has nothing to lose
    const words = plural(
      "1 change or file is not saved yet, and kept in this browser only. Signing out deletes them. Sign out?",
      "{n} changes or files are not saved yet, and kept in this browser only. Signing out deletes them. Sign out?",
      count,
    );
    if (count && !confirm(words)) return;
    await forgetUnsaved(person).catch(() => {}); // the answer deletes it too
    form.submit();
  });
}
