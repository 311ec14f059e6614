/* Asks the service for a preview of the draft as it is now. */

import { allTaken } from "./all-saved.js";
import { toast } from "./announcements.js";
import { urls } from "./boot.js";
import { pulse } from "./presence.js";
import { api, storyPath } from "./session.js";
import { saver } from "./store.js";

const path = `${storyPath}/previews`;

/** @param {Window | null} page */
export async function openPreview(page) {
  try {
    await allTaken(saver);
    const { data } = await api.call("POST", path);
    const url = `${urls.preview}${data.number}`;
    if (page) page.location.href = url;
    else location.assign(url);
  } catch (error) {
    toast(error.message);
    if (!page?.location.host) page?.close(); // an older preview stays
  }
}

export async function retry() {
  try {
    const { data } = await api.call("POST", path);
    if (data.state === "failed") await api.call("POST", `${path}/${data.number}/retry`);
    pulse.soon(0);
  } catch (error) {
    toast(error.message);
  }
}
