"""All pictures by name, and the point of each that a crop must keep."""

from collections.abc import Callable

from PIL import Image

from . import scenes_coast, scenes_far, scenes_garden, scenes_hills, scenes_lake, scenes_rooms, scenes_town

SCENES: dict[str, Callable[[], Image.Image]] = {
    "jetty": scenes_lake.jetty,
    "crossing": scenes_lake.crossing,
    "lighthouse": scenes_lake.lighthouse,
    "morning": scenes_hills.morning,
    "hill-house": scenes_hills.hill_house,
    "harbour": scenes_coast.harbour,
    "viaduct": scenes_hills.viaduct,
    "orchard": scenes_hills.orchard,
    "autumn": scenes_garden.autumn,
    "desert": scenes_far.desert,
    "hut": scenes_far.hut,
    "undersea": scenes_coast.undersea,
    "observatory": scenes_far.observatory,
    "lanterns": scenes_town.lanterns,
    "city": scenes_town.city,
    "glasshouse": scenes_garden.glasshouse,
    "kitchen": scenes_rooms.kitchen,
    "library": scenes_rooms.library,
}

FOCUS: dict[str, tuple[float, float]] = {
    "jetty": (0.61, 0.5),
    "crossing": (0.6, 0.48),
    "lighthouse": (0.655, 0.4),
    "morning": (0.64, 0.42),
    "hill-house": (0.65, 0.52),
    "harbour": (0.655, 0.56),
    "viaduct": (0.58, 0.46),
    "orchard": (0.66, 0.55),
    "autumn": (0.65, 0.55),
    "desert": (0.62, 0.42),
    "hut": (0.65, 0.6),
    "undersea": (0.67, 0.4),
    "observatory": (0.65, 0.5),
    "lanterns": (0.64, 0.5),
    "city": (0.64, 0.6),
    "glasshouse": (0.64, 0.5),
    "kitchen": (0.66, 0.55),
    "library": (0.655, 0.5),
}


def draw(name: str) -> Image.Image:
    """The picture of that name, 1920x1080 RGB; the same pixels every time. KeyError for an unknown name."""
    return SCENES[name]()
