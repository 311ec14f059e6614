/* Tells while somebody types whether a workspace name is available. */
const PAUSE = 250; // milliseconds without a key

for (const form of document.querySelectorAll("[data-name-check]")) {
  const field = form.elements.name;
  const answer = form.querySelector("[data-name-answer]");
  let waiting = 0;
  let asked = 0;

  async function ask() {
    const mine = ++asked;
    const url = `${form.dataset.nameCheck}?name=${encodeURIComponent(field.value)}`;
    const response = await fetch(url, { headers: { Accept: "application/json" } });
    if (mine !== asked || !response.ok) return;
    const { message, available } = await response.json();
    answer.textContent = message;
    answer.classList.toggle("fault", !available);
  }
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE);
  });
}
