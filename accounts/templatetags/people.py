"""`{% people_navigation %}`: the one navigation of everybody who is signed in, on studio and account pages;
`{% workspace_tabs workspace %}`: the pages of a workspace's settings; and `{{ agent|browser }}`: the browser and the
device of a User-Agent header, in words.
"""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.translation import gettext_noop

from accounts.models import Membership, Workspace
from accounts.people.browsers import browser_name

register = template.Library()
register.filter("browser", browser_name)
SECTIONS = {"audience": "subscribers", "account_home": "account"}  # of pages that do not say theirs
TABS = [
    ("account_workspace", gettext_noop("Title and name")),
    ("studio_face", gettext_noop("How readers see it")),
    ("account_members", gettext_noop("Members")),
    ("account_keys", gettext_noop("API keys")),
    ("account_webhooks", gettext_noop("Webhooks")),
    ("audience", gettext_noop("Subscribers")),
    ("account_workspace_apps", gettext_noop("Connected apps")),
    ("account_audit_log", gettext_noop("Audit log")),
]


@register.inclusion_tag("accounts/workspace_tabs.html", takes_context=True)
def workspace_tabs(context: dict[str, Any], workspace: Workspace) -> dict[str, object]:
    """The tab of a page is the one whose address its own begins with: a form that was refused stands below it."""
    tabs = [(reverse(page, kwargs={"workspace": workspace.pk}), words) for page, words in TABS]
    path = context["request"].path
    here = max((address for address, _ in tabs if path.startswith(address)), key=len, default=None)
    return {"tabs": tabs, "here": here}


@register.inclusion_tag("accounts/navigation.html", takes_context=True)
def people_navigation(context: dict[str, Any]) -> dict[str, object]:
    """With one query. `workspace` of the page is the one that its links lead to, where the person is a member of it."""
    request = context["request"]
    rows = Membership.objects.filter(user=request.user).select_related("workspace")
    memberships = list(rows.order_by("workspace__title"))
    workspace = context.get("workspace")
    page = request.resolver_match.url_name if request.resolver_match else ""
    here = next((row for row in memberships if workspace and row.workspace_id == workspace.pk), None)
    return {
        "user": request.user,
        "memberships": memberships,
        "workspace": here.workspace if here else None,
        "manages": here is not None and here.role in Membership.MANAGING_ROLES,
        "section": context.get("section") or SECTIONS.get(page, "settings" if here else ""),
    }
