/* What was written and not yet saved, kept in the browser's own database, so that neither a closed tab nor a dead
   battery loses a word. Each change is an entry until the service has it. Entries belong to a person, by a key that the
   page brings, and nobody else's page takes, shows or sends them. Among the person's tabs they belong to one; another
   takes them over only when that tab is gone. */

const NAME = "capsules-studio";
const CLOSING = 1000; // ms that a tab may take to go
export const STORES = { changes: "id", files: "id" };

/** @returns {Promise<IDBDatabase>} */
export function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      for (const [store, keyPath] of Object.entries(STORES)) request.result.createObjectStore(store, { keyPath });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @typedef {{id: string, at: number, person: string, story: string, tab: string}} Entry */

/** The journal of one story. `durable` is false where the browser keeps nothing (private windows, a full disk). */
export class Journal {
  durable = true;
  /** @type {IDBDatabase | undefined} */
  db;

  /** @param {string} story
      @param {string} person */
  constructor(story, person) {
    this.story = story;
    this.person = person;
    this.tab = crypto.randomUUID();
  }

  async open() {
    try {
      this.db = await openDatabase();
    } catch {
      this.durable = false;
    }
    await this.hold();
  }

  /** Holds a lock with the tab's name for as long as the tab lives: that is how others see that it is there. */
  hold() {
    if (!navigator.locks) return null;
    return new Promise((/** @type {(nothing?: undefined) => void} */ held) => {
      navigator.locks.request(this.tab, () => {
        held();
        return new Promise(() => {});
      });
    });
  }

  /** Tells by its id that it is kept.
      @param {keyof typeof STORES} store
      @param {{id: string}} entry
      @returns {Promise<string | undefined>} */
  keep(store, entry) {
    return this.run(store, "readwrite", (rows) =>
      rows.put({ ...entry, person: this.person, story: this.story, tab: this.tab }),
    );
  }

  /** @param {keyof typeof STORES} store
      @param {string} id */
  async forget(store, id) {
    await this.run(store, "readwrite", (rows) => rows.delete(id));
  }

  /** What this story's closed tabs left behind, oldest first; it is this tab's from now on. One that is just being
      closed is there for a moment, so it waits that long; `later` is called with the entries of a tab that is
      still open, once it closes.
      @param {keyof typeof STORES} store
      @param {(entries: any[]) => void} later
      @returns {Promise<any[]>} */
  async adopt(store, later, patience = CLOSING) {
    /** @type {Entry[]} */
    const all = (await this.run(store, "readonly", (rows) => rows.getAll())) || [];
    const alive = await livingTabs();
    const others = all.filter(
      ({ person, story, tab }) => person === this.person && story === this.story && tab !== this.tab,
    );
    const left = others.filter(({ tab }) => !alive.has(tab));
    const staying = [...alive].filter((tab) => others.some((entry) => entry.tab === tab));
    if (patience && staying.length) {
      await Promise.all(staying.map((tab) => gone(tab, { signal: AbortSignal.timeout(patience) }).catch(() => {})));
      return this.adopt(store, later, 0);
    }
    for (const tab of staying) gone(tab).then(async () => later(await this.adopt(store, later, 0)));
    for (const entry of left) await this.keep(store, entry);
    return left.sort((a, b) => a.at - b.at);
  }

  /** @param {keyof typeof STORES} store
      @param {IDBTransactionMode} mode
      @param {(rows: IDBObjectStore) => IDBRequest} act
      @returns {Promise<any>} */
  async run(store, mode, act) {
    const { db } = this;
    if (!db) return undefined;
    return new Promise((resolve) => {
      const fail = () => {
        this.durable = false;
        resolve(undefined);
      };
      try {
        const transaction = db.transaction(store, mode);
        const request = act(transaction.objectStore(store));
        if (mode === "readwrite") transaction.commit?.(); // now: a page that dies would no longer come to it
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

/** Resolves when a tab is gone.
    @param {string} tab
    @param {LockOptions} options */
function gone(tab, options = {}) {
  return navigator.locks.request(tab, options, () => {});
}

async function livingTabs() {
  if (!navigator.locks) return new Set();
  const { held } = await navigator.locks.query();
  return new Set(held?.map(({ name }) => name ?? ""));
}
