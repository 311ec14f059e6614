/* The bar: where one is, whether everything is saved, who else is here, and the ways on. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";
import { initials } from "./strip.js";

const changes = (count) => (count === 1 ? "1 change waits" : `${count} changes wait`);

export function stateWords({ state, waits, reason, draft }) {
  const held = draft.held.flatMap(({ fields }) => Object.keys(fields)).length;
  return {
    saved: "Saved",
    waiting: "Saving…",
    saving: "Saving…",
    held: held === 1 ? "1 field is not saved" : `${held} fields are not saved`,
    offline: `Offline: ${changes(waits)} on this device`,
    "signed-out": `You are signed out: ${changes(waits)} here`,
    trouble: `Not saved: ${reason}`,
    "read-only": `Not saved: ${reason}`,
    gone: "This capsule is in the trash",
  }[state];
}

/** Whether readers get the draft as it is. */
export const isUpToDate = ({ draft, pulse }) =>
  Boolean(draft.story.publication?.isPublished && !pulse.isChanged && !draft.changes.length);

export const publishWords = (studio) => {
  if (isUpToDate(studio)) return "Live";
  return studio.draft.story.publication?.isPublished ? "Publish changes" : "Publish";
};

const step = (name, sign, steps, take) => html`
  <button class="icon-button wide-only" type="button" aria-label=${name} title=${name}
    ?disabled=${!steps.length} @click=${take}>${sign}</button>`;

export function bar(studio) {
  const { draft, saver, urls, pulse, check, undo, writes } = studio;
  const { story } = draft;
  const missing = check.musts.length;
  return html`
    <a class="bar-back" href=${urls.list} aria-label="All capsules">
      <span aria-hidden="true">←</span> <span class="wide-only">Capsules</span></a>
    <h1 class="bar-heading"><button class="bar-title" type="button" dir="auto"
      @click=${() => studio.open("story", "title")}>${story.title || "Untitled"}</button></h1>
    ${
      urls.editions && (story.capsuleId || studio.hasEditions)
        ? html`<a class="pill wide-only" href=${urls.editions}>
      ${story.capsuleId ? story.editionLabel || story.editionName : "Original"}</a>`
        : nothing
    }
    <p class="save-state" data-state=${saver.state}>${stateWords(saver)}
      ${saver.state === "signed-out" ? html`<a href=${urls.login} target="_blank" rel="opener">Sign in</a>` : nothing}
      ${
        saver.state === "held"
          ? html`<button class="linklike" type="button" @click=${() => showHeld(studio)}>Show</button>`
          : nothing
      }
      ${
        saver.state === "trouble"
          ? html`<button class="linklike" type="button" @click=${() => saver.now()}>Try again</button>`
          : nothing
      }
    </p>
    <span class="others">${pulse.others.map(
      (name) => html`<span class="avatar" title="${name} is here too">${initials(name)}</span>`,
    )}</span>
    <span class="bar-tools">
      ${
        writes
          ? [step("Undo", "↶", undo.done, () => undo.back()), step("Redo", "↷", undo.undone, () => undo.again())]
          : nothing
      }
      <button class="pill wide-only" type="button" @click=${() => studio.openCheck()}>
        ${missing ? `${missing} missing` : check.known ? "Ready" : "Check"}</button>
      <a class="pill wide-only" href=${urls.preview} target="capsules-preview"
        @click=${(event) => studio.openPreview(event)}>Preview</a>
      ${
        writes
          ? html`<a class="pill wide-only ${isUpToDate(studio) ? "pill-live" : "pill-accent"}" href=${urls.publish}
        @click=${(event) => studio.openPublish(event)}>${publishWords(studio)}</a>`
          : nothing
      }
      <button class="icon-button" type="button" popovertarget="more-menu" aria-label="More">⋮</button>
    </span>
    <div class="menu" id="more-menu" popover role="menu"
      @beforetoggle=${() => studio.parts.use("menus")}>${studio.parts.here.menus?.moreMenu(studio)}</div>`;
}

/** Leads to the first field that the service does not take as it is. */
function showHeld(studio) {
  const [{ target, fields }] = studio.draft.held;
  studio.open(target, Object.keys(fields)[0]);
}

/** The bar at the foot of a phone. */
export function footBar(studio) {
  const { check, writes, urls } = studio;
  const missing = check.musts.length;
  const publish = isUpToDate(studio) ? "Live" : "Publish";
  return html`
    <button type="button" @click=${() => studio.openInspector()}>Edit</button>
    <button type="button" @click=${() => studio.openOrder()}>Scenes</button>
    <button type="button" @click=${() => studio.openCheck()}>Check${missing ? ` (${missing})` : ""}</button>
    ${writes ? html`<a href=${urls.publish} @click=${(event) => studio.openPublish(event)}>${publish}</a>` : nothing}`;
}
