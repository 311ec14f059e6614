"""The drawn pictures of the demo by name, and the point of each that a crop must keep."""

from pathlib import Path

from capsules.stand_ins import PICTURES as FOLDER

__all__ = ["FOCUS", "FOLDER", "file_of"]

#: Shares of width and height, from the top left corner.
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


def file_of(name: str) -> Path:
    """The picture of that name: WebP, 1920x1080. KeyError for an unknown name."""
    if name not in FOCUS:
        raise KeyError(name)
    return FOLDER / f"{name}.webp"
