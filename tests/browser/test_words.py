"""Public pages in two languages that nobody speaks: no word of ours is cut off or hidden from a reader."""

from __future__ import annotations

import pytest
from django.utils import timezone
from django.utils.translation import trans_real

from accounts.models import Workspace
from feed.models import Card
from publishing.models import Bake, Subscriber, SubscriptionRequest
from publishing.pages.files import page_files
from tests.browser.axe import violations
from tests.browser.test_every_page import SIZES, both_sizes, turn_into
from tests.browser.waiting import resize
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
LONGER = "en-XA"  # whose words need more room than English has
SEEN_BY_AXE = ("/confirm/", "/unsubscribe/")
THEIRS = "Ακτή του βορρά"  # words of people, in letters that none of ours has
#: What the words of a page have no room for.
CLIPPED = """() => {
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (!own || box.width < 3 || style.clipPath.startsWith("inset") || element.closest("textarea")) continue;
    if (style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1) {
      found.push(`${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 60)}`);
    }
  }
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found.push(`the page is ${wide} px too wide`);
  return found;
}"""


def theirs(content):
    """A content in which every text of people is THEIRS."""
    if isinstance(content, dict):
        told = ("title", "text", "alt", "summary", "author")
        return {
            k: THEIRS if k in told and v and isinstance(v, str) else theirs(v) for k, v in content.items()
        }
    return [theirs(each) for each in content] if isinstance(content, list) else content


@pytest.fixture
def addresses(settings, spoken_by_nobody, live_story):
    """The pages of a capsule in a language, once its catalogue is among those that are offered."""
    settings.LOCALE_PATHS = [spoken_by_nobody, *settings.LOCALE_PATHS]
    settings.LANGUAGES = [*settings.LANGUAGES, ("en-xa", "en-XA"), ("ar-xb", "ar-XB")]
    workspace = live_story.workspace
    type(workspace).objects.filter(pk=workspace.pk).update(title=THEIRS)
    Card.objects.filter(workspace=workspace).update(title=THEIRS, author_name=THEIRS, excerpt=THEIRS)
    for card in Card.objects.filter(workspace=workspace):
        Card.objects.filter(pk=card.pk).update(cover={**card.cover, "alt": THEIRS})

    def made(language: str) -> list[str]:
        for bake in Bake.objects.all():
            Bake.objects.filter(pk=bake.pk).update(content={**theirs(bake.content), "language": language})
        who = {"workspace": workspace, "email": f"{language.lower()}@example.org", "language": language}
        asked = SubscriptionRequest.objects.create(**who)
        reader = Subscriber.objects.create(**who, source="form", consent="-", confirmed_at=timezone.now())
        return [
            PATH,
            f"{PATH}/embed",
            f"/report?link={PATH}",
            f"/subscribe/north-shore?language={language}",
            f"/?language={language}",
            f"/north-shore?language={language}",
            f"/report?language={language}",
            f"/confirm/{asked.token}",
            f"/unsubscribe/{reader.token}",
        ]

    yield made
    for language in ("en-xa", "ar-xb"):
        trans_real._translations.pop(language, None)  # which Django keeps for good


def test_no_word_of_ours_is_cut_off_where_words_are_longer_and_where_they_run_the_other_way(
    site, addresses, open_tab
):
    """Axe has seen most pages in English: two it sees here."""
    tab = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True)
    for number, address in enumerate(addresses(LONGER)):
        tab.page.goto(site + address)
        is_seen_by_axe = address.startswith(SEEN_BY_AXE)
        for size in both_sizes(tab) if is_seen_by_axe or number < 2 else SIZES[:1]:
            if is_seen_by_axe:
                turn_into(tab, size)
                assert violations(tab.page) == [], (size, address)
            else:
                resize(tab.page, *size)
            assert tab.page.evaluate(CLIPPED) == [], (size, address)
    page_files().drop_all()
    tab.page.set_viewport_size({"width": 390, "height": 844})
    for address in addresses("ar-XB")[:5]:
        tab.page.goto(site + address)
        assert tab.page.evaluate("[document.documentElement.dir]") == ["rtl"], address
        assert tab.page.evaluate(CLIPPED) == [], address


#: How a name that has no room begins: whether its first letter is seen.
BEGINS = """(name) => {
  const letter = document.createRange();
  letter.setStart(name.firstChild, 0);
  letter.setEnd(name.firstChild, 1);
  const [at, seen] = [letter.getBoundingClientRect(), name.getBoundingClientRect()];
  const room = name.parentElement.getBoundingClientRect();
  return seen.width <= room.width && at.left >= seen.left - 1 && at.right <= seen.right + 1;
}"""


def test_a_name_with_no_room_is_cut_at_its_end_in_a_page_that_runs_the_other_way(
    site, live_story, rendered, api, open_tab
):
    named = {"language": "ar", "edition_label": "The one with simpler words and with questions"}
    edition = factories.make_edition(live_story, rendered, **named)
    assert api.publish(edition).status_code == 200
    Workspace.objects.update(title="The North Shore Press of Aldermoor and Harrow")
    page_files().drop_all()
    page = open_tab("about:blank").page
    for path, name, width in (
        (f"{PATH}/embed?edition=classroom", ".brand bdi", 280),
        (f"{PATH}?edition=classroom", ".label bdi", 1440),
    ):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(site + path)
        assert page.locator("html").get_attribute("dir") == "rtl"
        begun = page.locator(name)
        assert begun.evaluate(BEGINS), path
        assert begun.evaluate("(name) => name.scrollWidth > name.clientWidth"), "it has no room"
