/* Tells the service that somebody reads this page: what serves the page is a file, which counts nobody. */
const { view } = document.querySelector("script[data-view]").dataset;

function tell() {
  navigator.sendBeacon(view);
}
if (document.prerendering) document.addEventListener("prerenderingchange", tell, { once: true });
else tell();
