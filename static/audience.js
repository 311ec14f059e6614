/* Shows how a premiere goes on that is being sent; not to somebody who is filling a form. */
"use strict";
setInterval(() => {
  const filled = [...document.querySelectorAll("input:not([type=hidden])")].some((field) => field.value);
  if (!filled && !document.hidden) location.reload();
}, 5000);
