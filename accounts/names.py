"""Workspace names: which are reserved, and how a first publish claims one forever."""

from __future__ import annotations

import re
from functools import cache
from itertools import count

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import WORKSPACE_NAME, RetiredName, Workspace
from config.ascii import ascii_words
from config.errors import Conflict, Fault

#: Segments that the server or a careful person may want one day.
ALSO_RESERVED = frozenset(
    [
        "about",
        "account",
        "assets",
        "blog",
        "capsules",
        "contact",
        "docs",
        "help",
        "legal",
        "login",
        "mail",
        "mcp",
        "review",
        "search",
        "topics",
        "www",
    ]
)


@cache
def reserved_names() -> frozenset[str]:
    """Every first path segment that the URL conf or the server answers, and a short list."""
    firsts = {segment for pattern in get_resolver().url_patterns for segment in first_segments(pattern)}
    served = {url.strip("/").split("/")[0] for url in (settings.STATIC_URL, settings.MEDIA_URL)}
    return ALSO_RESERVED | firsts | served


def first_segments(pattern: URLPattern | URLResolver) -> set[str]:
    route = str(pattern.pattern).lstrip("^")
    if not route and isinstance(pattern, URLResolver):
        return {segment for child in pattern.url_patterns for segment in first_segments(child)}
    segment = re.split(r"[/\\$(]", route)[0]
    return {segment} if segment and "<" not in segment else set()


def name_fault(name: str) -> str:
    """Why a workspace may not take `name`, in one sentence; "" if it may."""
    if not re.fullmatch(WORKSPACE_NAME, name):
        return gettext("Use 3 to 40 lowercase letters, digits and hyphens.")
    if name in reserved_names():
        return gettext("This name is reserved.")
    if is_claimed(name):
        return gettext("Another workspace has claimed this name.")
    return ""


def is_claimed(name: str, *, but_by: Workspace | None = None) -> bool:
    """Whether a workspace has claimed it, or had until it was deleted."""
    claimed = Workspace.objects.filter(name=name, name_claimed_at__isnull=False)
    if but_by is not None:
        claimed = claimed.exclude(pk=but_by.pk)
    return claimed.exists() or RetiredName.objects.filter(name=name).exists()


def suggest(title: str) -> str:
    """A free name from a title, `-2`, `-3` … until one is free."""
    stem = ascii_words(title, 36)
    stem = stem if len(stem) >= 3 else "workspace"  # the shortest name has three characters
    numbered = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(name for name in numbered if not name_fault(name))


def check_claimable(workspace: Workspace) -> None:
    """Raises Conflict where the workspace's name is reserved or claimed by another."""
    if workspace.name_claimed_at:
        return
    if workspace.name in reserved_names():
        raise name_refusal(gettext("This workspace name is reserved. Choose another name for the workspace."))
    if is_claimed(workspace.name, but_by=workspace):
        raise name_refusal(
            gettext("Another workspace has claimed this name. Choose another name for the workspace.")
        )


def claim(workspace: Workspace) -> None:
    """Makes the name the workspace's own forever; its unique constraint decides between two. Raises Conflict."""
    if workspace.name_claimed_at:
        return
    check_claimable(workspace)
    try:
        with transaction.atomic():
            Workspace.objects.filter(pk=workspace.pk, name_claimed_at__isnull=True).update(
                name_claimed_at=timezone.now()
            )
    except IntegrityError as error:
        raise name_refusal(
            gettext("Another workspace has claimed this name. Choose another name for the workspace.")
        ) from error


def name_refusal(message: str) -> Conflict:
    return Conflict(gettext("The workspace name is not available."), faults=[Fault("workspaceName", message)])
