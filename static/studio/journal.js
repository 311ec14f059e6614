/* What was written and not yet saved, kept in the browser's own database, so that neither a closed tab nor a dead
   battery loses a word. Each change is an entry until the service has it. Entries belong to a tab; another tab takes
   them over only when that tab is gone. */

const NAME = "capsules-studio";
const STORES = { changes: "id", files: "id" };

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      for (const [store, keyPath] of Object.entries(STORES)) request.result.createObjectStore(store, { keyPath });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("The journal is in use by an older page."));
  });
}

/** The journal of one story. `durable` is false where the browser keeps nothing (private windows, a full disk). */
export class Journal {
  static async of(story) {
    const journal = new Journal(story, crypto.randomUUID());
    try {
      journal.db = await open();
    } catch {
      journal.durable = false;
    }
    await journal.hold();
    return journal;
  }

  constructor(story, tab) {
    this.story = story;
    this.tab = tab;
    this.durable = true;
  }

  /** Holds a lock with the tab's name for as long as the tab lives: that is how others see that it is there. */
  hold() {
    if (!navigator.locks) return null;
    return new Promise((held) => {
      navigator.locks.request(`tab-${this.tab}`, () => {
        held();
        return new Promise(() => {});
      });
    });
  }

  async keep(store, entry) {
    await this.run(store, "readwrite", (rows) => rows.put({ ...entry, story: this.story, tab: this.tab }));
  }

  async forget(store, id) {
    await this.run(store, "readwrite", (rows) => rows.delete(id));
  }

  /** What this story's closed tabs left behind, oldest first; it is this tab's from now on. */
  async adopt(store) {
    const all = (await this.run(store, "readonly", (rows) => rows.getAll())) || [];
    const alive = await livingTabs();
    const left = all.filter((entry) => entry.story === this.story && !alive.has(entry.tab));
    for (const entry of left) await this.keep(store, entry);
    return left.sort((a, b) => a.at - b.at);
  }

  run(store, mode, act) {
    if (!this.db) return undefined;
    return new Promise((resolve) => {
      const fail = () => {
        this.durable = false;
        resolve(undefined);
      };
      try {
        const transaction = this.db.transaction(store, mode);
        const request = act(transaction.objectStore(store));
        transaction.oncomplete = () => {
          this.durable = true;
          resolve(request.result);
        };
        transaction.onerror = transaction.onabort = fail;
      } catch {
        fail();
      }
    });
  }
}

async function livingTabs() {
  if (!navigator.locks) return new Set();
  const { held } = await navigator.locks.query();
  return new Set(held.filter(({ name }) => name.startsWith("tab-")).map(({ name }) => name.slice(4)));
}
