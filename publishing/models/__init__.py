"""What publishing keeps: publications with their slugs and bakes, views, subscribers, premieres."""

from publishing.models.premieres import Delivery, MailServer, Premiere
from publishing.models.publications import Bake, Publication, Slug, names_in
from publishing.models.subscribers import Subscriber, SubscriptionRequest, Suppression
from publishing.models.views import ViewCount, ViewFlush, ViewMark

__all__ = [
    "Bake",
    "Delivery",
    "MailServer",
    "Premiere",
    "Publication",
    "Slug",
    "Subscriber",
    "SubscriptionRequest",
    "Suppression",
    "ViewCount",
    "ViewFlush",
    "ViewMark",
    "names_in",
]
