/* Texts and pictures that this tab knows better than the page in the frame. */

export function write(stage, page) {
  const { story, scenes } = stage.studio.draft;
  words(page.querySelector("h1"), story.title || "Untitled");
  words(page.querySelector(".summary"), story.summary);
  scenes.forEach((scene, index) => {
    const section = stage.section(scene.id, page);
    if (!section) return;
    paragraphs(section.querySelector(".text"), scene.text);
    const kicker = section.querySelector(".kicker");
    if (kicker && scene.title) words(kicker, scene.finale ? scene.title : `${index + 1}. ${scene.title}`);
    section.style.setProperty("--x", `${scene.focus[0] * 100}%`);
    section.style.setProperty("--y", `${scene.focus[1] * 100}%`);
    const waits = section.querySelector(".being-prepared");
    local(
      section,
      waits ? stage.studio.pictureOf(scene) : stage.studio.uploads.localUrlFor(scene.id) || scene.still?.localUrl,
    );
  });
}

function words(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

/** Text as the page shows it: an empty line parts paragraphs, a line break stays one. */
function paragraphs(element, text) {
  if (!element) return;
  const parts = text
    .replace(/\r\n?/g, "\n")
    .trim()
    .split(/\n{2,}/);
  const page = element.ownerDocument;
  const made = parts.map((part) => {
    const paragraph = page.createElement("p");
    part.split("\n").forEach((line, index) => {
      if (index) paragraph.append(page.createElement("br"));
      paragraph.append(line);
    });
    return paragraph;
  });
  const now = made.map((paragraph) => paragraph.outerHTML).join("\n\n");
  if (element.dataset.typed === now) return;
  element.dataset.typed = now;
  element.replaceChildren(...made);
}

/** A picture from this device, or its thumbnail, stands in until its renditions are there. */
function local(section, url) {
  if (!url) return;
  const picture = section.querySelector(".stage picture");
  if (!picture || picture.dataset.local === url) return;
  picture.dataset.local = url;
  for (const source of picture.querySelectorAll("source")) source.remove();
  picture.querySelector("img").setAttribute("src", url);
}
