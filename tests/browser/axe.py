"""What axe has to complain about in a page. It asks for less than the package's own `Axe`, which packs and sends every
rule that holds with every element it holds for: that took twice the time of the rules themselves.
"""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async ([within, options]) => {
  const {violations} = await axe.run(within ?? document, options);
  return violations.flatMap(({id, nodes}) =>
    nodes.map(({html, failureSummary}) => `${id}: ${html} ${failureSummary}`));
}"""


def violations(page: Page, within: str | None = None, **rules: bool) -> list[str]:
    """Of the whole page, or of what the selector `within` finds; `rules` turns single ones on or off by name."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    chosen = {name.replace("_", "-"): {"enabled": on} for name, on in rules.items()}
    options = {"runOnly": TAGS, "rules": chosen, "resultTypes": ["violations"], "selectors": False}
    found: list[str] = page.evaluate(RUN, [within, options])
    return found
