/* A frame of a film on this device, as a picture: the one with which it begins to be seen, as the service takes it. */

const LATE = 8000; // ms
const LARGEST = 1280; // pixels of the longer side
const SECONDS = [0, 0.5, 1, 2, 4];
const DARK = 40; // of 255: films often begin in black

/** @param {File} file
    @returns {Promise<string | null>} its address; null where this browser cannot show the film */
export async function frameOf(file) {
  const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, preload: "auto" });
  video.src = URL.createObjectURL(file);
  try {
    await heard(video, "loadedmetadata");
    const canvas = await firstSeen(video);
    /** @type {Blob | null} */
    const picture = await new Promise((then) => canvas.toBlob(then, "image/jpeg", 0.85));
    return picture && URL.createObjectURL(picture);
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(video.src);
    video.removeAttribute("src");
    video.load(); // else the browser keeps the file open
  }
}

/** @param {HTMLVideoElement} video */
async function firstSeen(video) {
  let canvas = document.createElement("canvas");
  for (const second of SECONDS.filter((each) => !each || each < video.duration)) {
    video.currentTime = second;
    await heard(video, "seeked");
    canvas = drawn(video, LARGEST);
    if (!isDark(drawn(video, 16))) break;
  }
  return canvas;
}

/** @param {HTMLVideoElement} video
    @param {number} largest */
function drawn(video, largest) {
  const { videoWidth, videoHeight } = video;
  const scale = Math.min(1, largest / Math.max(videoWidth, videoHeight));
  const [width, height] = [videoWidth, videoHeight].map((side) => Math.max(1, Math.round(side * scale)));
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d")?.drawImage(video, 0, 0, width, height);
  return canvas;
}

/** @param {HTMLCanvasElement} canvas */
function isDark(canvas) {
  const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
  return pixels.every((part, at) => at % 4 === 3 || part < DARK);
}

/** @param {HTMLVideoElement} video
    @param {string} event
    @returns {Promise<void>} */
function heard(video, event) {
  return new Promise((then, fail) => {
    video.addEventListener(event, () => then(), { once: true });
    video.addEventListener("error", fail, { once: true });
    setTimeout(fail, LATE);
  });
}
