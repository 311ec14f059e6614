/* The one vendored library: what the editor uses of it. Its types are in lit.d.ts. */

export { html, nothing, render } from "../vendor/lit-html-3.3.3.js";
