/* The states of saving, as the bar shows them. Those of one change are in change-states.js.

     saved ◀──────────────────────────── nothing waits ◀──┐
       │ a change                                          │
       ▼                                                   │
     waiting ──QUIET, or at once──▶ saving ──each answer──▶┤
       ▲                               │                   └▶ held      nothing waits, but fields that are held
       └───────── a change ────────────┤                                (change-states.js)
                                       ├─ no answer ─▶ offline ──┐
                                       ├─ 5xx, 429 ──▶ trouble ──┴▶ again after BACKOFF, or as the service says
                                       ├─ 401 ───────▶ signed-out ▶ again after SIGN_IN: another tab may sign in
                                       ├─ 403 ───────▶ read-only    until the next change
                                       └─ 404 ───────▶ gone         the capsule is in the trash

   "saving" is shown only after SLOW, because a word that flickers says nothing. */

/** @typedef {"saved" | "waiting" | "saving" | "held"} Fine */
/** @typedef {Fine | "offline" | "signed-out" | "trouble" | "read-only" | "gone"} State */

const SIGN_IN = 5; // seconds
const BACKOFF = [1, 2, 4, 8, 15, 30]; // seconds after the 1st, 2nd … failure

/** What is shown after a failure, and after how many ms saving is tried again; undefined where it is not.
    @param {import("./api.js").ApiError} error
    @param {number} failures how many there were before, in a row
    @returns {{state: State, wait?: number}} */
export function afterFailure({ status, retryAfter }, failures) {
  if (status === 401) return { state: "signed-out", wait: SIGN_IN * 1000 };
  if (status === 403) return { state: "read-only" };
  if (status === 404) return { state: "gone" };
  const seconds = retryAfter ?? BACKOFF[Math.min(failures, BACKOFF.length - 1)];
  return { state: status ? "trouble" : "offline", wait: seconds * 1000 };
}
