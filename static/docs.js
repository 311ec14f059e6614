/* Draws the operations with Swagger UI once somebody comes near: its script and its work are most of the page. */
const place = document.getElementById("operations-list");
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Swagger UI is dark where the page says so by this class. */
function dress() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}
dress();
dark.addEventListener("change", dress);

/**
 * Credentials are shown as the schema has them, which is without references: to look for some, Swagger UI would go
 * through all of the schema, for seconds in which the page answers nobody. Of an operation it looks when it is opened.
 */
function credentialsAsTheyAre() {
  const wrapActions = {
    requestResolvedSubtree: (ask) => (path) => (path[0] === "paths" ? ask(path) : { type: "nothing_to_resolve" }),
  };
  return { statePlugins: { spec: { wrapActions } } };
}

function draw() {
  window.SwaggerUIBundle({
    url: place.dataset.schema,
    domNode: place,
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [credentialsAsTheyAre],
    layout: "BaseLayout",
    deepLinking: false, // its links would lie inside of buttons
    docExpansion: "none",
    defaultModelsExpandDepth: -1, // no list of models: each operation shows its own
    onComplete: () => document.getElementById("main").removeAttribute("role"), // Swagger UI has a main element
  });
}

new IntersectionObserver(
  ([seen], observer) => {
    if (!seen.isIntersecting) return;
    observer.disconnect();
    place.firstElementChild.textContent = "Drawing the operations …";
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: place.dataset.sheet });
    const script = Object.assign(document.createElement("script"), {
      src: place.dataset.bundle,
      onload: draw,
      onerror: () => {
        place.firstElementChild.textContent = "The operations could not be loaded. Please reload the page.";
      },
    });
    document.head.prepend(sheet); // ours comes after it
    document.head.append(script);
  },
  { rootMargin: "200px" },
).observe(place);
