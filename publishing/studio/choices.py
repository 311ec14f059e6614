"""What a publish asks for and what is said of it, in words: the editor's dialog and the plain form draw from here."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from publishing.models import Premiere, Publication

Brand = Publication.Mode
EMAILS = [
    (Premiere.Mode.FULL, _("The whole capsule"), _("All texts and pictures in the email")),
    (Premiere.Mode.TEASER, _("A teaser"), _("The opening, and a link")),
    (
        Premiere.Mode.OFF,
        _("No email"),
        _("You cannot change this later: subscribers will not be told about this capsule"),
    ),
]
READERS = [
    ("listed", _("Everybody: on your profile, among all capsules and in search engines")),
    ("unlisted", _("Only people with the link")),
]
BRANDS = [
    (Brand.STANDARD, _("With the name of this service")),
    (Brand.WHITE_LABEL, _("White label: without it, and without an email")),
]
#: Why nobody is told, where options.emails_of() has nothing to choose from.
NO_EMAIL = {
    Brand.STANDARD: _("Publishing again sends no email."),
    Brand.WHITE_LABEL: _("A white-label capsule sends no email, now or later."),
    "EDITION": _("An edition sends no email of its own."),  # whatever the brand of its capsule
}
LOST_BRAND = _(
    "The plan includes no white label any more, so the capsule will carry the name of this service."
)
LEVELS = [
    ("private", _("Private"), _("Unpublished: nobody can open it.")),
    ("unlisted", _("Unlisted"), _("Anybody with the link can read it; it is in no list.")),
    (
        "public",
        _("Public"),
        _("Everybody can find it on your profile, among all capsules and in search engines."),
    ),
    ("featured", _("Featured"), _("Public, and offered to the front page.")),
]


def email_words(mode: str | None) -> str:
    """One of the modes as the forms call it."""
    return next((str(words) for each, words, _ in EMAILS if each == mode), "")


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
