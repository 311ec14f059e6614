/* Shows how a premiere that is being sent goes on; waits while somebody fills in a form. */
import { keepLoading } from "./reloading.js";

keepLoading(5000, () => {
  const fields = [...document.querySelectorAll("input:not([type=hidden])")];
  return !document.hidden && !fields.some((field) => field.value);
});
