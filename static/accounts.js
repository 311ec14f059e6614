// Tells while typing whether a workspace name is available.
for (const form of document.querySelectorAll("[data-name-check]")) {
  const field = form.elements.name;
  const answer = form.querySelector("[data-name-answer]");
  let asked = 0;
  field.addEventListener("input", async () => {
    const mine = ++asked;
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (mine !== asked) return;
    const url = `${form.dataset.nameCheck}?name=${encodeURIComponent(field.value)}`;
    const response = await fetch(url, { headers: { Accept: "application/json" } });
    if (mine !== asked || !response.ok) return;
    const told = await response.json();
    answer.textContent = told.message;
    answer.classList.toggle("fault", !told.available);
  });
}
