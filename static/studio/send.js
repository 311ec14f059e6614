/* The page of an upload link: sends several files one after the other, with their progress. Without this script the
   form sends one file at a time. */

const form = document.querySelector("[data-send]");
const list = document.querySelector("[data-files]");
const POLL = 2000; // ms

function row(name) {
  const item = document.createElement("li");
  const title = document.createElement("b");
  title.textContent = name;
  const words = document.createElement("span");
  const bar = document.createElement("progress");
  bar.max = 100;
  bar.value = 0;
  item.append(title, bar, words);
  list.append(item);
  return { item, words, bar };
}

function put(file, { words, bar }) {
  return new Promise((then) => {
    const request = new XMLHttpRequest();
    const end = (problem) => {
      bar.remove();
      words.textContent = problem || "Checking …";
      words.className = problem ? "fault" : "";
      then(!problem);
    };
    request.open("PUT", `${form.dataset.send}/${encodeURIComponent(file.name || "file")}`);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => {
      bar.value = (100 * loaded) / total;
      words.textContent = `${Math.floor(bar.value)} %`;
    };
    request.onerror = () => end("The connection broke. Please choose the file again.");
    request.onload = () =>
      end(request.status === 201 ? "" : request.response?.error || "This did not work. Please try again.");
    request.send(file);
  });
}

/** What the service made of the files; asks again while it looks at one. */
async function follow() {
  const answer = await fetch(`${form.dataset.send}?state`);
  if (!answer.ok) return;
  const { files, left } = await answer.json();
  list.replaceChildren(
    ...files.map(({ name, state, words, error }) => {
      const item = document.createElement("li");
      item.dataset.state = state;
      const title = document.createElement("b");
      title.textContent = name;
      const told = document.createElement("span");
      told.textContent = words;
      const why = document.createElement("span");
      why.textContent = error;
      why.className = state === "refused" ? "fault" : "soft";
      item.append(title, told, why);
      return item;
    }),
  );
  form.querySelector("[data-left]").textContent = left === 1 ? "1 more file." : `${left} more files.`;
  form.hidden = !left;
  if (files.some(({ state }) => state === "checking")) setTimeout(() => follow().catch(() => {}), POLL);
}

if (form) {
  const input = form.elements.file;
  input.multiple = true;
  const send = async () => {
    const files = [...input.files];
    if (!files.length) return;
    form.querySelector("button").disabled = true;
    const rows = files.map((file) => row(file.name));
    let taken = 0;
    for (const [place, file] of files.entries()) if (await put(file, rows[place])) taken += 1;
    form.reset();
    form.querySelector("button").disabled = false;
    if (taken === files.length) await follow().catch(() => {});
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
}
