"""From a live bake to the card that lists show of it."""

from __future__ import annotations

from capsules.content import BakeContent, Film
from config.texts import cut, one_line
from feed.models import Card
from publishing import looks
from publishing.clips import clip_of, hero_of
from publishing.models import Publication

EXCERPT = 200  # characters
COVER_WIDTH = 1280  # pixels; a list needs no wider one


def make_card(publication: Publication) -> Card:
    """The unsaved card of a live publication. Raises ValueError for one that is not live."""
    bake, slug, story = publication.live_bake, publication.slug, publication.story
    published_at, updated_at = publication.published_at, publication.updated_at
    if not (bake and slug and published_at and updated_at):
        raise ValueError(f"{publication} is not live.")
    content = bake.content
    opening = content["scenes"][0]
    return Card(
        publication=publication,
        story=story,
        workspace=story.workspace,
        slug=slug,
        title=one_line(content["title"]),
        excerpt=cut(opening["text"], EXCERPT),
        author_name=one_line(content["author"]),
        language=content["language"],
        scene_count=len(content["scenes"]),
        cover=cover_of(content),
        film=name_of(hero_of(bake)),
        clip=name_of(clip_of(publication)),
        published_at=published_at,
        updated_at=updated_at,
    )


def name_of(film: Film | None) -> str:
    return film["name"] if film else ""


def cover_of(content: BakeContent) -> dict[str, object]:
    """The chosen image in two formats, as Card.cover describes it."""
    scene = content["scenes"][content["cover"]]
    pictures = scene["still"]["landscape"]
    small = {
        kind: [p for p in pictures[kind] if p["width"] <= COVER_WIDTH] or pictures[kind][:1]
        for kind in pictures
    }
    return {
        "alt": one_line(scene["alt"]),
        "colour": scene["colour"],
        "focus": scene["focus"],
        "look": looks.classes(content["look"]),
        "width": small["jpeg"][-1]["width"],
        "height": small["jpeg"][-1]["height"],
        **{
            kind: [{"name": p["name"], "width": p["width"]} for p in small[kind]] for kind in ("avif", "jpeg")
        },
    }
