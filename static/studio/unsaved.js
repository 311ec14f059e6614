/* What this browser keeps of a person, for the page that signs them out. */

import { openDatabase, STORES } from "./journal.js";

/** How many changes and files of a person the service does not have yet, in all tabs of this browser.
    @param {string} person */
export async function countUnsaved(person) {
  let count = 0;
  await eachUnsaved(person, () => {
    count += 1;
  });
  return count;
}

/** Deletes what the browser keeps of a person's unsaved work.
    @param {string} person */
export function forgetUnsaved(person) {
  return eachUnsaved(person, (row) => row.delete());
}

/** @param {string} person
    @param {(row: IDBCursorWithValue) => void} act */
async function eachUnsaved(person, act) {
  const db = await openDatabase();
  const transaction = db.transaction(Object.keys(STORES), "readwrite");
  for (const store of Object.keys(STORES)) {
    const request = transaction.objectStore(store).openCursor();
    request.onsuccess = () => {
      const row = request.result;
      if (!row) return;
      if (row.value.person === person) act(row);
      row.continue();
    };
  }
  await new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(undefined);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
  db.close();
}
