/* A preview that is still being built: look again every two seconds while somebody looks. */
setInterval(() => {
  if (!document.hidden) location.reload();
}, 2000);
