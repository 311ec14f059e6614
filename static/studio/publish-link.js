/* The link in the dialog of publishing: what it will be, and what a change of it breaks. */

import { urls } from "./boot.js";
import { html, nothing } from "./lit.js";
import { redraw } from "./redraw.js";
import { plural, t } from "./words.js";

/** @typedef {import("./publishing.js").Publishing} Publishing */

const LONGEST = 50; // characters of a link

/** @param {string} slug */
export const tooLong = (slug) =>
  slug?.length > LONGEST
    ? plural(
        "1 too many: a link has at most {most} characters.",
        "{n} too many: a link has at most {most} characters.",
        slug.length - LONGEST,
        { most: LONGEST },
      )
    : "";

/** Whether the link that readers have, of the capsule where this is an edition of it, would end.
    @param {Publishing} publishing */
export const isMoved = ({ options, slug }) => Boolean(options?.currentSlug && options.currentSlug !== slug);

/** @param {Publishing} publishing */
export function linkField(publishing) {
  const [base] = (publishing.options?.link ?? "").split(/\/[^/]*$/);
  const { slug: slugFault, workspaceName: nameFault } = publishing.faults;
  const fault = slugFault ?? tooLong(publishing.slug);
  return html`<div class="field"><label for="publish-slug">${t("Link")}</label>
    <span class="link-row"><span class="hint">${base.replace(/^https?:\/\//, "")}/</span>
      <input class="input" id="publish-slug" .value=${publishing.slug || ""}
        aria-invalid=${Boolean(fault)}
        @input=${({ target }) => {
          publishing.slug = target.value;
          redraw();
        }}></span>
    ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
    ${nameFault ? html`<p class="fault" role="alert">${nameFault}</p>` : nothing}
    ${claim(publishing.claims)}
    ${
      isMoved(publishing)
        ? html`<label class="choice"><input type="checkbox" .checked=${publishing.agreed}
      @change=${({ target }) => {
        publishing.agreed = target.checked;
        redraw();
      }}>
      ${t("I understand that the old link and its embeds will stop working.")}</label>`
        : nothing
    }</div>`;
}

/** The first publish decides the beginning of all links.
    @param {string | null} claims */
function claim(claims) {
  if (!claims) return nothing;
  return html`<p class="hint">${t(
    "All links of this workspace will begin with {beginning}. This first publish decides that forever.",
    {
      beginning: `/${claims}/`,
    },
  )} ${
    urls.settings
      ? html`<a href=${urls.settings}>${t("Change “{name}” first", { name: claims })}</a>`
      : t("Until then an owner can change it in the settings of the workspace.")
  }</p>`;
}
