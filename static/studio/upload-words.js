/* How large a file is, and how long its way still takes, in words. */

import { plural, t } from "./words.js";

const ENOUGH = 3000; // ms after which a pace says something

/** @param {number} bytes */
export function sizeWords(bytes) {
  if (bytes < 1e6) return t("{n} kB", { n: Math.max(1, Math.round(bytes / 1e3)) });
  return bytes < 1e9 ? t("{n} MB", { n: Math.round(bytes / 1e6) }) : t("{n} GB", { n: (bytes / 1e9).toFixed(1) });
}

/** How long it takes at the pace since `began`, when it was at `from`; empty while nobody can say.
    @param {{size: number, sent: number, from: number, began: number}} way bytes, and ms
    @param {number} now ms */
export function timeLeft({ size, sent, from, began }, now) {
  const took = now - began;
  if (took < ENOUGH || sent <= from) return "";
  const minutes = Math.ceil(((size - sent) * took) / (sent - from) / 60_000);
  return minutes > 1 ? plural("about 1 minute left", "about {n} minutes left", minutes) : t("less than a minute left");
}

/** @param {number} count of files that the service does not have yet */
export const onTheirWayIn = (count) =>
  plural("One file is still on its way in…", "{n} files are still on their way in…", count);
