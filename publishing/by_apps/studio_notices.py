"""What the studio tells a person of their apps in one workspace."""

from __future__ import annotations

from datetime import datetime, timedelta

from accounts.actors import PUBLICATIONS_WRITE
from accounts.models import Connection, User, Workspace
from publishing.models import Premiere, PublishAsk, PublishNotice

MOST = 5  # of each on one page
KEPT = timedelta(days=30)  # once nothing can be done about it


def news_for(user: User, workspace: Workspace) -> dict[str, object]:
    """What apps made public and the person has not seen yet, and what apps ask the person to publish."""
    told = PublishNotice.objects.unseen(user).filter(story__workspace=workspace)
    waiting = PublishAsk.objects.waiting().filter(user=user, story__workspace=workspace)
    waiting = waiting.filter(credential__in=publishing_apps(user))
    return {
        "app_notices": [
            with_due_email(notice) for notice in told.prefetch_related("story__publication__premiere")[:MOST]
        ],
        "app_asks": waiting.select_related("story")[:MOST],
    }


def publishing_apps(user: User) -> list[str]:
    """The credentials of a person's apps that may publish: what the others asked is over."""
    apps = Connection.objects.live().of(user).order_by().values_list("pk", "scopes")
    return [f"connection:{pk}" for pk, scopes in apps if PUBLICATIONS_WRITE in scopes]


def with_due_email(notice: PublishNotice) -> PublishNotice:
    premiere: Premiere | None = getattr(notice.story.publication, "premiere", None)
    notice.due_at = premiere.due_at if premiere and premiere.is_open else None  # type: ignore[attr-defined]
    return notice


def forget_old(now: datetime) -> int:
    """Deletes notices whose links have ended and questions that were answered, some time ago; returns how many."""
    old = PublishNotice.objects.filter(published_at__lt=now - KEPT)
    ended = old.exclude(pk__in=old.current().values("pk"))
    answered = PublishAsk.objects.filter(answered_at__lt=now - KEPT)
    return ended.delete()[0] + answered.delete()[0]
