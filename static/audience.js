/* Shows how a premiere that is being sent goes on; waits while somebody fills in a form. */
const EVERY = 5000; // milliseconds

setInterval(() => {
  const fields = [...document.querySelectorAll("input:not([type=hidden])")];
  if (!document.hidden && !fields.some((field) => field.value)) location.reload();
}, EVERY);
