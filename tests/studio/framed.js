/* A page of readers in a frame of its own: every case begins with a page that no script has touched. */

/** Fills a page and has its script run. `before` is told of its window first, for what cannot happen here: a system
    that asks for less motion, a hidden tab.
    @param {string} script
    @param {string} body
    @param {{before?: (here: any) => void, address?: string, width?: number, height?: number}} more */
export async function opened(script, body, { before = () => {}, address = "", width = 600, height = 400 } = {}) {
  document.querySelector("iframe.framed")?.remove();
  const frame = document.createElement("iframe");
  frame.className = "framed";
  frame.style.cssText = `position: fixed; top: 0; left: 0; z-index: 9; border: 0; width: ${width}px; height: ${height}px`;
  frame.src = `/cases/blank.html${address}`;
  const loaded = new Promise((then) => frame.addEventListener("load", then, { once: true }));
  document.body.append(frame);
  await loaded;
  const here = frame.contentWindow;
  const page = frame.contentDocument;
  page.body.innerHTML = body;
  here.heard = media(here);
  before(here);
  const added = page.createElement("script");
  Object.assign(added, { type: "module", src: script });
  await new Promise((then, fail) => {
    added.onload = then;
    added.onerror = fail;
    page.head.append(added);
  });
  return {
    frame,
    here,
    page,
    find: (selector) => page.querySelector(selector),
    all: (selector) => [...page.querySelectorAll(selector)],
    drawn: () => new Promise((then) => here.requestAnimationFrame(() => here.requestAnimationFrame(then))),
  };
}

/** Films that play at once, without a file, and a system of which `less` says whether it asks for less motion. */
function media(here) {
  const film = here.HTMLVideoElement.prototype;
  const heard = { less: new EventTarget(), refuses: false, frames: [] };
  heard.less.matches = false;
  here.matchMedia = () => heard.less;
  const playing = new WeakSet();
  Object.defineProperty(film, "paused", {
    get() {
      return !playing.has(this);
    },
  });
  Object.defineProperty(film, "currentTime", { value: 0, writable: true });
  film.play = function play() {
    if (heard.refuses) return Promise.reject(new DOMException("", "NotAllowedError"));
    playing.add(this);
    return Promise.resolve();
  };
  film.pause = function pause() {
    playing.delete(this);
  };
  film.requestVideoFrameCallback = (shown) => heard.frames.push(shown);
  return heard;
}

export const hide = (here, hidden) => {
  Object.defineProperty(here.document, "hidden", { value: hidden, configurable: true });
  here.document.dispatchEvent(new here.Event("visibilitychange"));
};

/** What waits `slow` times as long as this page has to. */
export const hurry = (here, slow) => {
  const { setTimeout: wait, setInterval: beat } = here;
  here.setTimeout = (act, ms, ...more) => wait.call(here, act, ms / slow, ...more);
  here.setInterval = (act, ms, ...more) => beat.call(here, act, ms / slow, ...more);
};

/** Whether the page keeps a key for itself. */
export function press(here, key, more = {}, target = here.document.body) {
  const event = new here.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  return event.defaultPrevented;
}

const button = (id, words) =>
  `<button type="button" id="${id}" hidden data-${words[0]}="${words[0]}" data-${words[1]}="${words[1]}">
    <svg><use href="#icon"/></svg><span></span></button>`;

export const tools = `<div id="tools">${button("motion", ["pause", "play"])}${button("play", ["play", "stop"])}</div>`;

/** A scene as templates/publishing has it. */
export const scene = (number, { moves = "", words = "Words", high = false } = {}) => `
  <section class="scene ${high ? "high" : ""}" id="scene-${number}" data-seconds="30"><div class="stage">
    <div class="shot ${moves === "camera" ? "camera" : ""}"><picture><img alt=""></picture>
    ${moves === "film" ? "<video></video>" : ""}</div></div>
    <div class="words"><div class="text">${words}</div></div></section>`;

export const rail = (count) =>
  `<nav class="rail"><a href="#scene-1" aria-current="step">1</a>${Array.from(
    { length: count - 1 },
    (_, at) => `<a href="#scene-${at + 2}">${at + 2}</a>`,
  ).join("")}</nav>`;
