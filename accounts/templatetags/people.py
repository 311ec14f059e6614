"""`{% people_navigation %}`: the one navigation of everybody who is signed in, on studio and account pages; and
`{{ agent|browser }}`: the browser and the device of a User-Agent header, in words.
"""

from __future__ import annotations

from typing import Any

from django import template

from accounts.models import Membership
from accounts.people.browsers import browser_name

register = template.Library()
register.filter("browser", browser_name)
SECTIONS = {"audience": "subscribers", "account_home": "account"}  # of pages that do not say theirs


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
