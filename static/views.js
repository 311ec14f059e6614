/* Tells the service that somebody reads this page; for a service behind a CDN, which answers readers by itself. */
const { view } = document.querySelector("script[data-view]").dataset;

function tell() {
  navigator.sendBeacon(view);
}
if (document.prerendering) document.addEventListener("prerenderingchange", tell, { once: true });
else tell();
