/* Who writes here: the API as the signed-in person calls it, and their journal in this browser. */

import { Api } from "./api.js";
import { person, served, urls } from "./boot.js";
import { Journal } from "./journal.js";

export const api = new Api({ base: urls.api, tokenUrl: urls.token, person });
export const journal = new Journal(served.story.id, person);

/** Where the API has this capsule. */
export const storyPath = `/stories/${served.story.id}`;
