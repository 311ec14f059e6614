"""What a demo story is made of, and what each picture shows."""

from dataclasses import dataclass, replace
from typing import TypedDict


class Look(TypedDict, total=False):
    """Columns of a story: see `capsules.fields`."""

    theme: str
    accent: str
    face: str


@dataclass(frozen=True)
class DemoScene:
    """One scene; `picture` is a name in `pictures.FOCUS`, a finale is shown as a still."""

    title: str
    text: str
    alt: str
    picture: str
    finale: bool = False


@dataclass(frozen=True)
class DemoStory:
    """One capsule of the demo; `language` is a BCP 47 code, `look` what differs from the usual one."""

    title: str
    summary: str
    language: str
    author: str
    scenes: tuple[DemoScene, ...]
    look: Look | None = None


ALTS = {
    "jetty": "A lake at sunset. A woman with a suitcase waits under a lamp at the end of a wooden jetty "
    "while a small steam ferry comes in across violet and orange water.",
    "crossing": "A ferry with lit windows on a still lake at night, a full moon and its broken path of light "
    "beside it.",
    "lighthouse": "A red and white lighthouse on a dark rock in fog, its beam reaching far out over "
    "green-grey water.",
    "morning": "Rows of blue hills, each paler than the one before, with mist between them, a low pale sun "
    "and a flock of birds.",
    "hill-house": "A small house with lit windows on top of a hill at dusk. A path winds up to its door "
    "under a crescent moon.",
    "harbour": "A harbour in morning light: tall painted houses, striped market awnings along the quay and a "
    "red sailing boat mirrored in the water.",
    "viaduct": "A steam train with red coaches crosses a high stone viaduct at sunset, its steam trailing "
    "over a misty valley.",
    "orchard": "An orchard on a bright summer day: apple trees heavy with red fruit, a ladder, a row of "
    "beehives and white clouds.",
    "autumn": "A beech wood in October, gold with low sun. A stag stands on a path strewn with leaves and "
    "looks up.",
    "desert": "A striped hot-air balloon over orange dunes at sunset. Below it a caravan of five camels "
    "walks along a crest.",
    "hut": "A snowed-in mountain hut with lit windows below sharp peaks, green and violet northern lights "
    "above.",
    "undersea": "A humpback whale and her calf swim through shafts of light in a turquoise sea, over coral "
    "and kelp.",
    "observatory": "An observatory with its dome open on a dark ridge, the Milky Way and a shooting star "
    "above it, and one person looking up.",
    "lanterns": "Paper lanterns float on a dark river and rise into the night above an arched stone bridge.",
    "city": "Roofs of an old town in the evening rain, dozens of lit windows, and a cat that sits on a roof "
    "ridge.",
    "glasshouse": "A large glasshouse glows from within in a garden at night; palms show through its panes "
    "and fireflies hang over the grass.",
    "kitchen": "A kitchen at blue hour: a teal kettle and a steaming cup on a wooden table before a window "
    "with herbs on its sill.",
    "library": "A reading room at night. A cat sits on the sill of a tall arched window with the moon in it, "
    "beside a green lamp and an open book.",
}


def scene(title: str, picture: str, text: str, *, alt: str = "") -> DemoScene:
    """A scene whose alternative text is the picture's own description unless another is given."""
    return DemoScene(title=title, text=text, alt=alt or ALTS[picture], picture=picture)


def story(
    title: str, author: str, summary: str, *scenes: DemoScene, language: str = "en", look: Look | None = None
) -> DemoStory:
    """A story whose last scene is its finale."""
    told = (*scenes[:-1], replace(scenes[-1], finale=True))
    return DemoStory(title, summary, language, author, told, look)
