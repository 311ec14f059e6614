/* The draft as this tab sees it: the changes of its author, settled with what the service answers. */

import { Changes } from "./changes.js";
import { STORY } from "./fold.js";

export { STORY };

export class Draft extends Changes {
  /** The service has this change. `scene`, `story` and `order` are what it says of them now. */
  settle(change, { scene, story, order } = {}) {
    this.changes = this.changes.filter((other) => other !== change);
    if (scene && change.target.startsWith("new-")) this.rename(change.target, scene.id);
    if (scene) this.put(scene, change.after);
    if (story) this.served.story = { ...this.served.story, ...story };
    if (change.type === "remove") {
      this.served.scenes = this.served.scenes.filter(({ id }) => id !== change.target);
    }
    if (order) this.arrange(order);
    this.say("settled", change);
  }

  put(scene, after) {
    const place = this.served.scenes.findIndex(({ id }) => id === scene.id);
    if (place >= 0) {
      this.served.scenes[place] = scene;
      return;
    }
    const before = this.served.scenes.findIndex(({ id }) => id === after);
    const position = after === null ? 0 : before >= 0 ? before + 1 : (scene.position ?? this.served.scenes.length);
    this.served.scenes.splice(position, 0, scene);
  }

  arrange(order) {
    const place = new Map(order.map((id, index) => [id, index]));
    this.served.scenes.sort((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity));
  }

  rename(from, to) {
    this.names.set(from, to);
    for (const change of this.changes) {
      for (const field of ["target", "after", "of"]) if (change[field] === from) change[field] = to;
    }
    for (const map of [this.conflicts, this.removed]) {
      if (map.has(from)) map.set(to, map.get(from));
      map.delete(from);
    }
  }

  drop(change) {
    this.changes = this.changes.filter((other) => other !== change);
    this.say("settled", change);
  }
}
