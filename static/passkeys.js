/* Says on the page that a passkey was not taken; by itself the library tells the console alone. */
const fault = document.getElementById("passkey-fault");
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.querySelector("main").append(fault);
  fault.hidden = false;
});
