/* Loads a page again while what it shows goes on; waits while the service is away: nothing on a page of errors would
   look again. */

/** @param {number} every milliseconds
    @param {() => boolean} mayLoad whether nobody would lose anything by it */
export function keepLoading(every, mayLoad) {
  async function look() {
    if (mayLoad()) {
      const { status } = await fetch(location.href).catch(() => ({ status: 503 }));
      if (status < 500 && status !== 429 && mayLoad()) location.reload();
    }
    setTimeout(look, every);
  }
  setTimeout(look, every);
}
