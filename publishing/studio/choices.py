"""What a publish asks for and what is said of it, in words: the editor's dialog and the plain form draw from here."""

from __future__ import annotations

from publishing.models import Premiere, Publication

Brand = Publication.Mode
EMAILS = [
    (Premiere.Mode.FULL, "The whole capsule", "All texts and pictures in the email"),
    (Premiere.Mode.TEASER, "A teaser", "The opening, and a link"),
    (
        Premiere.Mode.OFF,
        "No email",
        "You cannot change this later: subscribers will not be told about this capsule",
    ),
]
READERS = [
    ("listed", "Everybody: on your profile and in search engines"),
    ("unlisted", "Only people with the link"),
]
BRANDS = [
    (Brand.STANDARD, "With the name of this service"),
    (Brand.WHITE_LABEL, "White label: without it, and without an email"),
]
#: Why nobody is told, where options.emails_of() has nothing to choose from.
NO_EMAIL = {
    Brand.STANDARD: "Publishing again sends no email.",
    Brand.WHITE_LABEL: "A white-label capsule sends no email, now or later.",
}
LOST_BRAND = "The plan includes no white label any more, so the capsule will carry the name of this service."
LEVELS = [
    ("private", "Private", "Unpublished: nobody can open it."),
    ("unlisted", "Unlisted", "Anybody with the link can read it; it is in no list."),
    ("public", "Public", "Everybody can find it on your profile and in search engines."),
    ("featured", "Featured", "Public, and offered to the front page."),
]


def for_script() -> dict[str, object]:
    """All of it as the editor's script takes it."""
    return {
        "emails": EMAILS,
        "readers": READERS,
        "brands": BRANDS,
        "noEmail": NO_EMAIL,
        "lostBrand": LOST_BRAND,
        "levels": LEVELS,
    }
