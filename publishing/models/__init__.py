"""What publishing keeps: publications with slugs and bakes, what apps did and asked, cases, changes of pages, views,
subscribers, premieres.
"""

from publishing.models.by_apps import PublishAsk, PublishNotice
from publishing.models.cases import Case, HeldSlug, Report
from publishing.models.deliveries import Delivery, MailServer, Outcome
from publishing.models.events import PublicationEvent
from publishing.models.pages import PageChange
from publishing.models.premieres import Premiere
from publishing.models.publications import Bake, Publication, Slug, names_in
from publishing.models.reads import (
    NumbersField,
    ReadDay,
    ReadMonth,
    ReadSource,
    SceneOrder,
    Surface,
    WorkspaceDay,
)
from publishing.models.subscribers import ErasedAddress, Subscriber, SubscriptionRequest, Suppression
from publishing.models.views import ViewCount, ViewFlush

__all__ = [
    "Bake",
    "Case",
    "Delivery",
    "ErasedAddress",
    "HeldSlug",
    "MailServer",
    "NumbersField",
    "Outcome",
    "PageChange",
    "Premiere",
    "Publication",
    "PublicationEvent",
    "PublishAsk",
    "PublishNotice",
    "ReadDay",
    "ReadMonth",
    "ReadSource",
    "Report",
    "SceneOrder",
    "Slug",
    "Subscriber",
    "SubscriptionRequest",
    "Suppression",
    "Surface",
    "ViewCount",
    "ViewFlush",
    "WorkspaceDay",
    "names_in",
]
