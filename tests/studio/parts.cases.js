/* Parts of the editor that come later than what is done with them. */

import { takeFiles } from "/static/studio/file-picking.js";
import { part } from "/static/studio/lazy.js";
import { select, selected } from "/static/studio/navigation.js";
import { addScene } from "/static/studio/scene-commands.js";
import { draft } from "/static/studio/store.js";
import { all, begin, drawn, ids, key, thumb } from "./editor.js";
import { pause, same, test, until } from "./runner.js";

/** A part that is not there before this is called. */
async function late(name) {
  const wanted = part(name);
  const here = await wanted.get();
  let come;
  const asked = new Promise((then) => {
    come = then;
  });
  Object.assign(wanted, { here: undefined, asked });
  return async () => {
    wanted.here = here;
    come(here);
    await pause(0);
  };
}

test("the first touch fetches all parts, so that they are there without a connection", async () => {
  await begin("a");
  await key("Shift");
  const names =
    "capsule-fields caret checklist conflict drag files first-step focus live looks media-dialog menus merging";
  const others =
    "move-dialog phone-link preview publishing refusals scenes shortcuts-list split stage-swap stage-text typing";
  const missing = () => `${names} ${others}`.split(" ").filter((name) => !part(name).here);
  await until(() => !missing().length, missing);
});

test("a scene is added where it was asked for, and who has gone elsewhere meanwhile stays there", async () => {
  await begin("a");
  const comes = await late("scenes");
  addScene();
  select("b");
  await comes();
  same([ids().length, ids().indexOf("b"), selected], [4, 2, "b"]);
});

test("files come where they were picked, and who has gone elsewhere meanwhile stays there", async () => {
  await begin("a");
  const files = await part("files").get();
  const { take } = files.uploader;
  const targets = [];
  files.uploader.take = (_, target) => {
    targets.push(target);
    return { kind: "picture", target };
  };
  const comes = await late("files");
  takeFiles([new File(["x"], "1.jpg", { type: "image/jpeg" })], null);
  select("b");
  await comes();
  files.uploader.take = take;
  same([ids().indexOf(targets[0]), ids().length, selected], [1, 4, "b"]);
});

test("who has let go before a scene could be dragged only clicked", async () => {
  await begin("a");
  const comes = await late("drag");
  const pointer = (type, clientY) =>
    new PointerEvent(type, { clientX: 1, clientY, isPrimary: true, pointerType: "mouse", bubbles: true });
  for (const end of ["pointerup", "pointercancel"]) {
    thumb("a").dispatchEvent(pointer("pointerdown", 1));
    dispatchEvent(pointer(end, 1));
  }
  await comes();
  dispatchEvent(pointer("pointermove", 90));
  same(all(".dragging"), []);
  dispatchEvent(pointer("pointerup", 90));
  await drawn();
  same([ids(), draft.changes], [["a", "b", "c"], []]);
});
