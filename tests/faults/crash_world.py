"""What tests.faults.crash_points counts, and the workspace that it acts in."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

KILL, LOSE = "killed", "connection lost"
#: Effects outside the database, where no connection can be lost.
OUTSIDE = ("call", "file", "rename", "mail")
DIED = 9


@dataclass
class Points:
    """Counts the places, and ends the process, or loses the connection, at number `at`."""

    at: int = 0
    how: str = KILL
    count: int = 0
    names: list[str] = field(default_factory=list)
    differ: list[int] = field(default_factory=list)  # places at which more is kept than at the one before
    has_changed: bool = True

    def pass_by(self, name: str) -> None:
        self.count += 1
        self.names.append(name)
        if self.has_changed:
            self.differ.append(self.count)
        self.has_changed = False
        if self.count != self.at:
            return
        if self.how == KILL:
            os._exit(DIED)
        from django.db import OperationalError, connection

        if connection.connection is not None:
            connection.connection.close()
        raise OperationalError("server closed the connection unexpectedly")

    def statement(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.pass_by(sql.split("FROM")[0][:60])
        result = execute(sql, params, many, context)
        if not context["connection"].in_atomic_block and not sql.startswith(("SELECT", "BEGIN")):
            self.has_changed = True
        return result


def counted(points: Points) -> ExitStack:
    """Everything that leaves this process passes by `points`, as long as the stack is open."""
    from django.db import connection

    from accounts.webhooks.calling import Caller
    from capsules import storage
    from config.celery import app
    from publishing.mail.transport import Connection

    stack = ExitStack()
    stack.enter_context(connection.execute_wrapper(points.statement))

    def around(owner: Any, name: str, label: str) -> None:
        real = getattr(owner, name)

        def told(*args: Any, **kwargs: Any) -> Any:
            points.pass_by(f"before {label}")
            result = real(*args, **kwargs)
            points.has_changed = True
            points.pass_by(f"after {label}")
            return result

        stack.enter_context(mock.patch.object(owner, name, told))

    around(connection, "_commit", "commit")
    around(storage, "put", "file")
    around(Path, "replace", "rename")  # of page files and stored files, and the moves of a freeze
    around(Path, "rename", "rename")  # of the folder of a workspace's pages
    around(Connection, "submit", "mail")
    stack.enter_context(mock.patch.object(app, "send_task", lambda *a, **k: points.pass_by("broker")))
    real_exchange = Caller.exchange

    def exchange(*args: Any, **kwargs: Any) -> Any:
        points.pass_by("before call")
        result = real_exchange(*args, **kwargs)
        points.has_changed = True
        points.pass_by("after call")
        return result

    stack.enter_context(mock.patch.object(Caller, "exchange", exchange))
    return stack


# --- The world --------------------------------------------------------------------------------------------------


class World:
    """One workspace with an owner and two readers, a receiver and a mail server on this machine, and its page files."""

    def __init__(self, there: Any, box: Any) -> None:
        from django.core.wsgi import get_wsgi_application

        from accounts.actors import Actor
        from publishing.pages.changes import Look
        from publishing.pages.files import page_files
        from publishing.pages.serving import Pages
        from tests.support import factories, mail

        self.there, self.box, self.number = there, box, 0
        self.rendered = factories.render_media()
        self.workspace = factories.make_workspace("north-shore", title="North Shore Press", plan="pro")
        self.owner = self.workspace.memberships.get(role="owner").user
        self.by = Actor.by_token(self.owner)
        self.readers = mail.subscribe(self.workspace, 2)
        self.look = Look(page_files())
        self.look.begin()
        self.pages = Pages(get_wsgi_application(), page_files())
        self.told = 0  # of the log, when the deed began

    def story(self, *, live: bool = False, encoded: bool = True, mode: str = "OFF") -> Any:
        """A story, live with its page kept as a file where that is asked for; its premiere: by default none."""
        from capsules.models import Story
        from publishing import actions
        from tests.support import factories

        self.number += 1
        made = factories.make_story(
            self.workspace, self.rendered, title=f"Story {self.number:05}", encoded=encoded
        )
        if live:
            request = actions.PublishRequest(premiere_email_mode=mode)
            slug = actions.publish(fresh(made), request=request, by=self.by).slug
            for _ in range(2):
                self.fetch(f"/north-shore/{slug}")
        return Story.objects.select_related("workspace").get(pk=made.pk)

    def fetch(self, path: str) -> tuple[str, str]:
        from tests.faults.crash_looks import fetched

        return fetched(self.pages, path)

    def publish(self, story: Any) -> Any:
        from publishing import actions

        return actions.publish(fresh(story), request=actions.PublishRequest(), by=self.by)

    def encode(self) -> None:
        """What a worker does, with pictures and films that were made before."""
        from capsules import worker
        from capsules.models import Encode

        while (encode := Encode.objects.filter(kind__in=list(self.rendered)).claim()) is not None:
            worker.end_encode(encode, state=Encode.State.DONE, outputs=self.rendered[encode.kind])

    def sweep(self) -> None:
        """What web and worker do by themselves, once every lease has lapsed."""
        from django.apps import apps
        from django.utils import timezone

        from accounts.models import Webhook
        from accounts.webhooks import sending
        from capsules.uploads import checking
        from publishing import leases
        from publishing.moderation import blobs
        from publishing.premieres import sweeping
        from tests.support.checking import check_uploads

        long_ago = timezone.now() - timezone.timedelta(hours=1)
        for model in apps.get_models():
            if any(each.name == "lease_until" for each in model._meta.fields):
                model._default_manager.filter(lease_until__isnull=False).update(lease_until=long_ago)
        Webhook.objects.filter(next_at__isnull=False).update(
            next_at=long_ago
        )  # the pause after an error, too
        self.look.again()
        leases.free_lapsed_leases()
        blobs.move_files()
        self.encode()
        check_uploads()
        checking.drop_left_over()
        sweeping.send_due_premieres()
        sending.send_due_webhooks()

    def note(self) -> None:
        """What the log has before a deed."""
        self.told = max((event.sequence for event in self.events()), default=0)

    def events(self, story: Any = None, *, new: bool = False) -> list[Any]:
        """Of a story, or all; `new`: since the deed began."""
        from accounts.events import numbering
        from accounts.models import WorkspaceEvent

        numbering.number_events(self.workspace.pk)
        rows = WorkspaceEvent.objects.filter(workspace=self.workspace).order_by("sequence")
        if new:
            rows = rows.filter(sequence__gt=self.told)
        return [row for row in rows if story is None or (row.data["story"] or {}).get("id") == str(story.pk)]


def fresh(story: Any) -> Any:
    from capsules.models import Story

    return Story.objects.select_related("workspace").get(pk=story.pk)
