/* Asks the service for a preview of the draft as it is now. */

import { allTaken } from "./all-saved.js";

export async function openPreview(studio, page) {
  try {
    await allTaken(studio.saver);
    const { data } = await studio.api.call("POST", `/stories/${studio.draft.served.story.id}/previews`);
    const url = `${studio.urls.preview}${data.number}`;
    if (page) page.location = url;
    else location.assign(url);
  } catch (error) {
    page?.close();
    studio.toast(error.message);
  }
}

export async function retry(studio) {
  const path = `/stories/${studio.draft.served.story.id}/previews`;
  try {
    const { data } = await studio.api.call("POST", path);
    if (data.state === "failed") await studio.api.call("POST", `${path}/${data.number}/retry`);
    studio.pulse.soon(0);
  } catch (error) {
    studio.toast(error.message);
  }
}
