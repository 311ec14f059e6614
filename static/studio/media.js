/* The picture and the film of a scene: dropped, pasted, chosen from the device, the library, or sent from a phone. */

import { html, nothing } from "../vendor/lit-html-3.3.3.js";

export function mediaField(studio, scene) {
  const { writes, uploads, parts } = studio;
  const entries = uploads.of(scene.id);
  const url = studio.pictureOf(scene);
  return html`
    <section class="media-field" aria-label="Picture and film"
      @dragover=${(event) => writes && overFile(event)} @drop=${(event) => writes && dropped(studio, event, scene.id)}>
      ${
        url
          ? html`<img class="media-thumb" src=${url} alt="" width=${scene.still?.width ?? nothing}
              height=${scene.still?.height ?? nothing}>`
          : html`<div class="media-thumb media-none">${scene.still ? "Being prepared" : "No picture yet"}</div>`
      }
      ${
        scene.film
          ? html`<p class="hint">Film: ${scene.film.filename}${
              scene.film.duration ? `, ${scene.film.duration.toFixed(1)} s` : ""
            }</p>`
          : nothing
      }
      ${scene.film?.duration > 12 ? html`<p class="hint">Only the first 12 seconds are shown.</p>` : nothing}
      ${
        writes
          ? html`<div class="button-row">
        <button class="pill" type="button" id="field-still" @click=${() => studio.pickMedia(scene.id, "picture")}>
          ${scene.still ? "Replace picture" : "Add a picture"}</button>
        <button class="pill" type="button" @click=${() => studio.pickMedia(scene.id, "film")}>
          ${scene.film ? "Replace film" : "Add a film"}</button>
        <button class="pill" type="button" @click=${() => studio.openLibrary(scene.id)}>Library</button>
        <button class="pill wide-only" type="button" @click=${() => studio.openPhoneLink()}>From your phone</button>
      </div>`
          : nothing
      }
      ${scene.film && writes ? parts.use("uploading")?.stillFromFilm(studio, scene) : nothing}
      ${entries.length ? parts.use("uploading")?.progress(studio, entries) : nothing}
      ${fault(studio, scene.id, "still")}${fault(studio, scene.id, "film")}
    </section>`;
}

function fault(studio, target, name) {
  const words = studio.faultOf(target, name);
  return words ? html`<p class="fault">${words}</p>` : nothing;
}

function overFile(event) {
  if ([...event.dataTransfer.types].includes("Files")) event.preventDefault();
}

function dropped(studio, event, id) {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  event.stopPropagation();
  studio.takeFiles([...event.dataTransfer.files], id);
}
