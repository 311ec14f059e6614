"""Publishing by a plain form: what will happen, in words, and what can be changed once it is live."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.pages.base import actor_in
from capsules import readiness
from capsules.actions import previews
from capsules.advice import is_untitled
from capsules.models import Story
from config.errors import CapsulesError, Invalid
from publishing import actions, slugs, unpublished
from publishing.by_apps import asks
from publishing.models import Publication, PublishAsk
from publishing.options import Options, alongside, editions_of, options_of
from publishing.premieres import outlook
from publishing.studio import choices
from publishing.studio.base import band_of, refused_here, shell, show_refusal, story_for, studio_page
from publishing.studio.previews import card_in
from publishing.studio.pulse import rendering_of
from publishing.studio.shared import live_card_of, live_reading
from publishing.studio.what_changes import changes_between

Brand = Publication.Mode
EMAILS = [(mode, format_lazy("{}. {}.", words, hint)) for mode, words, hint in choices.EMAILS]
LEVELS = {
    level: format_lazy("{}: {}", name, what) for level, name, what in choices.LEVELS if level != "private"
}


class PublishForm(forms.Form):
    """What a publish asks for. No email is chosen beforehand: that is decided once and forever."""

    slug = forms.CharField(label=_("Link"))
    moved = forms.BooleanField(
        required=False, label=_("I understand that the old link and its embeds will stop working.")
    )
    readers = forms.ChoiceField(choices=choices.READERS, widget=forms.RadioSelect, label=_("Who sees it"))
    shares = forms.BooleanField(required=False, label=_("Share buttons"))
    brand = forms.ChoiceField(choices=choices.BRANDS, widget=forms.RadioSelect, label=_("Brand"))
    email = forms.ChoiceField(choices=EMAILS, widget=forms.RadioSelect, required=False)

    def __init__(self, *args: Any, options: Options, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.publication, self.options = options.publication, options
        self.only_brand = options.publication_modes[0].mode  # the only one, where there is no choice
        if not self.publication.is_published:
            del self.fields["moved"]
        if len(options.publication_modes) == 1:
            del self.fields["brand"]
        if not any(mode.premiere_email_modes for mode in options.publication_modes):
            del self.fields["email"]

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if fault := slugs.rule_fault(slug):
            raise forms.ValidationError(fault)
        return slug

    def clean(self) -> dict[str, object]:
        typed = super().clean() or {}
        asks = self.options.emails_of(typed.get("brand", self.only_brand))
        if asks and not typed.get("email") and "email" not in self.errors:
            self.add_error("email", gettext("Choose what subscribers get."))
        renamed = self.publication.is_published and typed.get("slug") != self.publication.slug
        if renamed and "slug" in typed and not typed.get("moved"):
            self.add_error("moved", gettext("Tick this to change the link, or keep the old one."))
        return typed

    def request(self) -> actions.PublishRequest:
        typed = self.cleaned_data
        return actions.PublishRequest(
            slug=typed["slug"],
            publication_mode=typed.get("brand", self.only_brand),
            unlisted=typed["readers"] == "unlisted",
            show_social_share=typed["shares"],
            premiere_email_mode=typed.get("email") or None,
        )


@studio_page
@refused_here
@require_http_methods(["GET", "POST"])
def publish(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """The form once the preview of the draft as it is now is ready; before that, what is missing."""
    found = story_for(request, story)
    options = options_of(found)
    publication = options.publication
    asked = asked_here(request, found)
    form = PublishForm(
        request.POST or None,
        options=options,
        initial={
            "slug": options.suggested_slug,
            "readers": "unlisted" if options.state.unlisted else "listed",
            "shares": publication.show_social_share,
            "brand": publication.mode,
            **(wished(asked) if asked else {}),
        },
    )
    if request.method == "POST" and form.is_valid() and tried(request, found, form):
        return redirect("studio_publish", story=found.pk)
    return publish_page(request, found, options, form, asked=asked)


def asked_here(request: HttpRequest, story: Story) -> PublishAsk | None:
    """The question of an app that brought the person here; None without one, and where it was answered."""
    if "ask" not in request.GET:
        return None
    asked = asks.ask_of(story, request.GET["ask"])
    if asked.state == PublishAsk.State.WAITING:
        return asked
    if request.method != "POST":
        messages.info(request, gettext("You have answered %(app)s already.") % {"app": asked.app})
    return None


def wished(asked: PublishAsk) -> dict[str, object]:
    """What the form begins with where an app asks: all but the email, which the person chooses."""
    wishes = actions.PublishRequest(**asked.wishes)
    begun = {"slug": wishes.slug, "shares": wishes.show_social_share, "brand": wishes.publication_mode}
    if wishes.unlisted is not None:
        begun["readers"] = "unlisted" if wishes.unlisted else "listed"
    return {field: value for field, value in begun.items() if value is not None}


def tried(request: HttpRequest, story: Story, form: PublishForm) -> bool:
    """Publishes, and returns whether it did; a refusal is shown at its field."""
    try:
        done = actions.publish(story, request=form.request(), by=actor_in(request))
    except CapsulesError as error:
        if error.faults and error.faults[0].path == "slug":
            form.add_error("slug", error.faults[0].message)
        else:
            show_refusal(request, error)
        return False
    messages.success(
        request, gettext("The changes are live.") if done.is_republish else gettext("It is live.")
    )
    return True


def publish_page(
    request: HttpRequest, story: Story, options: Options, form: PublishForm, *, asked: PublishAsk | None
) -> HttpResponse:
    preview = story.previews.prefetch_related("encodes").order_by("-number").first()
    current = preview if preview is not None and preview.revision == story.revision else None
    state, publication = options.state, options.publication
    bake = unpublished.what_readers_get(story) if state.is_published else None
    is_changed = bake is not None and unpublished.differs(bake, story, None)
    before = bake.preview if bake else None
    live = live_reading(story) if state.is_published else None
    context = {
        **shell(request, story.workspace, "capsules"),
        **band_of(state.taken_down, story.workspace, story),
        "live_card": live_card_of(live) if live else None,
        "card": card_in(current) if current else None,
        "changes": changes_between(before.content, current.content)
        if before and current and is_changed
        else [],
        "is_rendering": current is None and bool(rendering_of(story)),
        "story": story,
        "form": form,
        "is_untitled": is_untitled(story),
        "options": options,
        "alongside": alongside(story, publication, editions_of(publication.story)),
        "base": f"{settings.APP_URL.partition('://')[2]}/{story.workspace.name}/",
        "missing": readiness.to_mend(readiness.faults(story, preview)),
        "preview": current,
        "is_changed": is_changed,
        "state": state,
        "link": f"{settings.APP_URL}{state.url}" if state.url else "",
        "premiere": options.outlook,
        "publishes": actor_in(request).may_publish_in(story.workspace_id),
        "is_published": publication.is_published,
        "claims": "" if story.workspace.name_claimed_at else story.workspace.name,
        "lost_brand": publication.mode == Brand.WHITE_LABEL and not options.white_label_allowed,
        "choices": choices,
        "asked": asked,
        "asked_email": choices.email_words(asked.wishes.get("premiere_email_mode")) if asked else "",
        "levels": LEVELS,
    }
    return render(request, "studio/publish.html", context)


@studio_page
@refused_here
@require_POST
def prepare(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """Builds the preview that a publish bakes."""
    found = story_for(request, story)
    previews.request_preview(found, by=actor_in(request))
    asked = f"?{urlencode({'ask': request.GET['ask']})}" if "ask" in request.GET else ""
    return redirect(f"{reverse('studio_publish', kwargs={'story': found.pk})}{asked}")


@studio_page
@require_POST
def live(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """What can be changed without publishing again: who sees it, the email that is due, and whether it is live."""
    found = story_for(request, story)
    try:
        messages.success(request, change_publication(request, found))
    except CapsulesError as error:
        show_refusal(request, error)
    return redirect("studio_publish", story=found.pk)


def change_publication(request: HttpRequest, story: Story) -> str:
    """Does what the pressed button says; returns what was done. Raises Invalid for anything else."""
    do, actor = request.POST.get("do"), actor_in(request)
    if do == "cancel-email":
        outlook.cancel_premiere(story, by=actor)
        return gettext("The email is cancelled. It will not be sent.")
    if do == "unpublish":
        actions.unpublish(story, by=actor)
        return gettext("The capsule is unpublished. Its address is reserved for it.")
    level = request.POST.get("level", "")
    if do != "level" or level not in LEVELS:
        raise Invalid(gettext("Choose who can see it."))
    actions.set_visibility(story, level, by=actor)
    return str(LEVELS[level])
