"""The endpoints of webhooks: /workspaces/{id}/webhooks and below. For owners and admins."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import WEBHOOKS_READ, WEBHOOKS_WRITE
from accounts.api import ActorViewSet
from accounts.idempotency import RUNNING, once, refuse_key
from accounts.models import Webhook, Workspace
from accounts.webhooks import actions
from accounts.webhooks.wire import (
    CountSerializer,
    DeliveriesQuerySerializer,
    NewWebhookSerializer,
    ReplayRequestSerializer,
    SecretSerializer,
    TestRequestSerializer,
    WebhookChangesRequestSerializer,
    WebhookDeliveriesSerializer,
    WebhookDeliverySerializer,
    WebhookRequestSerializer,
    WebhookSerializer,
    WebhooksSerializer,
)
from config.api import WireSerializer, parsed, query
from config.ids import number_of, row_of
from config.paging import numbered
from config.schema import IDEMPOTENCY_KEY, operation

HOOK = {
    "id": "2f6d8f0e-6c0b-4b5e-9d9b-4f4b0c3e1a22",
    "url": "https://example.com/hooks/capsules",
    "types": ["story.published", "story.unpublished"],
    "description": "Rebuilds our site",
    "state": "on",
    "publicKey": "whpk_3ZlBv0aXk1kz0m1QeD1Wc2H8mBqgq2o2cY9r4nqVd1s=",
    "createdAt": "2026-11-18T17:04:05Z",
    "lastSuccessAt": None,
    "failingSince": None,
}
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw1r3N4cQb0Xw="  # noqa: S105  # an example
DELIVERY = {
    "id": "812",
    "eventId": "evt_3c0f6a4d1b2e4f5a8c7d9e0f1a2b3c4d",
    "sequence": 41,
    "type": "story.published",
    "state": "done",
    "attempts": [{"at": "2026-11-18T17:04:05.300000Z", "status": 204, "error": None, "ms": 48, "answer": ""}],
    "nextAttemptAt": None,
}
TESTED = {**DELIVERY, "sequence": None, "type": "webhook.test", "state": "waiting", "attempts": []}
NO_KEY = "An Idempotency-Key is refused: the secret is told once, not again to a repeated call."
OFF = {409: {"error": str(actions.IS_OFF)}, 423: {"error": RUNNING}}


class WebhookViewSet(ActorViewSet):
    scopes: ClassVar = {
        "list": WEBHOOKS_READ,
        "retrieve": WEBHOOKS_READ,
        "deliveries": WEBHOOKS_READ,
        "create": WEBHOOKS_WRITE,
        "partial_update": WEBHOOKS_WRITE,
        "destroy": WEBHOOKS_WRITE,
        "secret": WEBHOOKS_WRITE,
        "test": WEBHOOKS_WRITE,
        "replay": WEBHOOKS_WRITE,
    }

    def managed(self, workspace: str) -> Workspace:
        """Raises NotFound, then Forbidden."""
        found = self.workspace(workspace)
        actions.check_may(self.actor, found)
        self.acts_in = found.pk
        return found

    def hook(self, workspace: str, webhook: str) -> Webhook:
        """Raises NotFound, then Forbidden."""
        rows = Webhook.objects.filter(workspace=self.managed(workspace)).select_related("workspace")
        return row_of(rows, webhook, "There is no such webhook.")

    @operation(
        "listWebhooks",
        "The webhooks of a workspace",
        "Events",
        WebhooksSerializer,
        {"items": [HOOK], "nextCursor": None},
    )
    def list(self, request: Request, workspace: str) -> Response:
        found = self.managed(workspace)
        query(WireSerializer, request)
        hooks = Webhook.objects.filter(workspace=found)
        return Response({"items": WebhookSerializer(hooks, many=True).data, "nextCursor": None})

    @operation(
        "createWebhook",
        "Be told of what happens",
        "Events",
        NewWebhookSerializer,
        {**HOOK, "secret": SECRET},
        request=WebhookRequestSerializer,
        sent={"url": HOOK["url"], "types": HOOK["types"], "description": HOOK["description"]},
        status=201,
        refusals=[409],
        refused={409: {"error": "A workspace has at most 10 webhooks."}},
        description=NO_KEY,
    )
    def create(self, request: Request, workspace: str) -> Response:
        found = self.managed(workspace)
        query(WireSerializer, request)
        refuse_key(request)
        hook, secret = actions.make_webhook(found, **parsed(WebhookRequestSerializer, request), by=self.actor)
        location = f"/api/v2/workspaces/{found.pk}/webhooks/{hook.pk}"
        told = {**WebhookSerializer(hook).data, "secret": secret}
        return Response(told, status=201, headers={"Location": location})

    @operation("getWebhook", "One webhook", "Events", WebhookSerializer, HOOK)
    def retrieve(self, request: Request, workspace: str, webhook: str) -> Response:
        hook = self.hook(workspace, webhook)
        query(WireSerializer, request)
        return Response(WebhookSerializer(hook).data)

    @operation(
        "changeWebhook",
        "Change a webhook, turn it off or on",
        "Events",
        WebhookSerializer,
        HOOK,
        request=WebhookChangesRequestSerializer,
        sent={"state": "off"},
        description="Turned off, it waits for nothing any more; a replay brings what happened meanwhile.",
    )
    def partial_update(self, request: Request, workspace: str, webhook: str) -> Response:
        hook = self.hook(workspace, webhook)
        query(WireSerializer, request)
        changes = parsed(WebhookChangesRequestSerializer, request)
        return Response(WebhookSerializer(actions.change_webhook(hook, changes, by=self.actor)).data)

    @operation("deleteWebhook", "Delete a webhook", "Events", WebhookSerializer, HOOK)
    def destroy(self, request: Request, workspace: str, webhook: str) -> Response:
        hook = self.hook(workspace, webhook)
        query(WireSerializer, request)
        parsed(WireSerializer, request)
        told = WebhookSerializer(hook).data
        actions.delete_webhook(hook, by=self.actor)
        return Response(told)

    @operation(
        "replaceWebhookSecret",
        "Replace the secret",
        "Events",
        SecretSerializer,
        {"secret": SECRET, "oldSecretUntil": "2026-11-19T17:04:05Z"},
        refusals=[409],
        description="For 24 hours both secrets sign, however often it is replaced. The public key stays. "
        + NO_KEY,
    )
    def secret(self, request: Request, workspace: str, webhook: str) -> Response:
        hook = self.hook(workspace, webhook)
        query(WireSerializer, request)
        refuse_key(request)
        parsed(WireSerializer, request)
        secret, until = actions.replace_secret(hook, by=self.actor)
        return Response(SecretSerializer({"secret": secret, "old_secret_until": until}).data)

    @operation(
        "testWebhook",
        "Send a sample",
        "Events",
        WebhookDeliverySerializer,
        TESTED,
        request=TestRequestSerializer,
        sent={"type": "story.published"},
        parameters=[IDEMPOTENCY_KEY],
        status=201,
        refused=OFF,
        description="A made-up event of one type. It has no sequence, is in no log, and is sent once.",
    )
    @once
    def test(self, request: Request, workspace: str, webhook: str) -> Response:
        hook = self.hook(workspace, webhook)
        query(WireSerializer, request)
        type = parsed(TestRequestSerializer, request)["type"]
        delivery = actions.send_test(hook, type, by=self.actor)
        return Response(WebhookDeliverySerializer(delivery).data, status=201)

    @operation(
        "listWebhookDeliveries",
        "What was sent to a webhook",
        "Events",
        WebhookDeliveriesSerializer,
        {"items": [DELIVERY], "nextCursor": None},
        parameters=[DeliveriesQuerySerializer],
        description="The newest first; kept as long as their events.",
    )
    def deliveries(self, request: Request, workspace: str, webhook: str) -> Response:
        hook = self.hook(workspace, webhook)
        asked = query(DeliveriesQuerySerializer, request)
        rows = hook.deliveries.select_related("event")
        if "state" in asked:
            rows = rows.filter(state=asked["state"])
        found, cursor = numbered(rows, name="webhook deliveries", query=asked, column="pk")
        return Response({"items": WebhookDeliverySerializer(found, many=True).data, "nextCursor": cursor})

    @operation(
        "replayWebhook",
        "Deliver events again",
        "Events",
        CountSerializer,
        {"count": 12},
        request=ReplayRequestSerializer,
        sent={"after": 29, "until": 41},
        parameters=[IDEMPOTENCY_KEY],
        refused=OFF,
        description=(
            "By number (`after`, `until`), those that failed since a moment (`failedSince`), or those of deliveries. "
            "Events come again with the same id."
        ),
    )
    @once
    def replay(self, request: Request, workspace: str, webhook: str) -> Response:
        hook = self.hook(workspace, webhook)
        query(WireSerializer, request)
        body = parsed(ReplayRequestSerializer, request)
        if "deliveries" in body:
            body["deliveries"] = [number_of(id) or 0 for id in body["deliveries"]]
        return Response({"count": actions.replay(hook, **body, by=self.actor)})
