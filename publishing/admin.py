"""Staff and the public side: publish, unpublish and visibility through the same actions as the API."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.actors import Actor
from accounts.admin_base import ReadOnlyAdmin, staff
from capsules.admin import StoryAdmin
from capsules.models import Story
from publishing import actions
from publishing.models import Bake, Premiere, Publication, PublicationEvent, Subscriber
from publishing.moderation import actions as moderation
from publishing.moderation import admin as moderation_admin
from publishing.premieres import admin as premieres_admin
from publishing.premieres import arming
from publishing.states import publication_among, publications_of

__all__ = ["moderation_admin", "premieres_admin"]  # registered by being imported

ONE_CASE = "Choose one capsule: each case is about one, and is decided by itself. No case was opened."
VISIBILITY_WORDS = {
    Story.Visibility.PRIVATE: "Private: it is unpublished, and its slug stays reserved.",
    Story.Visibility.UNLISTED: "Unlisted: only who has the link finds it.",
    Story.Visibility.PUBLIC: "Public: it is in the lists.",
    Story.Visibility.FEATURED: "Featured: it is in the lists, and staff can pin it.",
}


def actor(request: HttpRequest) -> Actor:
    return Actor.by_staff(staff(request))


@admin.register(Story)
class PublishingStoryAdmin(StoryAdmin):
    list_display = [*StoryAdmin.list_display, "public_link"]
    readonly_fields = [*StoryAdmin.readonly_fields, "public_link"]
    list_select_related = ["workspace", "publication", "capsule__workspace", "capsule__publication"]
    search_fields = [*StoryAdmin.search_fields, "publication__slug", "workspace__memberships__user__email"]
    finds_links = True
    actions = [
        *StoryAdmin.actions,
        "publish",
        "unpublish",
        "unpublish_and_release",
        "choose_visibility",
        "open_case",
    ]

    @admin.display(description="public link")
    def public_link(self, story: Story) -> SafeString | str:
        """From the rows selected along, so that a list asks nothing more for each story."""
        shared, own = (getattr(s, "publication", None) for s in (actions.publication_target(story), story))
        if not (shared and shared.is_published and own and own.live_bake_id) or shared.is_dark or own.is_dark:
            return "–"
        return format_html('<a href="{0}">{0}</a>', actions.link_to(story, shared))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Leads members of the workspace on into the studio, where a story is written."""
        story = self.get_object(request, object_id)
        mine = Story.objects.visible_to(Actor.by_token(staff(request)))
        if story is not None and mine.filter(pk=story.pk).exists():
            extra_context = {**(extra_context or {}), "studio": reverse("studio_editor", args=[story.pk])}
        return super().change_view(request, object_id, form_url, extra_context)

    @admin.action(description="Publish …", permissions=["decide"])
    def publish(self, request: HttpRequest, queryset: QuerySet[Story]) -> HttpResponse | None:
        """The first step says who gets which email, and lets staff choose; the second one publishes."""
        stories = list(queryset.select_related("workspace", "capsule__workspace"))
        announced = announced_among(stories)
        mode = request.POST.get("choice", "")
        is_confirmed = "confirmed" in request.POST
        if not is_confirmed or (announced and mode not in Premiere.Mode.values):
            reachable = readers_of(announced)
            readers = sum(reachable.get(story.workspace_id, 0) for story in announced)
            emails = [
                (Premiere.Mode.OFF, "None: publish quietly. This cannot be changed later."),
                (Premiere.Mode.TEASER, f"A teaser with a link: {readers} emails"),
                (Premiere.Mode.FULL, f"The whole capsule: {readers} emails"),
            ]
            return self.ask_first(
                request,
                queryset,
                action="publish",
                title="Publish?",
                text=["Readers and search engines see a published capsule at once."],
                items=[
                    f"{story} ({story.workspace}): {what_goes_out(story, announced, reachable)}"
                    for story in stories
                ],
                question="Which email do the subscribers get, about five minutes later?",
                choices=emails if announced else [],
                fault="Please choose who gets an email." if is_confirmed else "",
                button="Publish",
            )
        wanted = actions.PublishRequest(premiere_email_mode=mode if announced else Premiere.Mode.OFF)
        words = f"Published (premiere email: {mode})." if announced else "Published."
        self.each(
            request,
            stories,
            words,
            lambda story: f"{actions.publish(story, request=wanted, by=actor(request)).url} {words}",
        )
        return None

    @admin.action(description="Unpublish (the slug stays reserved)", permissions=["decide"])
    def unpublish(self, request: HttpRequest, queryset: QuerySet[Story]) -> None:
        self.each(
            request, queryset, "Unpublished.", lambda story: actions.unpublish(story, by=actor(request))
        )

    @admin.action(description="Unpublish and free the slug", permissions=["decide"])
    def unpublish_and_release(self, request: HttpRequest, queryset: QuerySet[Story]) -> None:
        def release(story: Story) -> str:
            actions.unpublish(story, release_slug=True, by=actor(request))
            waits = actions.publication_of(story).frees_slug
            return f"Unpublished, and its slug is free{' once its case has ended' if waits else ''}."

        self.each(request, queryset, "", release)

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("publishing.change_case")

    @admin.action(description="Open a case: take it down, with reasons …", permissions=["moderate"])
    def open_case(self, request: HttpRequest, queryset: QuerySet[Story]) -> HttpResponse | None:
        """Leads to its case, where the decision is taken."""
        stories = list(queryset.select_related("workspace", "capsule")[:2])
        if len(stories) > 1:
            self.message_user(request, ONE_CASE, messages.ERROR)
            return None
        if not stories:
            return None
        [story] = stories
        case = moderation.open_by_staff(story, by=staff(request))
        return redirect("admin:publishing_case_change", case.pk)

    @admin.action(description="Choose who can see it …", permissions=["decide"])
    def choose_visibility(self, request: HttpRequest, queryset: QuerySet[Story]) -> HttpResponse | None:
        level = request.POST.get("choice", "")
        if "confirmed" not in request.POST or level not in Story.Visibility.values:
            return self.ask_first(
                request,
                queryset,
                action="choose_visibility",
                title="Who can see it?",
                text=["Readers meet the choice at once."],
                items=[f"{story}: {story.get_visibility_display().lower()}" for story in queryset],
                question="From now on it is",
                choices=list(VISIBILITY_WORDS.items()),
                fault="Please choose." if "confirmed" in request.POST else "",
                button="Save",
            )
        self.each(
            request,
            queryset,
            f"Visibility: {level}.",
            lambda story: actions.set_visibility(story, level, by=actor(request)),
        )
        return None


def announced_among(stories: list[Story]) -> set[Story]:
    """Those of which a publish now would send the subscribers a premiere."""
    known = publications_of(stories)
    return {
        story
        for story in stories
        if arming.announces(publication_among(known, actions.publication_target(story)))
    }


def readers_of(stories: set[Story]) -> dict[uuid.UUID, int]:
    """How many subscribers of each of their workspaces a mail can reach."""
    rows = Subscriber.objects.filter(workspace__in={story.workspace_id for story in stories}).reachable()
    return dict(rows.order_by().values_list("workspace").annotate(Count("pk")))


def what_goes_out(story: Story, announced: set[Story], reachable: dict[uuid.UUID, int]) -> str:
    if story not in announced:
        return "sends no email, because it is live, was announced before or is white-label."
    return f"subscribers who can get an email: {reachable.get(story.workspace_id, 0)}."


@admin.register(Publication)
class PublicationAdmin(ReadOnlyAdmin):
    list_display = ["story", "state", "published_at", "link", "views", "workspace", "mode"]
    fields = [
        *("story", "state", "published_at", "link", "views", "mode", "show_social_share"),
        *("slug", "first_published_at", "updated_at", "live_bake"),
    ]
    readonly_fields = ["state", "link", "views"]
    list_filter = ["mode", ("published_at", admin.EmptyFieldListFilter)]
    search_fields = [
        *("slug", "story__title", "story__id", "story__workspace__name"),
        "story__workspace__memberships__user__email",
    ]
    finds_links = True
    list_select_related = ["story__workspace", "view_count"]
    date_hierarchy = "published_at"

    @admin.display(ordering="published_at")
    def state(self, publication: Publication) -> str:
        if publication.is_dark:
            return "Taken down" + (": its workspace is suspended" if not publication.frozen_at else "")
        if publication.is_published:
            return f"Live, {publication.story.get_visibility_display().lower()}"
        return (
            "Unpublished; its link is reserved"
            if publication.slug
            else "Never published, or its link is free"
        )

    @admin.display(description="link", ordering="slug")
    def link(self, publication: Publication) -> SafeString | str:
        if not publication.is_published or publication.is_dark:
            return publication.slug or "–"
        return format_html('<a href="{}">{}</a>', publication.get_absolute_url(), publication.path)

    @admin.display(ordering="view_count__views")
    def views(self, publication: Publication) -> int:
        count = getattr(publication, "view_count", None)
        return count.views if count else 0

    @admin.display(ordering="story__workspace")
    def workspace(self, publication: Publication) -> str:
        return str(publication.story.workspace)


@admin.register(Bake)
class BakeAdmin(ReadOnlyAdmin):
    list_display = ["story", "number", "digest", "created_at", "replaced_at"]
    search_fields = ["story__title", "story__id", "digest"]
    list_select_related = ["story"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bake]:
        return super().get_queryset(request).defer("content")


@admin.register(PublicationEvent)
class PublicationEventAdmin(ReadOnlyAdmin):
    list_display = ["at", "story", "action", "by", "via", "label", "bake"]
    list_filter = ["action", "via"]
    search_fields = ["story__title", "story__id", "by__email", "label"]
    list_select_related = ["story", "by", "bake__story"]
    date_hierarchy = "at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[PublicationEvent]:
        return super().get_queryset(request).defer("bake__content")
