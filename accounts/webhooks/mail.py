"""What owners are told of a webhook that was turned off."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext

from accounts.models import Membership, Webhook
from accounts.people.letters import post_letter


def host_of(url: str) -> str:
    """The host alone: the rest of an address may be a secret."""
    return urlsplit(url).hostname or ""


def tell_owners(hook: Webhook, why: str) -> None:
    workspace, host = hook.workspace, host_of(hook.url)
    page = f"{settings.APP_URL}/account/workspaces/{workspace.pk}/webhooks/{hook.pk}"
    who = {"service": settings.SERVICE_NAME, "host": host, "workspace": workspace.title}
    told = gettext("%(service)s no longer tells %(host)s what happens in %(workspace)s.") % who
    again = gettext(
        "What was not delivered is kept for 30 days. Turn the webhook on again and replay it here:"
    )
    subject = gettext("The webhook to %(host)s was turned off") % {"host": host}
    text = f"{told} {why}\n\n{again}\n\n{page}\n"
    owners = Membership.objects.filter(workspace=workspace, role=Membership.Role.OWNER, user__is_active=True)
    for email in owners.values_list("user__email", flat=True):
        post_letter(email, subject, text)
