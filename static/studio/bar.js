/* The bar: where one is, whether everything is saved, who else is here, and the ways on. */

import { hasEditions, urls, writes } from "./boot.js";
import { check } from "./check.js";
import { openCheck, openPreview, openPublish } from "./dialog-commands.js";
import { isUntitled } from "./fold.js";
import { part } from "./lazy.js";
import { html, nothing } from "./lit.js";
import { open, openOrder, selected } from "./navigation.js";
import { pulse } from "./presence.js";
import { draft, saver, undo } from "./store.js";
import { initials } from "./strip.js";
import { uploads } from "./upload-list.js";
import { plural, t } from "./words.js";

const menus = part("menus");
const uploading = part("uploading");

/** @param {import("./save.js").Saver} saver */
export function stateWords({ state, waits, reason, draft }) {
  const held = draft.held.flatMap(({ fields }) => Object.keys(fields)).length;
  const failed = t("Not saved: {reason}", { reason });
  return {
    saved: t("Saved"),
    waiting: t("Saving…"),
    saving: t("Saving…"),
    held: plural("1 field is not saved", "{n} fields are not saved", held),
    offline: plural("Offline: 1 change waits on this device", "Offline: {n} changes wait on this device", waits),
    "signed-out": plural("You are signed out: 1 change waits here", "You are signed out: {n} changes wait here", waits),
    trouble: failed,
    "read-only": failed,
    gone: t("In the trash, or deleted"),
  }[state];
}

/** Whether readers get the draft as it is. */
export const isUpToDate = () =>
  Boolean(draft.story.publication?.isPublished && !pulse.isChanged && !draft.changes.length);

export const publishWords = () => {
  if (isUpToDate()) return t("Live");
  return draft.story.publication?.isPublished ? t("Publish changes") : t("Publish");
};

/** @param {string} name
    @param {string} sign
    @param {unknown[]} steps
    @param {() => void} take */
const step = (name, sign, steps, take) => html`
  <button class="icon-button wide-only" type="button" aria-label=${name} title=${name}
    ?disabled=${!steps.length} @click=${take}>${sign}</button>`;

export function bar() {
  const { story } = draft;
  const missing = check.counted;
  const isReady = check.known && !check.musts().length;
  const asksForTitle = writes && isUntitled(story.title);
  return html`
    <a class="bar-back" href=${urls.list} aria-label=${t("All capsules")}>
      <span aria-hidden="true">←</span> <span class="wide-only">${t("Capsules")}</span></a>
    <h1 class="bar-heading"><button class="bar-title ${asksForTitle ? "bar-untitled" : ""}" type="button" dir="auto"
      @click=${() => open("story", "title")}>${asksForTitle ? t("Add a title") : story.title || t("Untitled")}</button>
    </h1>
    ${
      urls.editions && (story.capsuleId || hasEditions)
        ? html`<a class="pill wide-only" href=${urls.editions}>
      ${story.capsuleId ? story.editionLabel || story.editionName : t("Original")}</a>`
        : nothing
    }
    <p class="save-state" data-state=${saver.state}>${
      saver.state === "saved" && uploads.underWay ? uploading.use()?.onTheirWay() : stateWords(saver)
    }
      ${
        saver.state === "signed-out"
          ? html`<a href=${urls.login} target="_blank" rel="opener">${t("Sign in")}</a>`
          : nothing
      }
      ${
        saver.state === "held"
          ? html`<button class="linklike" type="button" @click=${showHeld}>${t("Show")}</button>`
          : nothing
      }
      ${
        saver.state === "trouble"
          ? html`<button class="linklike" type="button" @click=${() => saver.now()}>${t("Try again")}</button>`
          : nothing
      }
    </p>
    <span class="others">${pulse.others.map(
      (name) => html`<span class="avatar" title=${t("{name} is here too", { name })}>${initials(name)}</span>`,
    )}</span>
    <span class="bar-tools">
      ${
        writes
          ? [step(t("Undo"), "↶", undo.done, () => undo.back()), step(t("Redo"), "↷", undo.undone, () => undo.again())]
          : nothing
      }
      <button class="pill wide-only" type="button" @click=${openCheck}>
        ${missing ? t("{n} missing", { n: missing }) : isReady ? t("Ready") : t("Check")}</button>
      <a class="pill wide-only" href=${urls.preview} target="capsules-preview"
        @click=${openPreview}>${t("Preview")}</a>
      ${
        writes
          ? html`<a class="pill wide-only ${isUpToDate() ? "pill-live" : "pill-accent"}" href=${urls.publish}
        @click=${openPublish}>${publishWords()}</a>`
          : nothing
      }
      <button class="icon-button" type="button" popovertarget="more-menu" aria-label=${t("More")}>⋮</button>
    </span>
    <div class="menu" id="more-menu" popover role="menu"
      @beforetoggle=${() => menus.use()}>${menus.here?.moreMenu()}</div>`;
}

/** Leads to the first field that the service does not take as it is. */
function showHeld() {
  const [{ target, fields }] = draft.held;
  open(target, Object.keys(fields)[0]);
}

/** The bar at the foot of a phone. */
export function footBar() {
  const missing = check.counted;
  return html`
    <button type="button" @click=${() => open(selected)}>${t("Edit")}</button>
    <button type="button" @click=${openOrder}>${t("Scenes")}</button>
    <button type="button" @click=${openCheck}>${t("Check")}${missing ? ` (${missing})` : ""}</button>
    ${
      writes
        ? html`<a href=${urls.publish} @click=${openPublish}>${isUpToDate() ? t("Live") : t("Publish")}</a>`
        : nothing
    }`;
}
