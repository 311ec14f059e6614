/* Solves a challenge (altcha: which number, behind the salt, has this hash?) and puts the answer into its form. */
const input = document.querySelector("input[data-challenge]");
const told = document.querySelector("[data-proof]");
const BATCH = 500; // sums between two turns of the page
const bytes = new TextEncoder();
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
/** Its first four bytes, which tell nearly all sums apart. */
const beginning = (sum) => new DataView(sum).getUint32(0);
const say = (words) => {
  told.textContent = words;
  told.hidden = false;
};

async function solve({ algorithm, challenge, salt, signature, maxNumber }) {
  const wanted = Number.parseInt(challenge.slice(0, 8), 16);
  for (let start = 0; start <= maxNumber; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, maxNumber - start + 1) }, (_, i) => start + i);
    const sums = await Promise.all(numbers.map((n) => crypto.subtle.digest(algorithm, bytes.encode(salt + n))));
    const found = sums.findIndex((sum) => beginning(sum) === wanted && hex(sum) === challenge);
    if (found >= 0) return btoa(JSON.stringify({ algorithm, challenge, number: start + found, salt, signature }));
  }
  return "";
}

if (crypto.subtle) {
  say(told.dataset.doing);
  input.value = await solve(JSON.parse(input.dataset.challenge));
  if (input.value) say(told.dataset.done);
}
