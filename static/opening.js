/* The opening scene: its summary, its facts and the size of its title give way where all its words would be higher than
   the screen. The page waits for this before it is drawn, so nothing moves. */
const words = document.querySelector("#scene-1 .words");
const screen = document.querySelector("#scene-1 .stage"); // as high as a screen, with the bars of a browser or without
function fit() {
  for (const name of ["few", "fewer", "fewest"])
    if (words.offsetHeight > screen.offsetHeight) words.classList.add(name);
}
fit(); // it also has the browser ask for the typeface, which `ready` waits for
document.fonts.ready.then(fit); // what gave way does not come back, which would move what is being read
new ResizeObserver(() => {
  words.classList.remove("few", "fewer", "fewest"); // the window is turned
  fit();
}).observe(screen);

/* On a slow line its picture comes first: browsers ask for those of the next scenes at the same time. Who is in a later
   scene already, or goes on before it is there, gets them at once. */
const picture = screen.querySelector(".shot img");
const goOn = () => document.documentElement.classList.remove("opening");
if (!picture.complete && scrollY === 0) {
  document.documentElement.classList.add("opening");
  for (const outcome of ["load", "error"]) picture.addEventListener(outcome, goOn);
  addEventListener("scroll", goOn, { once: true });
}
