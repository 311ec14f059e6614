"""Every page as a person meets it, on a phone and on a desk: nothing lies over a link or a button, axe is content."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from accounts import actions as account_actions
from accounts.models import User
from tests.browser.test_accessibility import TAGS

pytestmark = pytest.mark.django_db(transaction=True)
SIZES = [(390, 844), (1440, 900)]
PUBLIC = [
    "/",
    "/north-shore",
    "/harbour-of-none",
    "/north-shore/small-voyages",
    "/north-shore/small-voyages/embed",
    "/subscribe/north-shore",
    "/account/login/",
    "/account/signup/",
    "/account/password/reset/",
    "/api/v2/docs",
]
OF_A_PERSON = [
    "/account/",
    "/account/connected-apps",
    "/account/email/",
    "/account/password/change/",
    "/account/2fa/",
    "/account/sessions/",
    "/account/workspaces/{workspace}",
    "/account/workspaces/{workspace}/members",
    "/account/workspaces/{workspace}/keys",
    "/account/workspaces/{workspace}/audit-log",
    "/subscribers/north-shore",
]
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


@pytest.fixture
def signed_in(site, north_shore, owner: User, client) -> list[dict]:
    """The cookies of North Shore's owner, who has a key and an open invitation."""
    account_actions.create_api_key(north_shore, by=owner)
    client.force_login(owner)
    return [{"name": name, "value": cookie.value, "url": site} for name, cookie in client.cookies.items()]


def faults(tab) -> list[str]:
    tab.page.wait_for_load_state("networkidle")
    found = Axe().run(tab.page, options={"runOnly": TAGS}).response["violations"]
    violations = [f"{v['id']}: {node['html'][:160]}" for v in found for node in v["nodes"]]
    return violations + [f"covered: {one}" for one in tab.page.evaluate(COVERED)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_page_is_accessible_and_nothing_covers_its_links(site, live_story, open_tab, size, address):
    tab = open_tab(site + address, width=size[0], height=size[1], reduced_motion="reduce", bypass_csp=True)
    assert faults(tab) == []


@pytest.mark.parametrize("size", SIZES)
def test_the_pages_of_a_person_are_accessible_and_nothing_covers_their_links(
    site, live_story, open_tab: Callable, signed_in, north_shore, size
):
    tab = open_tab(site, width=size[0], height=size[1], reduced_motion="reduce", bypass_csp=True)
    tab.page.context.add_cookies(signed_in)
    found = {}
    for address in OF_A_PERSON:
        tab.page.goto(site + address.format(workspace=north_shore.pk))
        assert "/login/" not in tab.page.url, address
        found[address] = faults(tab)
    assert not any(found.values()), found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("address", ["/", "/north-shore", "/account/login/", "/api/v2/docs"])
def test_every_link_of_a_page_leads_somewhere(site, live_story, open_tab, client, size, address):
    tab = open_tab(site + address, width=size[0], height=size[1])
    links = tab.page.eval_on_selector_all("a[href]", "(links) => links.map((link) => link.href)")
    ours = {link.removeprefix(site).partition("#")[0] for link in links if link.startswith(site)} - {""}
    assert ours
    tab.page.wait_for_load_state("networkidle")
    assert tab.complaints == []
    assert {link: client.get(link).status_code for link in ours if client.get(link).status_code >= 400} == {}
