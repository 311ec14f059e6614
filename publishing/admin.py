"""Staff and the public side: publish, unpublish and visibility through the same actions as the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.actors import Actor
from accounts.admin import ReadOnlyAdmin
from accounts.models import User
from capsules.admin import StoryAdmin
from capsules.models import Story
from config.errors import CapsulesError
from publishing import actions
from publishing.models import Bake, Publication
from publishing.premieres import admin as premieres_admin

__all__ = ["premieres_admin"]  # registered by being imported


def staff(request: HttpRequest) -> Actor:
    assert isinstance(request.user, User)  # noqa: S101  (the admin lets nobody else in)
    return Actor.by_staff(request.user)


def refusal(story: Story, error: CapsulesError) -> str:
    """Why an action was refused, every fault named."""
    return " ".join([f"{story}: {error}", *(f"{fault.path}: {fault.message}" for fault in error.faults)])


@admin.register(Story)
class PublishingStoryAdmin(StoryAdmin):
    list_display = [*StoryAdmin.list_display, "public_link"]
    readonly_fields = [*StoryAdmin.readonly_fields, "public_link"]
    list_select_related = ["workspace", "publication", "capsule__workspace", "capsule__publication"]
    actions = [*StoryAdmin.actions, "publish", "unpublish", "unpublish_and_release"]

    @admin.display(description="public link")
    def public_link(self, story: Story) -> SafeString | str:
        """From the rows selected along, so that a list asks nothing more for each story."""
        shared, own = (getattr(s, "publication", None) for s in (actions.publication_target(story), story))
        if not (shared and shared.is_published and own and own.live_bake_id):
            return "–"
        return format_html('<a href="{0}">{0}</a>', actions.link_to(story, shared))

    def save_model(self, request: HttpRequest, obj: Story, form: Any, change: bool) -> None:
        level = obj.visibility
        if change:
            obj.visibility = Story.objects.values_list("visibility", flat=True).get(pk=obj.pk)
        super().save_model(request, obj, form, change)
        if change:
            self.each(
                request, [obj], lambda story: actions.edited(story, visibility=level, by=staff(request))
            )

    @admin.action(description="Publish")
    def publish(self, request: HttpRequest, queryset: QuerySet[Story]) -> None:
        self.each(
            request,
            queryset,
            lambda s: actions.publish(s, request=actions.PublishRequest(), by=staff(request)).url,
        )

    @admin.action(description="Unpublish (the slug stays reserved)")
    def unpublish(self, request: HttpRequest, queryset: QuerySet[Story]) -> None:
        self.each(request, queryset, lambda s: actions.unpublish(s, by=staff(request)) and "unpublished")

    @admin.action(description="Unpublish and free the slug")
    def unpublish_and_release(self, request: HttpRequest, queryset: QuerySet[Story]) -> None:
        self.each(
            request,
            queryset,
            lambda s: actions.unpublish(s, release_slug=True, by=staff(request)) and "unpublished",
        )

    def each(self, request: HttpRequest, stories: Any, act: Callable[[Story], object]) -> None:
        """Does `act` to every story and tells what came of it, or why it was refused."""
        for story in stories:
            try:
                outcome = act(story)
            except CapsulesError as error:
                self.message_user(request, refusal(story, error), messages.ERROR)
            else:
                if outcome:
                    self.message_user(request, f"{story}: {outcome}", messages.SUCCESS)


@admin.register(Publication)
class PublicationAdmin(ReadOnlyAdmin):
    list_display = ["story", "workspace", "slug", "mode", "published_at", "live_bake"]
    list_filter = ["mode", ("published_at", admin.EmptyFieldListFilter), "story__workspace"]
    search_fields = ["slug", "story__title", "story__id", "story__workspace__name"]
    list_select_related = ["story__workspace", "live_bake__story"]
    date_hierarchy = "published_at"

    @admin.display(ordering="story__workspace")
    def workspace(self, publication: Publication) -> str:
        return str(publication.story.workspace)


@admin.register(Bake)
class BakeAdmin(ReadOnlyAdmin):
    list_display = ["story", "number", "digest", "created_at", "replaced_at"]
    search_fields = ["story__title", "story__id", "digest"]
    list_select_related = ["story"]
