"""Webhooks of a workspace as its owner uses them by the API, and what arrived."""

from __future__ import annotations

import json
from datetime import timedelta

import time_machine
from django.utils import timezone

from accounts.events.types import sample
from accounts.models import WebhookDelivery, WorkspaceEvent
from tests.support.receiver import Receiver


class Hooks:
    def __init__(self, api, workspace) -> None:
        self.api, self.workspace = api, workspace
        self.path = f"/workspaces/{workspace.pk}/webhooks"

    def make(self, there: Receiver, **more) -> dict:
        answer = self.api.call("POST", self.path, {"url": there.url, **more})
        assert answer.status_code == 201, answer.content
        return answer.json()

    def call(self, method: str, hook: dict, what: str = "", body=None, status: int = 200) -> dict:
        answer = self.api.call(method, f"{self.path}/{hook['id']}{what}", body)
        assert answer.status_code == status, answer.content
        return answer.json()

    def tell(self, count: int = 1, type: str = "story.restored") -> None:
        WorkspaceEvent.objects.bulk_create(
            WorkspaceEvent(workspace=self.workspace, type=type, data=sample(type)) for _ in range(count)
        )

    def states(self, hook: dict) -> list[tuple[int | None, str, int]]:
        rows = WebhookDelivery.objects.filter(webhook=hook["id"]).order_by("pk").select_related("event")
        return [(row.sequence, row.state, row.tries) for row in rows]


def numbers(there: Receiver) -> list[int | None]:
    return [json.loads(got.body)["sequence"] for got in there.got]


def later(**time_passed: float) -> time_machine.travel:
    return time_machine.travel(timezone.now() + timedelta(**time_passed), tick=True)
