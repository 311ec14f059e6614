/* The reader: the rail, and sharing. Everything can be read without it. */
import { offerPlay } from "./play.js";
import { followScenes } from "./scenes.js";

const rail = document.querySelector(".rail");
const links = [...rail.children];
let told = null; // by Play: of each scene that is arrived at
const editions = document.querySelectorAll("#editions a");
let since = 0; // when the scene in view was arrived at
const turn = followScenes(document.documentElement, (index) => {
  told?.();
  since = performance.now();
  links.forEach((link, place) => {
    if (place === index) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
  });
  const { offsetLeft, offsetTop } = links[index]; // a rail of many scenes has an inside that moves along
  rail.scrollTo(offsetLeft - rail.clientWidth / 2, offsetTop - rail.clientHeight / 2);
  for (const edition of editions) edition.hash = `scene-${index + 1}`; // it opens where the reader is
});
told = offerPlay(turn, links);

/* Where one tap has turned to the finale, the next is not meant for the link that came to lie under the finger. */
document.querySelector(".finale")?.addEventListener("click", (event) => {
  const isATap = event.detail > 0 && event.pointerType !== "mouse"; // Safari before 18.2 does not tell
  if (isATap && event.timeStamp - since < 1000) event.preventDefault();
});

const toast = document.querySelector(".toast");
let fading = 0;
function tell(words) {
  if (toast.showPopover) {
    toast.hidePopover();
    toast.showPopover(); // above the sheet that is open
  }
  toast.textContent = words;
  clearTimeout(fading);
  fading = setTimeout(() => {
    toast.textContent = "";
  }, 2500);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    tell(toast.dataset.copied);
  } catch {
    tell(toast.dataset.refused);
  }
}

for (const button of document.querySelectorAll("[data-copy], [data-copy-from]")) {
  const from = document.getElementById(button.dataset.copyFrom);
  button.hidden = false;
  button.addEventListener("click", () => copy(from ? from.value : button.dataset.copy));
}
const code = document.getElementById("embed-code");
code?.addEventListener("focus", () => code.select());

async function share() {
  const link = document.querySelector("link[rel=canonical]").href;
  try {
    await navigator.share({ title: document.querySelector("h1").textContent, url: link });
  } catch (error) {
    if (error.name !== "AbortError") tell(toast.dataset.failed);
  }
}
const system = document.getElementById("system-share");
if (system && navigator.share) {
  system.hidden = false;
  system.addEventListener("click", share);
}
