"""The public page and the embed as bytes: what is in them, for whom, and what never is."""

from __future__ import annotations

import json
import re

import pytest
from django.conf import settings

from capsules.actions import previews
from capsules.templatetags import blobs
from publishing import clips
from publishing.models import Publication
from publishing.pages.reading import find_next
from tests.support import factories
from tests.support.listing import list_capsules
from tests.support.markup import metas, parsed

pytestmark = pytest.mark.django_db
PATH = "/north-shore/small-voyages"


def links(response, rel: str) -> list[dict[str, str]]:
    return [dict(link.attrib) for link in parsed(response).iter("link") if link.get("rel") == rel]


def json_ld(response) -> dict[str, dict]:
    (script,) = [s for s in parsed(response).iter("script") if s.get("type") == "application/ld+json"]
    return {thing["@type"]: thing for thing in json.loads(script.text)["@graph"]}


def test_nothing_opens_before_the_publish_or_after_the_unpublish(ready_story, api, client):
    def statuses() -> list[int]:
        return [client.get(PATH + ending).status_code for ending in ("", "/embed")]

    assert statuses() == [404, 404]
    api.publish(ready_story)
    assert statuses() == [200, 200]
    api.unpublish(ready_story)
    assert statuses() == [404, 404] and "Nothing here" in client.get(PATH).content.decode()


def test_an_address_without_a_capsule_leads_to_the_publisher_and_tells_nothing_of_what_is_not_public(
    live_story, rendered, api, client
):
    draft = factories.make_story(live_story.workspace, rendered, title="Another")
    api.publish(draft, slug="private", premiereEmailMode="OFF")
    api.unpublish(draft)
    for ending in ("", ".md"):
        gone, typo = (client.get(f"/north-shore/{slug}{ending}") for slug in ("private", "tpyo"))
        assert (gone.status_code, typo.status_code) == (404, 404)
        assert gone.content == typo.content
        assert {**gone.headers, "X-Request-ID": ""} == {**typo.headers, "X-Request-ID": ""}
        page = " ".join(gone.content.decode().split())
        assert '<a class="pill pill-accent" href="/north-shore"><span>More by' in page
        assert gone["Cache-Control"] == "no-cache"


def test_a_workspace_that_is_not_public_is_named_by_no_page(ready_story, client):
    page = client.get(PATH).content.decode()
    assert "/north-shore" not in page and "North Shore" not in page
    assert "This address leads nowhere" in page


def test_link_previews_show_title_opening_line_and_chosen_image(live_story, client):
    told = metas(client.get(PATH))
    assert told["og:title"] == told["twitter:title"] == "Small voyages"
    assert told["og:description"] == told["description"] == "This is scene 1 of Small voyages."
    assert (told["og:image:width"], told["og:image:height"]) == ("1200", "630")
    assert told["og:image:alt"] == "Picture 1."
    assert told["og:image"].startswith("http://127.0.0.1:8000/media/")
    assert client.get(told["og:image"].removeprefix("http://127.0.0.1:8000")).status_code == 200
    assert told["twitter:card"] == "summary_large_image"  # "player" needs an approval of each site
    assert re.fullmatch("#[0-9a-f]{6}", told["theme-color"])
    assert "og:video" not in told


def test_the_chosen_image_is_the_cover_scenes(north_shore, rendered, api, client):
    story = factories.make_story(north_shore, rendered, preview=False)
    story.cover = story.scenes.get(position=2)
    story.save()
    previews.build_preview(story)
    factories.finish_encodes(rendered)
    api.publish(story)
    assert metas(client.get(PATH))["og:image:alt"] == "Picture 3."


def test_the_social_clip_is_asked_for_after_the_publish_and_shown_once_it_is_ready(
    live_story, rendered, client
):
    publication = Publication.objects.select_related("live_bake__clip").get(story=live_story)
    assert clips.clip_of(publication) is None
    assert clips.request_missing() == 1
    assert clips.request_missing() == 0
    assert "og:video" not in metas(client.get(PATH))

    factories.finish_clips(rendered)
    clip = clips.clip_of(Publication.objects.select_related("live_bake__clip").get(story=live_story))
    told = metas(client.get(PATH))
    assert told["og:video"] == f"http://127.0.0.1:8000/media/{clip['name']}"
    size = (told["og:video:width"], told["og:video:height"])
    assert (told["og:video:type"], size) == ("video/mp4", (str(clip["width"]), str(clip["height"])))
    video = json_ld(client.get(PATH))["VideoObject"]
    assert video["contentUrl"] == told["og:video"]
    assert video["embedUrl"].endswith("/embed")


def test_films_play_by_themselves_without_a_sound(north_shore, rendered, api, client):
    api.publish(factories.make_story(north_shore, rendered, films=1))
    pages = [list(parsed(client.get(PATH + ending)).iter("video")) for ending in ("", "/embed")]
    assert all(pages)
    for film in (film.attrib for films in pages for film in films):
        assert {"muted", "playsinline", "loop"} <= set(film), "browsers would play none until it is tapped"
        assert (film["preload"], film["aria-hidden"], film["tabindex"]) == ("none", "true", "-1")


def test_over_https_tags_name_secure_addresses(live_story, client, settings):
    settings.APP_URL = "https://capsules.example"
    told = metas(client.get(PATH))
    assert told["og:image:secure_url"] == told["og:image"]
    assert told["og:image"].startswith("https://capsules.example/media/")


def test_search_engines_learn_of_the_article_and_its_languages(live_story, rendered, api, client):
    api.publish(factories.make_edition(live_story, rendered, "francais", language="fr-CA"))
    api.publish(factories.make_edition(live_story, rendered, "short"))
    expected = {
        "en": f"http://127.0.0.1:8000{PATH}",
        "fr-CA": f"http://127.0.0.1:8000{PATH}?edition=francais",
        "x-default": f"http://127.0.0.1:8000{PATH}",
    }
    for query in ("", "?edition=francais"):
        answer = client.get(PATH + query)
        hreflang = {a["hreflang"]: a["href"] for a in links(answer, "alternate") if "hreflang" in a}
        assert hreflang == expected
    article = json_ld(answer)["Article"]
    assert (article["headline"], article["inLanguage"]) == ("Small voyages, francais", "fr-CA")
    assert article["author"] == {"@type": "Person", "name": "Ines Okafor"}
    assert parsed(answer).get("lang") == "fr-CA"
    assert metas(answer)["og:locale"] == "fr_CA"
    assert "og:locale" not in metas(client.get(PATH)), "a language without a territory is no locale"


def test_a_white_label_capsule_shows_nothing_of_ours(ready_story, rendered, api, client):
    api.publish(ready_story, publicationMode="WHITE_LABEL")
    api.publish(factories.make_edition(ready_story, rendered))
    for ending in ("", "/embed", "?edition=classroom", "/embed?edition=classroom"):
        answer = client.get(PATH + ending)
        shown = answer.content.decode() + str(answer.headers)
        ours = re.findall(r"capsules?|favicon|mark\.svg|json\+oembed|xml\+oembed", shown, re.IGNORECASE)
        assert ours == [], ending
        assert "/subscribe/" not in shown, ending
        assert "embed" in ending or metas(answer)["og:site_name"] == "North Shore Press", ending


def test_an_ordinary_capsule_names_the_service(live_story, client):
    answer = client.get(PATH)
    assert metas(answer)["og:site_name"] == "Capsules"
    types = {link["type"] for link in links(answer, "alternate")}
    assert types == {
        "application/json+oembed",
        "text/xml+oembed",
        "text/markdown",
        "application/atom+xml",
        "application/feed+json",
    }


def test_a_white_label_capsule_leads_its_readers_to_no_branded_one(north_shore, rendered, api, client):
    white, branded, other = (
        factories.make_story(north_shore, rendered, title=title) for title in ("White", "Branded", "Other")
    )
    api.publish(other, publicationMode="WHITE_LABEL")
    api.publish(branded)
    api.publish(white, publicationMode="WHITE_LABEL")
    page = client.get("/north-shore/white").content.decode()
    assert "/north-shore/other" in page and "/north-shore/branded" not in page
    api.unpublish(other)
    assert "/north-shore/branded" not in client.get("/north-shore/white").content.decode()


def test_the_next_older_capsule_comes_next_and_the_newest_after_the_oldest(north_shore):
    oldest, middle, newest = (card.publication for card in list_capsules(north_shore, 3))
    assert [find_next(each).publication for each in (newest, middle, oldest)] == [middle, oldest, newest]


def test_editions_stand_in_the_order_in_which_they_were_made(live_story, rendered, api, client):
    for name in ("zulu", "alpha"):
        api.publish(factories.make_edition(live_story, rendered, name))
    page = client.get(PATH).content.decode()
    assert page.index("edition=zulu") < page.index("edition=alpha")


def test_what_comes_next_says_its_language(north_shore, rendered, live_story, api, client):
    api.publish(factories.make_story(north_shore, rendered, title="Weiter", language="de"))
    follows = {PATH: ("/north-shore/weiter", "de"), "/north-shore/weiter": (PATH, "en")}
    for address, other in follows.items():
        (link,) = [a for a in parsed(client.get(address)).iter("a") if a.get("rel") == "next"]
        assert (link.get("href"), link.get("hreflang")) == other


@pytest.mark.parametrize("ending", ["", "/embed"])
def test_before_any_script_the_first_scene_is_the_current_one(ending, live_story, client):
    marks = [a for a in parsed(client.get(PATH + ending)).iter("a") if a.get("aria-current") == "step"]
    assert [mark.get("href") for mark in marks] == ["#scene-1"]


def test_nothing_is_inline_so_that_one_policy_is_right_for_every_page(live_story, client):
    for path in (PATH, f"{PATH}/embed", "/", "/north-shore"):
        answer = client.get(path)
        tree = parsed(answer)
        assert "sha256-" not in answer["Content-Security-Policy"]
        assert not list(tree.iter("style"))
        assert not [
            e for e in tree.iter() if "style" in e.attrib or any(a.startswith("on") for a in e.attrib)
        ]
        assert not [s for s in tree.iter("script") if s.get("src") is None and s.get("type") is None]


def test_focus_and_colour_are_classes_that_the_style_sheet_knows(live_story, client):
    sheet = (settings.BASE_DIR / "static/looks.css").read_text()
    for path, kind in (
        (PATH, "scene"),
        (f"{PATH}/embed", "scene"),
        ("/", "cover"),
        ("/north-shore", "cover"),
    ):
        names = [e.get("class").split() for e in parsed(client.get(path)).iter() if "class" in e.attrib]
        looks = [classes[1:] for classes in names if classes[:1] == [kind]]
        assert looks
        for classes in looks:
            assert [name[0] for name in classes] == (list("wxyppergb") if kind == "scene" else list("xy"))
            assert all(f".{name} {{" in sheet for name in classes)


@pytest.mark.parametrize(
    "value, classes, shown",
    [("#000000", "r0 g0 b0", "4"), ("#ffffff", "r31 g31 b31", "252"), ("#80807f", "r16 g16 b15", "132")],
)
def test_a_colour_is_told_to_the_nearest_step(value, classes, shown):
    sheet = (settings.BASE_DIR / "static/looks.css").read_text()
    assert blobs.colour(value) == classes
    assert f".{classes.split()[0]} {{ --r: {shown}; }}" in sheet
    assert blobs.focus([0.0, 1.0]) == "x0 y100" and blobs.focus([0.455, 0.3333]) == "x46 y33"


def test_a_page_asks_the_database_as_often_with_many_scenes_as_with_few(
    north_shore, rendered, api, client, django_assert_max_num_queries
):
    api.publish(factories.make_story(north_shore, rendered, title="Long", scenes=12))
    with django_assert_max_num_queries(5):
        client.get("/north-shore/long")


def test_robots_are_told_where_the_sitemap_is_and_what_to_leave_alone(client):
    answer = client.get("/robots.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    text = answer.content.decode()
    assert "Sitemap: http://127.0.0.1:8000/sitemap.xml" in text
    assert "Disallow: /api/" in text


def test_the_error_page_tells_a_reference_and_nothing_else(client, live_story, monkeypatch):
    from publishing.pages import views as pages

    monkeypatch.setattr(pages.reading, "find_reading", lambda *a: 1 / 0)
    client.raise_request_exception = False
    answer = client.get(PATH)
    assert answer.status_code == 500
    assert "quote reference" in answer.content.decode()
    assert "ZeroDivision" not in answer.content.decode()
