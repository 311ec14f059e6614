/* A film as a browser would play it. */

/** A film of `duration` seconds that is black until `bright`, as a browser would play it; what was looked at. */
export function films({ bright = 0, duration = 3, answers = "loadedmetadata" } = {}) {
  const video = Object.assign(document.createElement("canvas"), { width: 2560, height: 1280, looks: [] });
  const tell = (event) => queueMicrotask(() => video.dispatchEvent(new Event(event)));
  Object.assign(video, { videoWidth: 2560, videoHeight: 1280, duration, load: () => video.looks.push("let go") });
  Object.defineProperty(video, "src", { get: () => "blob:x", set: () => answers && tell(answers) });
  Object.defineProperty(video, "currentTime", {
    set(second) {
      video.looks.push(second);
      const context = video.getContext("2d");
      context.fillStyle = second < bright ? "rgb(39 39 39)" : "rgb(39 40 39)";
      context.fillRect(0, 0, 2560, 1280);
      tell("seeked");
    },
  });
  const { createElement } = document;
  document.createElement = (name) => {
    if (name !== "video") return createElement.call(document, name);
    document.createElement = createElement;
    return video;
  };
  return video.looks;
}
