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


def test_letters_of_the_machine_are_as_wide_as_the_typeface_they_stand_for(site, live_story, open_tab):
    page = open_tab(f"{site}/north-shore/small-voyages", width=390, height=844).page
    for look in ("", "face-sans", "face-slab"):
        for weight in ("400", "600"):
            own, other = page.evaluate(WIDTHS, [look, weight, WORDS])
            assert own != other, (look, weight)
            assert other == pytest.approx(own, rel=0.015), (look, weight)


@pytest.mark.parametrize("form", ["", "/embed"])
@pytest.mark.parametrize("language", ["ar", "hi", "th", "ur"])
def test_lines_of_a_title_do_not_touch_where_letters_are_high(site, live_story, open_tab, form, language):
    page = open_tab(f"{site}/north-shore/small-voyages{form}").page
    page.evaluate("(language) => { document.documentElement.lang = language }", language)
    lines = page.locator("h1").evaluate(
        "(it) => [getComputedStyle(it).lineHeight, getComputedStyle(it).fontSize].map(parseFloat)"
    )
    assert lines[0] / lines[1] >= 1.3
