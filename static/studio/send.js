/* The page of an upload link: sends several files one after the other, with their progress. Without this script the
   form sends one file at a time. */

import { plural, t } from "./words.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-send]")); // none where no file is left
const list = /** @type {HTMLElement} */ (document.querySelector("[data-files]"));
const POLL = 2000; // ms

/** @type {Set<HTMLElement>} rows of files that are sent from here, or did not arrive */
const own = new Set();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @typedef {{name: string, state: string, words: string, error: string}} Sent */

/** @param {string} name */
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
  own.add(item);
  return { item, words, bar };
}

/** @param {File} file
    @param {{item: HTMLElement, words: HTMLElement, bar: HTMLProgressElement}} row
    @returns {Promise<void>} */
function put(file, { item, words, bar }) {
  return new Promise((then) => {
    const request = new XMLHttpRequest();
    /** @param {string} problem */
    const end = (problem) => {
      bar.remove();
      words.textContent = problem || t("Checking …");
      words.className = problem ? "fault" : "";
      if (!problem) own.delete(item);
      then();
    };
    request.open("PUT", `${list.dataset.files}/${encodeURIComponent(file.name || "file")}`);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => {
      bar.value = (100 * loaded) / total;
      words.textContent = `${Math.floor(bar.value)} %`;
    };
    request.onerror = () => end(t("The connection broke. Please choose the file again."));
    request.onload = () =>
      end(request.status === 201 ? "" : request.response?.error || t("This did not work. Please try again."));
    request.send(file);
  });
}

/** What the service made of the files; asks again while it looks at one, and where it did not answer. */
async function follow() {
  let isOver = false;
  try {
    const answer = await fetch(`${list.dataset.files}?state`);
    isOver = answer.ok ? show(await answer.json()) : answer.status < 500 && answer.status !== 429;
  } catch {
    // No answer.
  }
  clearTimeout(timer);
  if (!isOver) timer = setTimeout(follow, POLL);
}

/** @param {{files: Sent[], left: number}} sent
    @returns {boolean} whether the service has looked at all */
function show({ files, left }) {
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
    ...own,
  );
  if (form) {
    const told = /** @type {HTMLElement} */ (form.querySelector("[data-left]"));
    told.textContent = plural("1 more file.", "{n} more files.", left);
    form.hidden = !left;
  }
  return files.every(({ state }) => state !== "checking");
}

if (form) {
  const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("file"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  input.multiple = true;
  const send = async () => {
    const files = [...(input.files ?? [])];
    if (!files.length) return;
    button.disabled = true;
    for (const item of own) item.remove(); // what did not arrive before
    own.clear();
    const rows = files.map((file) => row(file.name));
    for (const [place, file] of files.entries()) await put(file, rows[place]);
    form.reset();
    button.disabled = false;
    await follow();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
}
if (list.querySelector("[data-state=checking]")) follow();
