"""What publishing keeps: publications, their slugs and bakes, and how often they were read."""

from publishing.models.publications import Bake, Publication, Slug, names_in
from publishing.models.views import ViewCount, ViewFlush, ViewMark

__all__ = ["Bake", "Publication", "Slug", "ViewCount", "ViewFlush", "ViewMark", "names_in"]
