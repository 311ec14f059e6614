/* The cases of a file, one after the other: `test("what must hold", act)`. Each result is {name, error}. */

const cases = [];
let patience = 15_000; // ms

export function test(name, act) {
  cases.push({ name, act });
}

/** Throws where two plain values differ. */
export function same(found, wanted) {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`found  ${one}\n  wanted ${other}`);
}

export function holds(fact, words = "this does not hold") {
  if (!fact) throw new Error(words);
}

/** Returns once something is true; `words` say what is so instead, or are made then. */
export async function until(fact, words = "this never came true") {
  const end = performance.now() + patience;
  while (!(await fact())) {
    if (performance.now() > end) throw new Error(`${typeof words === "function" ? words() : words}: ${fact}`);
    await pause(5);
  }
}

export const pause = (ms) =>
  new Promise((then) => {
    setTimeout(then, ms);
  });

const { setTimeout: realTimeout } = globalThis; // cases that measure time put their own in its place

/** Until its case is over, what waits does so for a tenth of its time: seconds show no more. */
export function hurry() {
  globalThis.setTimeout = (act, ms, ...more) => realTimeout(act, ms / 10, ...more);
}

export async function run(file) {
  await import(file);
  return results();
}

/** The name of the first case that fails, soon: what comes after it is not run. */
export async function firstFault(file) {
  patience = 5000;
  await import(file);
  return (await results({ untilFault: true })).find(({ error }) => error)?.name ?? "";
}

/** Throws once nobody waits for a case any more. */
function neverEnds() {
  return new Promise((_, fail) => {
    realTimeout(() => fail(new Error("it never ended")), 4 * patience);
  });
}

async function results({ untilFault = false } = {}) {
  const found = [];
  for (const { name, act } of cases) {
    let error = "";
    try {
      await Promise.race([act(), neverEnds()]);
    } catch (thrown) {
      error = `${thrown?.message ?? thrown}\n${thrown?.stack ?? ""}`;
    }
    globalThis.setTimeout = realTimeout;
    found.push({ name, error });
    if (error && untilFault) break;
  }
  return found;
}
