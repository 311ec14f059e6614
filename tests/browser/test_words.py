"""Public pages in two languages that nobody speaks: no word of ours is left out, cut off or hidden from a reader."""

from __future__ import annotations

import pytest
from django.utils import timezone
from django.utils.translation import trans_real
from playwright.sync_api import expect

from accounts import proofs
from accounts.models import Workspace
from accounts.throttling import RateExceeded
from config.errors import Conflict
from feed.models import Card
from publishing.models import Bake, Report, Subscriber, SubscriptionRequest
from publishing.moderation import pages as moderation_pages
from publishing.pages.files import page_files
from tests.browser.axe import violations
from tests.browser.test_every_page import both_sizes, turn_into
from tests.browser.waiting import resize
from tests.moderation.conftest import freeze, staff
from tests.support import factories

__all__ = ["freeze", "staff"]
pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
LONGER = "en-XA"  # whose words need more room than English has
SEEN_BY_AXE = ("/confirm/", "/unsubscribe/")
THEIRS = "Ακτή του βορρά"  # words of people, in letters that none of ours has
#: Texts and attributes with Latin words of ours: names, addresses and code aside.
PLAIN = """() => {
  const allowed = /[A-Z0-9]{4}-[A-Z0-9]{4}|Capsules|Facebook|WhatsApp|LinkedIn|Bluesky|\\S+@\\S+|\\/[\\w\\/-]+/g;
  const found = [];
  const look = (text, where) => {
    if (/[A-Za-z]{2,}/.test(text.replace(allowed, ""))) found.push(`${where}: ${text.trim()}`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const holder = walker.currentNode.parentElement;
    if (holder.closest("script, noscript, style, textarea, time, data, .languages a")) continue; // each names itself
    look(walker.currentNode.data, holder.tagName);
  }
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      const isSaid = ["aria-label", "title", "alt", "placeholder", "aria-description"].includes(name);
      const isForScripts = ["data-copied", "data-refused", "data-failed", "data-play", "data-pause", "data-doing",
        "data-done"].includes(name);
      if (isSaid || isForScripts) look(value, name);
    }
  }
  look(document.title, "title");
  return found;
}"""
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
            f"/report?language={language}",
            f"/subscribe/north-shore?language={language}",
            f"/confirm/{asked.token}",
            f"/unsubscribe/{reader.token}",
            f"/?language={language}",
            f"/north-shore?language={language}",
        ]

    yield made
    for language in ("en-xa", "ar-xb"):
        trans_real._translations.pop(language, None)  # which Django keeps for good


def test_every_word_of_ours_is_in_the_language_of_the_page_and_none_is_cut_off(site, addresses, open_tab):
    tab = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True)
    for language, direction in ((LONGER, "ltr"), ("ar-XB", "rtl")):
        page_files().drop_all()
        for address in addresses(language):
            tab.page.goto(site + address)
            for width, height in both_sizes(tab):
                where = (language, width, address)
                # Axe has seen the others in English: these on a phone from right to left, and on a desk.
                if address.startswith(SEEN_BY_AXE) and (width == 390) == (language == "ar-XB"):
                    turn_into(tab, (width, height))
                    assert violations(tab.page) == [], where
                else:
                    resize(tab.page, width, height)
                look_at(tab.page, direction, where)


SENT = """([path, fields]) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: path });
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement("input"), { name, value }));
  }
  document.body.append(form);
  form.submit();
}"""


def sent_forms() -> list[tuple[str, str, dict[str, str], int]]:
    """What is answered to forms: a name, where each is sent, what it says, and the status."""
    email = f"{LONGER.lower()}@example.org"
    asked, reader = SubscriptionRequest.objects.get(email=email), Subscriber.objects.get(email=email)
    subscribe, report = f"/subscribe/north-shore?language={LONGER}", f"/report?link={PATH}"
    said, address = {"why": "spam"}, {"email": "new@example.org"}
    return [
        ("no address", subscribe, {"email": "none"}, 400),
        ("asked", subscribe, address, 200),
        ("confirmed", f"/confirm/{asked.token}", {}, 200),
        ("left", f"/unsubscribe/{reader.token}", {}, 200),
        ("erased", f"/unsubscribe/{reader.token}/delete", {}, 200),
        ("gone", f"/confirm/none?language={LONGER}", {}, 404),
        ("nothing said", report, {}, 400),
        ("elsewhere", f"/report?link=https://other.example/a&language={LONGER}", {}, 400),
        ("not there", f"/report?link=/north-shore/none&language={LONGER}", {}, 404),
        ("sent", report, said, 200),
        ("answered", report, said, 409),
        ("too many reports", report, said, 429),
        ("too often asked", subscribe, address, 429),
    ]


def prepare(name: str, monkeypatch) -> None:
    """What must be so before a form is answered in this way."""
    if name == "answered":
        monkeypatch.setattr(moderation_pages.actions, "report", refuse(Conflict("It was decided already.")))
    if name.startswith("too "):
        monkeypatch.setattr(proofs, "check_rate", refuse(RateExceeded("report", 5, 600)))
        monkeypatch.setattr(proofs, "LARGEST", 200)  # sums, which the browser does


def refuse(error: Exception):
    def refused(*args: object, **kwargs: object) -> None:
        raise error

    return refused


def test_every_answer_to_a_form_is_in_the_language_of_the_page(site, addresses, open_tab):
    addresses(LONGER)
    page = open_tab("about:blank", width=390, height=844, reduced_motion="reduce", bypass_csp=True).page
    page.goto(f"{site}/north-shore?language={LONGER}")
    for name, path, fields, status in sent_forms():
        with pytest.MonkeyPatch.context() as patch, page.expect_navigation():
            prepare(name, patch)
            page.evaluate(SENT, [path, fields])
            page.wait_for_url(lambda url, path=path: url.endswith(path))
        told = page.evaluate("performance.getEntriesByType('navigation')[0].responseStatus")
        assert told == status, name
        look_at(page, "ltr", (name,))


def test_a_notice_of_what_was_taken_down_is_in_the_language_of_the_capsule(
    site, addresses, live_story, freeze, open_tab
):
    tab = open_tab("about:blank", width=390, height=844, reduced_motion="reduce", bypass_csp=True)
    for language, direction in (("en-XA", "ltr"), ("ar-XB", "rtl")):
        addresses(language)
        if language == "en-XA":
            freeze(live_story)
        page_files().drop_all()
        for path in (PATH, f"{PATH}/embed"):
            tab.page.goto(site + path)
            told = tab.page.evaluate("performance.getEntriesByType('navigation')[0].responseStatus")
            assert told in (404, 451)
            look_at(tab.page, direction, (language, path))


def look_at(page, direction: str, where: tuple[object, ...]) -> None:
    assert page.evaluate("[document.documentElement.dir]") == [direction], where
    assert page.evaluate(PLAIN) == [], where
    assert page.evaluate(CLIPPED) == [], where


def test_the_form_to_report_in_arabic_needs_no_script(site, live_story, open_tab):
    bake = Bake.objects.get()
    Bake.objects.filter(pk=bake.pk).update(content={**bake.content, "language": "ar"})
    tab = open_tab(f"{site}/report?link={PATH}", width=390, height=844, java_script_enabled=False)
    page = tab.page
    assert page.locator("html").get_attribute("lang") == "ar"
    assert page.locator("html").get_attribute("dir") == "rtl"
    page.get_by_role("button", name="إرسال البلاغ").click()
    expect(page.get_by_role("alert")).to_contain_text("يُرجى اختيار المشكلة.")
    page.get_by_role("radio", name="رسائل مزعجة أو احتيال أو خداع").check()
    page.get_by_label("عنوان بريدك الإلكتروني").fill("reader@example.org")
    page.get_by_role("button", name="إرسال البلاغ").click()
    expect(page.get_by_role("heading", name="شكرًا لك، أُرسل بلاغك")).to_be_visible()
    assert Report.objects.get().language == "ar"


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
