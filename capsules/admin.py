"""Staff and the authored side: stories with their scenes, assets, encodes and previews."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.admin import ReadOnlyAdmin
from capsules import actions, readiness, storage
from capsules.models import Asset, Encode, Preview, Scene, Story
from config.errors import CapsulesError


def thumbnail(encode: Encode | None) -> SafeString | str:
    """The smallest picture of a still, or how far it is."""
    if encode is None:
        return "–"
    if encode.state != Encode.State.DONE:
        return encode.error or str(encode)
    smallest = min(
        (r for r in encode.renditions("landscape") if r["format"] == "jpeg"), key=lambda r: r["width"]
    )
    return format_html('<img src="{}" alt="" width="160">', storage.blobs().url(smallest["name"]))


class SceneInline(admin.StackedInline):
    model = Scene
    extra = 0
    fields = [
        ("position", "title", "finale"),
        "text",
        "alt",
        ("still", "focus_x", "focus_y"),
        ("animation", "film"),
        ("picture", "animation_state"),
    ]
    readonly_fields = ["picture", "animation_state"]
    autocomplete_fields = ["still", "film"]

    @admin.display(description="still")
    def picture(self, scene: Scene) -> SafeString | str:
        return thumbnail(scene.still_encode)

    @admin.display(description="animation")
    def animation_state(self, scene: Scene) -> str:
        encode = scene.animation_encode
        return (encode.error or str(encode)) if encode else "–"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Scene]:
        return (
            super().get_queryset(request).select_related("still_encode", "animation_encode", "still", "film")
        )


class StoryAdmin(admin.ModelAdmin):
    """Stories to find and edit; `publishing.admin` adds what publishes them and registers it."""

    list_display = ["title", "workspace", "edition_name", "visibility", "scene_count", "preview"]
    list_filter = ["visibility", "workspace", "language"]
    search_fields = ["title", "summary", "author_name", "id", "workspace__name"]
    list_select_related = ["workspace"]
    autocomplete_fields = ["workspace", "capsule"]
    inlines = [SceneInline]
    readonly_fields = ["id", "readiness", "preview", "created_by", "created_at", "updated_at"]
    actions = ["build_preview"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Story]:
        return super().get_queryset(request).prefetch_related("scenes", "previews__encodes")

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "cover":
            story_id = request.resolver_match.kwargs.get("object_id") if request.resolver_match else None
            kwargs["queryset"] = Scene.objects.filter(story=story_id)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Story, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = request.user  # type: ignore[assignment]
        super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        scenes = formset.save(commit=False)
        for scene in formset.deleted_objects:
            scene.delete()
        for scene in scenes:
            actions.request_encodes(scene)
            scene.save()

    @admin.display(description="scenes")
    def scene_count(self, story: Story) -> int:
        return len(story.scenes.all())

    @admin.display(description="latest preview")
    def preview(self, story: Story) -> str:
        latest = next(iter(story.previews.all()), None)
        return f"{latest.number}, {latest.state} {latest.progress} %" if latest else "none"

    @admin.display(description="ready to publish")
    def readiness(self, story: Story) -> SafeString | str:
        faults = readiness.faults(story) if story.pk and story.scenes.exists() else []
        if not faults:
            return "yes" if story.scenes.exists() else "no scenes yet"
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", faults))

    @admin.action(description="Build a preview")
    def build_preview(self, request: HttpRequest, queryset: QuerySet[Story]) -> None:
        for story in queryset:
            try:
                preview = actions.build_preview(story, by=request.user)  # type: ignore[arg-type]
            except CapsulesError as error:
                self.message_user(request, f"{story}: {error}", messages.ERROR)
            else:
                self.message_user(
                    request, f"{preview}: {preview.state} {preview.progress} %", messages.SUCCESS
                )


class AssetForm(forms.ModelForm):
    """Takes a file in through the same look inside it as an import."""

    file = forms.FileField()

    class Meta:
        model = Asset
        fields = ["workspace", "kind"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        uploaded: UploadedFile | None = data.get("file")
        if uploaded and "workspace" in data and "kind" in data:
            with tempfile.NamedTemporaryFile(prefix="capsules-upload-") as copy:
                for chunk in uploaded.chunks():
                    copy.write(chunk)
                copy.flush()
                try:
                    self.instance = actions.upload(
                        data["workspace"], Path(copy.name), kind=data["kind"], filename=uploaded.name or ""
                    )
                except CapsulesError as error:
                    self.add_error("file", str(error))
        return data

    def _post_clean(self) -> None:
        """The action has saved the asset; there is nothing to copy from the form."""


@admin.register(Asset)
class AssetAdmin(admin.ModelAdmin):
    list_display = ["filename", "kind", "workspace", "width", "height", "duration", "created_at"]
    list_filter = ["kind", "workspace"]
    search_fields = ["filename", "name"]
    list_select_related = ["workspace"]
    readonly_fields = ["name", "filename", "media_type", "width", "height", "duration", "created_at"]

    def get_form(
        self, request: HttpRequest, obj: Asset | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        return AssetForm if obj is None else super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Asset | None = None) -> Any:
        return ["workspace", "kind", "file"] if obj is None else super().get_fields(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Encode)
class EncodeAdmin(ReadOnlyAdmin):
    list_display = ["id", "kind", "state", "progress", "error", "attempts", "created_at", "finished_at"]
    list_filter = ["state", "kind"]
    search_fields = ["recipe", "error"]
    actions = ["try_again"]

    @admin.action(description="Try failed ones again", permissions=["view"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Encode]) -> None:
        for encode in queryset:
            actions.retry_encode(encode)


@admin.register(Preview)
class PreviewAdmin(ReadOnlyAdmin):
    list_display = ["story", "number", "state", "progress", "created_by", "created_at"]
    search_fields = ["story__title", "story__id"]
    list_select_related = ["story", "created_by"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Preview]:
        return super().get_queryset(request).prefetch_related("encodes")
