"""The pages of a workspace's webhooks for its owners and admins: list, make, test, what was sent, replay."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.events.reading import body
from accounts.events.types import DELIVERED, TEST, TYPES
from accounts.models import Membership, Webhook
from accounts.pages.base import (
    actor_in,
    cleaned,
    confirmation_page,
    login_page,
    post_then_redirect,
    redirect_to_show,
    render_for_member,
    require_manager,
    secret_to_show,
)
from accounts.webhooks import actions
from config.errors import CapsulesError
from config.ids import number_of, row_of
from config.json_types import JsonObject

SHOWN = 50  # deliveries
STATES = {"on": _("Works"), "failing": _("Not answering"), "off": _("Off"), "new": _("Not tried yet")}


class WebhookForm(forms.Form):
    url = forms.CharField(
        max_length=500,
        label=_("Address"),
        widget=forms.URLInput(attrs={"placeholder": "https://example.com/hooks"}),
    )
    description = forms.CharField(max_length=200, required=False, label=_("What is it for?"))
    types = forms.MultipleChoiceField(
        choices=[(name, name) for name in TYPES],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label=_("Only these events"),
        help_text=_("Tick none to be told of everything."),
    )


class TestForm(forms.Form):
    type = forms.ChoiceField(choices=[(name, name) for name in DELIVERED], initial=TEST, label=_("Event"))


class ReplayForm(forms.Form):
    after = forms.IntegerField(min_value=0, required=False, initial=0, label=_("After event number"))
    until = forms.IntegerField(min_value=0, required=False, label=_("Up to number"))


class FailedForm(forms.Form):
    failed = forms.TypedChoiceField(
        coerce=int,
        choices=[
            (1, _("the last hour")),
            (24, _("the last day")),
            (24 * 7, _("the last week")),
            (24 * 30, _("the last 30 days")),
        ],
        initial=24,
        label=_("What failed in"),
    )


def state_words(hook: Webhook) -> str:
    is_new = hook.state == "on" and hook.last_success_at is None
    return str(STATES["new" if is_new else hook.state])


def hook_of(own: Membership, id: uuid.UUID) -> Webhook:
    rows = Webhook.objects.filter(workspace=own.workspace).select_related("workspace")
    return row_of(rows, id, gettext("There is no such webhook."))


@login_page
def webhooks_page(
    request: HttpRequest, workspace: uuid.UUID, form: WebhookForm | None = None
) -> HttpResponse:
    own = require_manager(request, workspace)
    context = {
        "hooks": [(hook, state_words(hook)) for hook in Webhook.objects.filter(workspace=own.workspace)],
        "form": form or WebhookForm(),
        "secret": secret_to_show(request),
    }
    return render_for_member(request, "webhooks", own, **context)


@require_POST
@login_page
def make_webhook(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return webhooks_page(request, workspace=workspace, form=form)
    typed = form.cleaned_data | {"types": form.cleaned_data["types"] or None}
    try:
        _, secret = actions.make_webhook(own.workspace, **typed, by=actor_in(request))
    except CapsulesError as error:
        form.add_error("url", error.in_words())
        return webhooks_page(request, workspace=workspace, form=form)
    return redirect_to_show(secret, request, "account_webhooks", workspace=workspace)


@login_page
def webhook_page(
    request: HttpRequest, workspace: uuid.UUID, webhook: uuid.UUID, form: WebhookForm | None = None
) -> HttpResponse:
    own = require_manager(request, workspace)
    hook = hook_of(own, webhook)
    known = {"url": hook.url, "description": hook.description, "types": hook.types or []}
    context = {
        "hook": hook,
        "state": state_words(hook),
        "why_off": hook.off_because and gettext(hook.off_because),
        "secret": secret_to_show(request),
        "form": form or WebhookForm(initial=known),
        "test_form": TestForm(),
        "replay_form": ReplayForm(),
        "failed_form": FailedForm(),
        **deliveries_shown(hook, request.GET.get("before", "")),
    }
    return render_for_member(request, "webhook", own, **context)


def deliveries_shown(hook: Webhook, before: str) -> JsonObject:
    """The newest, or those before one, with their requests; `older`: where the next page begins."""
    found = hook.deliveries.select_related("event").order_by("-pk")
    if number := number_of(before):
        found = found.filter(pk__lt=number)
    deliveries = list(found[: SHOWN + 1])
    older = deliveries[SHOWN - 1].pk if len(deliveries) > SHOWN else None
    rows = [(each, body(each).decode()) for each in deliveries[:SHOWN]]
    return {"rows": rows, "older": older, "is_newest": not number}


@require_POST
@login_page
def change_webhook(request: HttpRequest, workspace: uuid.UUID, webhook: uuid.UUID) -> HttpResponse:
    hook = hook_of(require_manager(request, workspace), webhook)
    form = WebhookForm(request.POST)
    if form.is_valid():
        typed = form.cleaned_data | {"types": form.cleaned_data["types"] or None}
        try:
            actions.change_webhook(hook, typed, by=actor_in(request))
        except CapsulesError as error:
            form.add_error("url", error.in_words())
        else:
            messages.success(request, gettext("The webhook is changed."))
            return redirect("account_webhook", workspace=workspace, webhook=webhook)
    return webhook_page(request, workspace=workspace, webhook=webhook, form=form)


@require_POST
@login_page
def new_secret(request: HttpRequest, workspace: uuid.UUID, webhook: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    secret, _ = actions.replace_secret(hook_of(own, webhook), by=actor_in(request))
    return redirect_to_show(secret, request, "account_webhook", workspace=workspace, webhook=webhook)


@post_then_redirect("account_webhook")
def test(request: HttpRequest, workspace: uuid.UUID, webhook: uuid.UUID) -> str:
    hook = hook_of(require_manager(request, workspace), webhook)
    actions.send_test(hook, cleaned(TestForm(request.POST))["type"], by=actor_in(request))
    return gettext("A sample is on its way. Load this page again to see the answer.")


@post_then_redirect("account_webhook")
def replay(request: HttpRequest, workspace: uuid.UUID, webhook: uuid.UUID) -> str:
    """By number; one delivery, by its button; or what failed."""
    hook = hook_of(require_manager(request, workspace), webhook)
    one = request.POST.get("delivery", "")
    if one:
        count = actions.replay(hook, deliveries=[number_of(one) or 0], by=actor_in(request))
    elif "failed" in request.POST:
        since = timezone.now() - timedelta(hours=cleaned(FailedForm(request.POST))["failed"])
        count = actions.replay(hook, failed_since=since, by=actor_in(request))
    else:
        typed = cleaned(ReplayForm(request.POST))
        count = actions.replay(hook, after=typed["after"] or 0, until=typed["until"], by=actor_in(request))
    return ngettext("One event is sent again.", "%(number)d events are sent again.", count) % {
        "number": count
    }


@post_then_redirect("account_webhook")
def switch(request: HttpRequest, workspace: uuid.UUID, webhook: uuid.UUID) -> str:
    hook = hook_of(require_manager(request, workspace), webhook)
    told = gettext("The webhook is off.") if hook.is_on else gettext("The webhook is on.")
    actions.change_webhook(hook, {"state": "off" if hook.is_on else "on"}, by=actor_in(request))
    return told


@login_page
def delete(request: HttpRequest, workspace: uuid.UUID, webhook: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    hook = hook_of(own, webhook)
    back = reverse("account_webhook", args=[workspace, webhook])
    if request.method != "POST":
        told = gettext("%(address)s is not told of anything any more, and what was sent to it is forgotten.")
        return confirmation_page(
            request,
            title=gettext("Delete this webhook?"),
            button=gettext("Delete"),
            back=back,
            text=[told % {"address": hook.url}],
        )
    actions.delete_webhook(hook, by=actor_in(request))
    return redirect("account_webhooks", workspace=workspace)
