/* The states of one change, from the key to the service. A change is in one of them, and goes on only by these arrows.

                          answer: taken ──────▶ (the service has it: it leaves the draft and the journal)
                               │
     key ──▶ waiting ──────▶ sending ◀──────────┐
               ▲               │                │ sent again
               │               ├─ no answer ──▶ unanswered   perhaps the service has it, so it is not written to any
               │               │                │            more; what is typed next stands on it
               │               ├─ 412 ────────▶ fitted to what the service has (merging.js):
               │               │                  the same there ──▶ leaves
               │               │                  another field changed there ──▶ unanswered, and sent again
               │               │                  the same field ──▶ a card with both, and a "history"
               │               └─ 400, 409, 413 ▶ held       never sent; on the page and in the journal (refusals.js)
               └────────────────────────────────┘ the field gets another value

   Only edits can be held; anything else that is refused for good leaves, and what it carried is given back. */

/** @typedef {"waiting" | "sending" | "unanswered" | "held"} State */

/** @type {Record<State, State[]>} */
const NEXT = {
  waiting: ["sending"],
  sending: ["unanswered"],
  unanswered: ["sending"],
  held: [],
};

/** A change of an earlier tab: perhaps it was sent.
    @param {import("./fold.js").Change} change
    @returns {import("./fold.js").Change} */
export const leftBehind = (change) => ({ ...change, state: change.type === "held" ? "held" : "unanswered" });

/** @param {import("./fold.js").Change} change
    @param {State} state */
export function enter(change, state) {
  if (change.state && change.state !== state && !NEXT[change.state].includes(state)) {
    throw new Error(`A change that is ${change.state} cannot be ${state}.`);
  }
  change.state = state;
}
