/* The pulse of this page: what happens to its draft elsewhere, and who else is here. */

import { isChanged, urls } from "./boot.js";
import { STORY } from "./fold.js";
import { selected } from "./navigation.js";
import { Pulse } from "./pulse.js";
import { journal } from "./session.js";
import { draft } from "./store.js";

export const pulse = new Pulse({
  url: urls.pulse,
  tab: journal.tab,
  isChanged,
  scene: () => (selected === STORY ? "" : draft.nameOf(selected)),
});
