/* Trying again what is busy, or away for a while. */

import { ApiError } from "./api.js";

const TRIES = 12; // while the service is away: about two minutes
const LONGEST = 15; // seconds between two tries

/** @param {number} seconds */
export const rest = (seconds) =>
  new Promise((then) => {
    setTimeout(then, seconds * 1000);
  });

/** Waits where something is busy as long as the service says, and through a lost connection; then goes on. `waiting` is
    told before each wait whether the service is away, and at the end that it is not.
    @template T
    @param {() => Promise<T>} act
    @param {(away: boolean) => void} waiting
    @returns {Promise<T>} */
export async function patiently(act, waiting) {
  for (let failures = 0; ; failures += 1) {
    try {
      const answer = await act();
      waiting(false);
      return answer;
    } catch (error) {
      const busy = (error.status === 423 || error.status === 429) && error.retryAfter;
      const away = error instanceof ApiError && (error.status === 0 || error.status >= 500) && failures < TRIES;
      waiting(away);
      if (!busy && !away) throw error;
      await rest(error.retryAfter ?? Math.min(LONGEST, 2 ** failures));
    }
  }
}
