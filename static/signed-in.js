/* The way to the studio, which a page that is the same for everybody cannot know. */
function isSignedIn() {
  try {
    return localStorage.getItem("signed-in") !== null; // static/sign-out.js; the studio asks who they really are
  } catch {
    return false; // a browser that keeps nothing
  }
}

if (isSignedIn()) {
  for (const link of document.querySelectorAll("a[data-signed-in]")) {
    link.href = link.dataset.signedIn;
    link.textContent = link.dataset.words;
  }
}
