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
    const told = await fetch(url, { headers: { Accept: "application/json" } })
      .then((response) => response.ok && response.json())
      .catch(() => {});
    if (mine !== asked) return;
    answer.textContent = told?.message ?? ""; // what was said of another name is not true of this one
    answer.classList.toggle("fault", told?.available === false);
  }
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE);
  });
}
