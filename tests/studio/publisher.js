/* A service that publishes, as cases of the dialog need it. */

import { answerInstead, json, refusal, story } from "./service.js";

export const MODES = [
  { mode: "STANDARD", premiereEmailModes: ["OFF", "FULL"] },
  { mode: "PLAIN", premiereEmailModes: [] },
];
export const LIVE = { isPublished: true, slug: "old", url: "/w/old", publicationMode: "STANDARD" };
export const READY = { number: 1, state: "ready", percent: 100 };

/** A service that publishes; `options` and `answers` (by "METHOD end of the path") are what is special about it. */
export function publishes(options = {}, answers = {}) {
  const premiere = { recipients: 3 };
  const all = {
    "GET options": () =>
      json({
        publicationModes: MODES,
        suggestedSlug: story.publication?.slug ?? "new",
        currentSlug: story.publication?.isPublished ? story.publication.slug : null,
        link: "https://x.test/w/new",
        premiere,
        alongside: [],
        ...options,
      }),
    "POST previews": () => json(READY),
    "GET card": () => json({ title: "A title.", opening: "", picture: "", alt: "" }),
    "GET premiere": () => refusal(404),
    "PUT publication": ({ body }) => {
      story.publication = { ...LIVE, slug: body.slug, url: `/w/${body.slug}`, publicationMode: body.publicationMode };
      return json({ url: story.publication.url });
    },
    "GET s": () => json(story),
    ...answers,
  };
  answerInstead((request) => all[`${request.method} ${request.path.split("/").at(-1)}`]?.(request));
}
