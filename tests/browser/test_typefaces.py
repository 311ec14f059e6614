"""Until a typeface is here, letters of the machine stand for it, as wide: few lines break elsewhere when it comes."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = "The last ferry leaves Aldermoor at dusk, whether or not anybody is on it. Every October she sits by the beech."
#: Widths of words in the typeface of a look, and in what stands for it.
WIDTHS = """async ([look, weight, words]) => {
  const line = document.createElement("div");
  line.className = look;
  Object.assign(line.style, { position: "absolute", whiteSpace: "nowrap", fontSize: "20px", fontWeight: weight });
  line.textContent = words;
  document.body.append(line);
  const [family, ...others] = getComputedStyle(line).getPropertyValue("--serif").split(", ");
  await document.fonts.load(`${weight} 20px ${family}`);
  return [[family, ...others], others].map((stack) => {
    line.style.fontFamily = stack.join(", ");
    return line.getBoundingClientRect().width;
  });
}"""


def test_letters_of_the_machine_are_as_wide_as_the_typeface_and_lines_of_high_letters_do_not_touch(
    site, live_story, open_tab
):
    page = open_tab("about:blank", width=390, height=844, reduced_motion="reduce").page
    for form in ("/embed", ""):
        page.goto(f"{site}/north-shore/small-voyages{form}")
        for language in ("ar", "hi", "th", "ur"):
            page.evaluate("(language) => { document.documentElement.lang = language }", language)
            lines = page.locator("h1").evaluate(
                "(it) => [getComputedStyle(it).lineHeight, getComputedStyle(it).fontSize].map(parseFloat)"
            )
            assert lines[0] / lines[1] >= 1.3, (form, language)

    page.evaluate("() => { document.documentElement.lang = 'en' }")
    for look in ("", "face-sans", "face-slab"):
        for weight in ("400", "600"):
            own, other = page.evaluate(WIDTHS, [look, weight, WORDS])
            assert own != other, (look, weight)
            assert other == pytest.approx(own, rel=0.015), (look, weight)
