"""What axe has to complain about in a page. It asks for less than the package's own `Axe`, which packs and sends every
rule that holds with every element it holds for: that took twice the time of the rules themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async ([path, within, options]) => {
  if (!window.axe) await new Promise((onload, onerror) => {
    document.head.appendChild(Object.assign(document.createElement("script"), { src: path, onload, onerror })).remove();
  });
  const {violations} = await axe.run(within ?? document, options);
  return violations.flatMap(({id, nodes}) =>
    nodes.map(({html, failureSummary}) => `${id}: ${html} ${failureSummary}`));
}"""
#: Where `with_axe` serves it: to send it into each page took ten times as long as a page takes that has it compiled.
PATH = "/static/axe.js"
#: Each colour of a page is parsed once; axe parses it again for each element that it lies behind, in half of its time.
ONCE = """(() => {
  const { prototype } = axe.commons.color.Color, { parseString } = prototype, known = new Map();
  prototype.parseString = function (text) {
    const { r, g, b, alpha } = known.get(text) ?? parseString.call(this, text);
    known.set(text, { r, g, b, alpha });
    return Object.assign(this, { r, g, b, alpha });
  };
})();"""


def violations(page: Page, within: str | None = None, **rules: bool) -> list[str]:
    """Of the whole page, or of what the selector `within` finds; `rules` turns single ones on or off by name."""
    chosen = {name.replace("_", "-"): {"enabled": on} for name, on in rules.items()}
    options = {"runOnly": TAGS, "rules": chosen, "resultTypes": ["violations"], "selectors": False}
    found: list[str] = page.evaluate(RUN, [PATH, within, options])
    return found


def with_axe(service: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """The service, at which browsers find axe as well."""
    script = f"{AXE_SCRIPT}\n{ONCE}".encode()

    def answered(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != PATH:
            return service(environ, start_response)
        start_response("200 OK", [("Content-Type", "text/javascript"), ("Cache-Control", "max-age=3600")])
        return [script]

    return answered
