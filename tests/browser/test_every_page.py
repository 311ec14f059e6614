"""Every page as a person meets it, on a phone and on a desk: nothing lies over a link or a button, axe is content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from playwright.sync_api import Page, expect

from accounts.actions import keys, members
from accounts.actors import Actor
from accounts.models import User, Webhook, WebhookDelivery
from accounts.webhooks.actions import make_webhook
from capsules.models import Encode
from publishing.by_apps import notices
from publishing.by_apps.asks import ask_address
from publishing.models import PublishAsk, PublishNotice
from tests.browser.axe import violations
from tests.support.chromium import cookies_of
from tests.support.factories import PASSWORD, make_story

pytestmark = pytest.mark.django_db(transaction=True)
SIZES = [(390, 844), (1440, 900)]
LONG_ADDRESS = f"https://hooks.example.com/services/{'X' * 120}"
#: Our own pages are light or dark as a person prefers; a capsule is as its author chose.
GROUNDS = {"light": "rgb(246, 243, 240)", "dark": "rgb(21, 16, 31)"}
GROUND = "getComputedStyle(document.documentElement).backgroundColor"
#: A capsule as a page is looked at in test_accessibility.
PUBLIC = [
    "/",
    "/north-shore",
    "/north-shore/no-such-capsule",
    "/north-shore/small-voyages/embed",
    "/subscribe/north-shore",
    "/privacy",
    "/account/login/",
    "/account/signup/",
    "/account/password/reset/",
]
OF_A_PERSON = [
    "/account/",
    "/account/connected-apps",
    "/account/connected-apps/new-token",
    "/account/email/",
    "/account/password/change/",
    "/account/2fa/",
    "/account/2fa/webauthn/",
    "/account/2fa/webauthn/add/",
    "/account/sessions/",
    "/account/workspaces/{workspace}",
    "/account/workspaces/{workspace}/members",
    "/account/workspaces/{workspace}/keys",
    "/account/workspaces/{workspace}/audit-log",
    "/account/workspaces/{workspace}/webhooks",
    "/account/workspaces/{workspace}/webhooks/{webhook}",
    "/account/workspaces/{workspace}/apps",
    "/studio/{workspace}/face",
    "/account/reauthenticate/",
    "/studio/{workspace}/media",
    "/subscribers/{workspace}",
]
#: What apps made public and ask for: told in the studio, asked, and a page behind a link of the mail.
OF_APPS = ["/studio/{workspace}", "{asked}", "{stop}"]
#: Whether axe looks at both sizes: one page of each kind has all that the others are made of.
OF_STAFF = {
    "/admin/?q=small": True,
    "/admin/capsules/story/": True,
    "/admin/capsules/story/{story}/change/": True,
    "/admin/accounts/workspace/{workspace}/change/": False,
}
#: What can be pressed and is covered by something else in the middle of its first line, once it is scrolled to.
COVERED = """() => {
  const reachable = (one) => one.checkVisibility({opacityProperty: true, visibilityProperty: true})
    && !one.closest('[aria-hidden=true], [inert], [tabindex="-1"]:not(main), .visually-hidden');
  const what = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
  const pressed = [...document.querySelectorAll(what)];
  return pressed.filter(reachable).filter((one) => {
    one.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    const [box] = one.getClientRects();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return !(top && (one === top || one.contains(top) || [...(one.labels ?? [])].some((label) => label.contains(top))));
  }).map((one) => one.outerHTML.slice(0, 160));
}"""
#: What is wider than its place. Code to copy keeps its lines; the scenes of an embed, and tabs, stand side by side.
SIDEWAYS = """() => [...document.querySelectorAll('html, body *')].filter((one) =>
  one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1 && !one.closest('.snippet, .paper, .deck, .tabs')
  && (one === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(one).overflowX))
).map((one) => `${one.scrollWidth} of ${one.clientWidth}: ${one.outerHTML.slice(0, 120)}`)"""
#: Boxes that a finger 20 pixels above or below their middle does not tick, and links like buttons, off their centre.
MISSED = """() => [...document.querySelectorAll('input[type=checkbox]:not([tabindex])')].filter((box) => {
  if (!box.checkVisibility({visibilityProperty: true})) return false;
  box.scrollIntoView({block: 'center', behavior: 'instant'});
  const {left, top, width, height} = box.getBoundingClientRect();
  return ![-20, 20].every((down) => {
    const pressed = document.elementFromPoint(left + width / 2, top + height / 2 + down);
    return pressed === box || [...box.labels].some((label) => label.contains(pressed));
  });
}).concat([...document.querySelectorAll('a.pill')].filter((one) => getComputedStyle(one).textAlign !== 'center'))
  .map((one) => one.outerHTML.slice(0, 160))"""
#: Opens what is folded, but the form to change a webhook, which is that of a new one.
OPENS = """() => document.querySelectorAll('main details:not(:has([name=types]))')
  .forEach((it) => { it.open = true; })"""
#: Colours that are on their way to those of the other scheme are there, once scripts have heard of it.
AT_ONCE = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  document.getAnimations().filter((one) => one instanceof CSSTransition).forEach((one) => one.finish());
}"""


@pytest.fixture
def signed_in(site, north_shore, owner: User, client) -> list[dict]:
    """The cookies of North Shore's owner, who has keys and a webhook with a long address that refused something."""
    keys.create_api_key(north_shore, by=owner)
    hook, _ = make_webhook(north_shore, url=LONG_ADDRESS, by=Actor.by_token(owner))
    tried = {"at": "2026-11-24T10:00:00Z", "status": 500, "error": None, "ms": 12, "answer": "No" * 200}
    WebhookDelivery.objects.create(webhook=hook, type="story.restored", sample={}, attempts=[tried], tries=1)
    owner.set_password(PASSWORD)
    owner.save()
    client.post("/account/login/", {"login": owner.email, "password": PASSWORD})
    Authenticator.objects.create(user=owner, type="webauthn", data={"name": "Blue key", "credential": {}})
    return cookies_of(client, site)


def faults(tab, ground: str | None = None) -> list[str]:
    tab.page.wait_for_load_state()
    found = violations(tab.page)
    look = f"[{GROUND}, ({SIDEWAYS})(), ({COVERED})(), ({MISSED})()]"
    seen, sideways, covered, missed = tab.page.evaluate(look)
    found += [f"scrolls sideways: {one}" for one in sideways]
    found += [f"covered: {one}" for one in covered] + [f"hard to hit: {one}" for one in missed]
    return found + [f"ground: {seen}"] * (ground not in (None, seen))


def both_sizes(tab) -> list[tuple[int, int]]:
    """First the one that the page has: to turn a page costs half of what it costs to open it."""
    return sorted(SIZES, key=lambda size: size[0] != tab.page.viewport_size["width"])


def faults_on_both(tab, *, of_capsule: bool = False) -> list[str]:
    found = []
    for size in both_sizes(tab):
        scheme = turn_into(tab, size)
        found += [f"{size}: {one}" for one in faults(tab, GROUNDS["dark" if of_capsule else scheme])]
    return found


def turn_into(tab, size: tuple[int, int]) -> str:
    """A phone or a desk; returns the scheme that whoever has it prefers."""
    scheme: Literal["light", "dark"] = "light" if size[0] < 960 else "dark"
    tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    tab.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    tab.page.evaluate(AT_ONCE)
    return scheme


def test_public_pages_are_accessible_and_nothing_covers_their_links(site, live_story, open_tab):
    tab = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True)
    found = {}
    for address in PUBLIC:
        tab.page.goto(site + address)
        found[address] = faults_on_both(tab, of_capsule=address.endswith("/embed"))
    assert not any(found.values()), found


def test_the_operations_of_the_api_are_drawn_once_somebody_comes_near(site, db, open_tab):
    tab = open_tab(f"{site}/api/v2/docs", reduced_motion="reduce", bypass_csp=True, with_requests=True)
    tab.page.wait_for_load_state("networkidle")
    assert not [url for url in tab.requests if "swagger" in url]
    tab.page.get_by_role("heading", name="All operations").scroll_into_view_if_needed()
    tab.page.get_by_role("button", name="Expand operation").first.wait_for(state="attached")
    tab.page.get_by_role("heading", name="Publication").click()
    tab.page.get_by_text("/api/v2/stories/{id}/publication").first.wait_for()
    assert faults_on_both(tab) == []
    assert tab.complaints == []


@pytest.fixture
def addresses(site, live_story, owner: User, rendered, signed_in) -> dict[str, str]:
    """The pages of a person, of whom an app asks something and whom it told of something, and what each names."""
    draft = make_story(live_story.workspace, rendered, title="Asked for")
    asked = PublishAsk.objects.create(story=draft, user=owner, credential="app:1", app="Scribe")
    when = live_story.publication.published_at
    notice = PublishNotice.objects.create(story=live_story, user=owner, app="Scribe", published_at=when)
    rows = {
        "workspace": draft.workspace_id,
        "webhook": Webhook.objects.get().pk,
        "asked": ask_address(asked).removeprefix(settings.APP_URL),
        "stop": notices.stop_address(notice, notices.STOPS[0]).removeprefix(settings.APP_URL),
    }
    named = dict.fromkeys(OF_A_PERSON, "") | dict.fromkeys(OF_APPS, "Scribe")
    return {address.format(**rows): name for address, name in named.items()}


def test_the_pages_of_a_person_are_accessible_and_nothing_covers_their_links(
    site, live_story, open_tab: Callable, signed_in, addresses
):
    page = (tab := open_tab(site, reduced_motion="reduce", bypass_csp=True)).page
    page.context.add_cookies(signed_in)
    found = {}
    for address, name in addresses.items():
        assert page.goto(site + address).status == 200, address
        assert "/login/" not in page.url and name in page.content(), address
        page.evaluate(OPENS)
        found[address] = faults_on_both(tab)
    page.goto(f"{site}/studio/stories/{live_story.pk}")
    for size in SIZES:
        assert GROUNDS[turn_into(tab, size)] == page.evaluate(GROUND), "the editor"
    assert not any(found.values()), found


def test_the_pages_that_ask_for_a_code_are_accessible(site, owner: User, client, open_tab: Callable):
    tab = open_tab(site, reduced_motion="reduce", bypass_csp=True)

    def shown(address: str, form: dict[str, str], says: str) -> list[str]:
        client.cookies.clear()
        client.post(address, form)
        tab.page.context.clear_cookies()
        tab.page.context.add_cookies(cookies_of(client, site))
        tab.page.goto(site + client.get(address).headers.get("Location", address))
        expect(tab.page.get_by_role("heading", level=1)).to_have_text(says)
        return faults_on_both(tab)

    new = {"email": "anna@example.com", "password1": "a-long-enough-secret", "name": "Anna", "title": "Anna"}
    assert shown("/account/signup/", new, "Enter the code from your inbox") == []
    owner.set_password(PASSWORD)
    owner.save()
    TOTP.activate(owner, generate_totp_secret())
    sign_in = {"login": owner.email, "password": PASSWORD}
    assert shown("/account/login/", sign_in, "Second factor") == []


def test_the_pages_of_staff_are_accessible_and_as_wide_as_the_window(
    site, live_story, open_tab: Callable, client
):
    Encode.objects.filter(pk=live_story.scenes.first().still_encode_id).update(state="failed")
    client.force_login(User.objects.create_superuser("staff@capsules.example", "x"))
    tab = open_tab(site, reduced_motion="reduce", bypass_csp=True)
    tab.page.context.add_cookies(cookies_of(client, site))
    found = {}
    for address, on_both in OF_STAFF.items():
        tab.page.goto(site + address.format(story=live_story.pk, workspace=live_story.workspace_id))
        for turn, size in enumerate(both_sizes(tab)):
            turn_into(tab, size)
            width = tab.page.evaluate("document.documentElement.scrollWidth")
            found[address, size] = [f"{width} px wide"] * (width > size[0])
            if on_both or turn == 0:
                found[address, size] += violations(tab.page)
            if address == "/admin/?q=small":
                what = tab.page.get_by_role("link", name="Failed encodes")
                assert what.bounding_box()["height"] < 40, "it stands in one line"
    assert not any(found.values()), found


def test_every_part_is_in_the_navigation_and_everything_ends_with_the_masthead_and_the_window(
    site, open_tab: Callable, signed_in, north_shore
):
    page = (tab := open_tab("about:blank")).page
    page.context.add_cookies(signed_in)
    page.goto(f"{site}/studio/{north_shore.pk}")
    for size in SIZES[::-1]:
        turn_into(tab, size)
        leads_everywhere(page, has_menu=size[0] < 960)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("navigation", name="Service").get_by_role("link", name="Settings").click()
    page.wait_for_url("**/account/**")
    page.set_viewport_size({"width": 768, "height": 1024})
    leads_everywhere(page, has_menu=True)

    page.goto(f"{site}/account/workspaces/{north_shore.pk}/audit-log")
    for size in SIZES:
        turn_into(tab, size)
        tabs = page.get_by_role("navigation", name="Workspace")
        assert tabs.bounding_box()["height"] < 60, f"in one row: {size}"
        expect(tabs.locator("[aria-current]")).to_be_in_viewport(ratio=0.9)
    page.goto(f"{site}/account/sessions/")
    for width, height in SIZES:
        turn_into(tab, (width, height))
        edge = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.masthead')).paddingRight)")
        last = page.locator(".masthead").get_by_role("button", name="Menu" if width < 960 else "Sign out")
        assert right_of(last) == pytest.approx(width - edge, abs=1)
        foot = page.get_by_role("contentinfo").bounding_box()
        assert foot["y"] + foot["height"] == pytest.approx(height, abs=1), width


def leads_everywhere(page: Page, *, has_menu: bool) -> None:
    if has_menu:
        expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
        page.get_by_role("button", name="Menu").click()
    navigation = page.get_by_role("navigation", name="Service")
    for name in ("Capsules", "Media", "Subscribers", "Settings", "Account"):
        expect(navigation.get_by_role("link", name=name, exact=True)).to_be_in_viewport(ratio=1)
    expect(navigation.get_by_role("button", name="Sign out")).to_be_in_viewport(ratio=1)
    switcher = page.get_by_text("North Shore Press").first
    switcher.click()
    expect(navigation.get_by_role("link", name="New workspace")).to_be_in_viewport(ratio=1)
    navigation.get_by_role("link", name="Media").click(trial=True)  # nothing lies over it
    switcher.click()
    if has_menu:
        page.keyboard.press("Escape")


def right_of(one) -> float:
    box = one.bounding_box()
    return box["x"] + box["width"]


def test_a_mail_is_no_wider_than_a_phone_whatever_words_it_has(
    north_shore, owner: User, open_tab, mailoutbox
):
    address = f"somebody@{'subdomain.' * 6}example"
    members.invite(north_shore, address, role="editor", by=owner)
    page = open_tab("about:blank", width=320).page
    page.set_content(mailoutbox[0].alternatives[0][0])
    expect(page.get_by_text(address)).to_be_visible()
    assert page.evaluate(SIDEWAYS) == []
