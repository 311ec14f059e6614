/* Keys that work everywhere in the editor. Letters alone do something only in the strip. */

import { writes } from "./boot.js";
import { openPublish, openShortcuts } from "./dialog-commands.js";
import { saver, undo } from "./store.js";

const FIELDS = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select";

export function onShortcuts() {
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest(FIELDS);
    const command = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    /** @param {() => void} what */
    const act = (what) => {
      event.preventDefault();
      what();
    };
    if (command && key === "s") act(() => saver.now());
    else if (command && key === "enter" && writes) act(() => openPublish());
    else if (command && key === "z" && !typing) act(() => (event.shiftKey ? undo.again() : undo.back()));
    else if (key === "?" && !typing && !command) act(() => openShortcuts());
  });
}
