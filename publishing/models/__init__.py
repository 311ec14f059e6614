"""What publishing keeps: publications with their slugs and bakes, changes of pages, views, subscribers, premieres."""

from publishing.models.deliveries import Delivery, MailServer, Outcome
from publishing.models.events import PublicationEvent
from publishing.models.pages import PageChange
from publishing.models.premieres import Premiere
from publishing.models.publications import Bake, Publication, Slug, names_in
from publishing.models.subscribers import ErasedAddress, Subscriber, SubscriptionRequest, Suppression
from publishing.models.views import ViewCount, ViewFlush, ViewMark

__all__ = [
    "Bake",
    "Delivery",
    "ErasedAddress",
    "MailServer",
    "Outcome",
    "PageChange",
    "Premiere",
    "Publication",
    "PublicationEvent",
    "Slug",
    "Subscriber",
    "SubscriptionRequest",
    "Suppression",
    "ViewCount",
    "ViewFlush",
    "ViewMark",
    "names_in",
]
