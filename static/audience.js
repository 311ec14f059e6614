/* Shows how a premiere that is being sent goes on; waits while somebody fills in a form, and while the service is away:
   nothing on a page of errors would look again. */
const EVERY = 5000; // milliseconds

const isLeft = () =>
  !document.hidden && ![...document.querySelectorAll("input:not([type=hidden])")].some((field) => field.value);

async function look() {
  if (isLeft()) {
    const { status } = await fetch(location.href).catch(() => ({ status: 503 }));
    if (status < 500 && status !== 429 && isLeft()) location.reload();
  }
  setTimeout(look, EVERY);
}

setTimeout(look, EVERY);
