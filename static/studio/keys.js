/* Keys that work everywhere in the editor. Letters alone do something only in the strip. */

export function onKeys(studio) {
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input:not([type=radio], [type=checkbox], [type=range]), textarea, select");
    const command = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    const act = (what) => {
      event.preventDefault();
      what();
    };
    if (command && key === "s") act(() => studio.saver.now());
    else if (command && key === "enter" && studio.writes) act(() => studio.openPublish());
    else if (command && key === "z" && !typing) act(() => (event.shiftKey ? studio.undo.again() : studio.undo.back()));
    else if (key === "?" && !typing && !command) act(() => studio.showDialog("keys"));
  });
}
