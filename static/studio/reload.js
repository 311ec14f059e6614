/* A preview that is still being built: looks again every two seconds while somebody looks. Loads nothing while the
   service is away, for nothing on a page of errors would look again. */
async function look() {
  if (!document.hidden) {
    const { status } = await fetch(location.href).catch(() => ({ status: 503 }));
    if (status < 500 && status !== 429) location.reload();
  }
  setTimeout(look, 2000);
}

setTimeout(look, 2000);
