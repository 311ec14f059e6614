"""Staff and the authored side: stories with their scenes, assets, encodes and previews."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.files.uploadedfile import UploadedFile
from django.db.models import OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.actors import Actor
from accounts.admin_base import ReadOnlyAdmin, StaffAdmin, staff
from capsules import readiness, storage
from capsules.actions import encodes, previews, trash
from capsules.actions import media as uploads
from capsules.fields import SCENE
from capsules.models import Asset, Encode, Preview, Scene, Story, Upload
from capsules.models.stories import StoryQuerySet
from config.errors import CapsulesError
from config.ids import uuid_of

IN_TRASH = (
    "A capsule goes to the trash with its editions and is not public any more. "
    f"Its workspace can restore it for {settings.TRASH_RETENTION.days} days; then it is deleted."
)


def thumbnail_html(encode: Encode | None) -> SafeString | str:
    """The smallest picture of a still, or how far it is."""
    if encode is None:
        return "–"
    if encode.state != Encode.State.DONE:
        return encode.error or str(encode)
    smallest = encode.jpegs("landscape")[0]
    return format_html('<img src="{}" alt="" width="160">', storage.blobs().url(smallest["name"]))


class SceneInline(admin.StackedInline):
    """The scenes to read: they are written in the studio and by the API, which lose nobody's words."""

    model = Scene
    extra = 0
    can_delete = False
    fields = ["position", *SCENE.columns, "picture", "animation_state"]
    readonly_fields = ["picture", "animation_state"]

    @admin.display(description="still")
    def picture(self, scene: Scene) -> SafeString | str:
        return thumbnail_html(scene.still_encode)

    @admin.display(description="animation")
    def animation_state(self, scene: Scene) -> str:
        encode = scene.animation_encode
        return (encode.error or str(encode)) if encode else "–"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Scene]:
        return (
            super().get_queryset(request).select_related("still_encode", "animation_encode", "still", "film")
        )

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class LanguageFilter(admin.SimpleListFilter):
    """By the languages that our pages speak: which others there are, only a look at every story tells."""

    title = parameter_name = "language"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return settings.LANGUAGES

    def queryset(self, request: HttpRequest, queryset: QuerySet[Story]) -> QuerySet[Story]:
        """Any other, too, that an address names; all regions of one that does not say which."""
        chosen = self.value()
        if not chosen:
            return queryset
        return queryset.filter(Q(language__iexact=chosen) | Q(language__istartswith=f"{chosen}-"))


class StoryAdmin(ReadOnlyAdmin):
    """Stories to find, read and act on; `publishing.admin` adds what publishes them and registers it."""

    list_display = [
        "title",
        "workspace",
        "edition_name",
        "visibility",
        "scene_count",
        "preview",
        "deleted_at",
    ]
    list_filter = ["visibility", LanguageFilter, ("deleted_at", admin.EmptyFieldListFilter)]
    search_fields = ["title", "summary", "author_name", "id", "workspace__name"]
    list_select_related = ["workspace"]
    inlines = [SceneInline]
    readonly_fields = ["id", "readiness", "preview", "created_by", "created_at", "updated_at"]
    actions = ["build_preview", "trash"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Story]:
        built = Preview.objects.defer("content").prefetch_related("encodes")
        stories = cast(StoryQuerySet, super().get_queryset(request))
        return stories.with_scene_count().prefetch_related(Prefetch("previews", built))

    @admin.display(description="scenes")
    def scene_count(self, story: Story) -> int:
        return int(story.counted_scenes)  # type: ignore[attr-defined]

    @admin.display(description="latest preview")
    def preview(self, story: Story) -> str:
        latest = next(iter(story.previews.all()), None)
        return f"{latest.number}, {latest.state} {latest.progress} %" if latest else "none"

    @admin.display(description="ready to publish")
    def readiness(self, story: Story) -> SafeString | str:
        if not (story.pk and story.scenes.exists()):
            return "no scenes yet"
        faults = readiness.faults(story, story.latest_preview)
        if not faults:
            return "yes"
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", faults))

    @admin.action(description="Build a preview", permissions=["decide"])
    def build_preview(self, request: HttpRequest, queryset: QuerySet[Story]) -> None:
        def build(story: Story) -> str:
            preview = previews.build_preview(story, by=staff(request))
            return f"{preview}: {preview.state} {preview.progress} %"

        self.each(request, queryset, "Preview built.", build)

    @admin.action(description="Unpublish and move to the trash …", permissions=["erase"])
    def trash(self, request: HttpRequest, queryset: QuerySet[Story]) -> HttpResponse | None:
        if "confirmed" not in request.POST:
            return self.ask_first(
                request,
                queryset,
                action="trash",
                title="Move to the trash?",
                text=[IN_TRASH],
                items=[f"{story} ({story.workspace})" for story in queryset.select_related("workspace")],
                button="Move to the trash",
            )
        by = Actor.by_staff(staff(request))
        self.each(request, queryset, "Moved to the trash.", lambda story: throw_away(story, by=by))
        return None


def throw_away(story: Story, *, by: Actor) -> bool:
    """Moves a story to the trash; False where it is there already."""
    if not Story.objects.present().filter(pk=story.pk).exists():
        return False
    trash.trash_story(story, unpublish=True, by=by)
    return True


def take_out(asset: Asset) -> bool:
    """Deletes a file as its workspace would; False where it was deleted already."""
    if asset.deleted_at is not None:
        return False
    uploads.delete_asset(asset)
    return True


class WorkspaceSelect(AutocompleteSelect):
    def format_value(self, value: object) -> list[str]:
        """Only identifiers: Django asks the database for each, which refuses anything else."""
        return [each for each in super().format_value(value) if uuid_of(each)]


class AssetForm(forms.ModelForm):
    """Takes a file in, as an upload of the workspace's people."""

    file = forms.FileField()

    class Meta:
        model = Asset
        fields = ["workspace", "kind"]
        widgets = {"workspace": WorkspaceSelect(Asset._meta.get_field("workspace"), admin.site)}

    def clean(self) -> dict[str, object]:
        data = super().clean() or self.cleaned_data
        uploaded: UploadedFile | None = data.get("file")
        if uploaded and "workspace" in data and "kind" in data:
            with tempfile.NamedTemporaryFile(prefix="capsules-upload-") as copy:
                for chunk in uploaded.chunks():
                    copy.write(chunk)
                copy.flush()
                try:
                    self.instance, _ = uploads.take_in(
                        data["workspace"], Path(copy.name), kind=data["kind"], filename=uploaded.name or ""
                    )
                except CapsulesError as error:
                    self.add_error("file", str(error))
        return data


@admin.register(Asset)
class AssetAdmin(StaffAdmin):
    list_display = [
        "filename",
        "kind",
        "workspace",
        "width",
        "height",
        "duration",
        "created_at",
        "deleted_at",
    ]
    list_filter = ["kind", ("deleted_at", admin.EmptyFieldListFilter)]
    search_fields = ["filename", "name", "workspace__name"]
    list_select_related = ["workspace"]
    readonly_fields = ["name", "filename", "media_type", "width", "height", "duration", "created_at"]
    actions = ["erase"]

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False  # versions in a history name files, and no foreign key holds these

    @admin.action(description="Take out of the library …", permissions=["erase"])
    def erase(self, request: HttpRequest, queryset: QuerySet[Asset]) -> HttpResponse | None:
        if "confirmed" not in request.POST:
            return self.ask_first(
                request,
                queryset,
                action="erase",
                title="Take these files out of the library?",
                text=["A file that a scene uses stays. Versions in a history keep theirs."],
                items=[
                    f"{asset.filename} ({asset.workspace})" for asset in queryset.select_related("workspace")
                ],
                button="Take out",
            )
        self.each(request, queryset, "Taken out of the library.", take_out)
        return None

    def get_form(
        self, request: HttpRequest, obj: Asset | None = None, change: bool = False, **kwargs: object
    ) -> Any:
        return AssetForm if obj is None else super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Asset | None = None) -> Any:
        return ["workspace", "kind", "file"] if obj is None else super().get_fields(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Encode)
class EncodeAdmin(ReadOnlyAdmin):
    readonly_fields = ["shown_in"]
    list_display = [
        "id",
        "kind",
        "shown_in",
        "state",
        "progress",
        "error",
        "attempts",
        "created_at",
        "finished_at",
    ]
    list_filter = ["state", "kind"]
    search_fields = ["recipe", "error"]
    actions = ["try_again"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Encode]:
        encode = OuterRef("pk")
        scenes = Scene.objects.filter(Q(still_encode=encode) | Q(animation_encode=encode)).order_by("pk")
        preview = Preview.objects.filter(encodes=encode).order_by("-pk")
        found = super().get_queryset(request)
        return found.annotate(
            in_scene=Subquery(scenes.values("position")[:1]),
            in_story=Coalesce(
                Subquery(scenes.values("story__title")[:1]), preview.values("story__title")[:1]
            ),
            in_workspace=Coalesce(
                Subquery(scenes.values("story__workspace__title")[:1]),
                preview.values("story__workspace__title")[:1],
            ),
        )

    @admin.display(description="story, scene, workspace")
    def shown_in(self, encode: Any) -> str:
        """The first place that shows it; others may too."""
        if encode.in_story is None:
            return "–"
        scene = f", scene {encode.in_scene + 1}" if encode.in_scene is not None else ""
        return f"{encode.in_story}{scene} ({encode.in_workspace})"

    @admin.action(description="Try failed ones again", permissions=["decide"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Encode]) -> None:
        self.each(request, queryset, "Queued again.", encodes.retry_encode)


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "filename", "workspace", "created_by", "state", "error"]
    list_filter = ["state"]
    search_fields = ["filename", "error", "created_by__email", "workspace__name"]
    list_select_related = ["workspace", "created_by"]
    exclude = ["lease_token", "lease_until"]


@admin.register(Preview)
class PreviewAdmin(ReadOnlyAdmin):
    list_display = ["story", "number", "state", "progress", "created_by", "created_at"]
    search_fields = ["story__title", "story__id"]
    list_select_related = ["story", "created_by"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Preview]:
        return super().get_queryset(request).defer("content").prefetch_related("encodes")
