"""GET /workspaces/{id}/events."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from typing import ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import EVENTS_READ
from accounts.api import ActorViewSet
from accounts.events import reading
from accounts.events.types import TYPES, event_shown
from config.api import WholeNumber, WireSerializer, check
from config.errors import Fault, Invalid
from config.schema import operation


class LoggedEventSerializer(WireSerializer):
    id = serializers.CharField(help_text="evt_…; the same in every delivery.")
    sequence = serializers.IntegerField(help_text="Its place in the workspace's log, from 1, without a gap.")
    type = serializers.CharField()
    timestamp = serializers.DateTimeField()
    data = serializers.DictField(  # type: ignore[assignment]
        help_text="By type: see the webhooks of this document."
    )


class LoggedEventsSerializer(WireSerializer):
    items = LoggedEventSerializer(many=True)
    nextAfter = serializers.IntegerField(
        allow_null=True,
        help_text="Send it as `after` for more; null at the end. With `type` it is the number last looked at.",
    )
    oldest = serializers.IntegerField(allow_null=True, help_text="The lowest number that is kept.")


class EventsQuerySerializer(WireSerializer):
    after = WholeNumber(
        required=False, min_value=0, help_text="Events with a higher number. Left out: from the oldest kept."
    )
    limit = WholeNumber(required=False, default=50, min_value=1, max_value=100)


TYPE = OpenApiParameter(
    "type",
    OpenApiTypes.STR,
    OpenApiParameter.QUERY,
    many=True,
    enum=list(TYPES),
    description="Only events of this type; repeatable.",
)


class EventsViewSet(ActorViewSet):
    scopes: ClassVar = {"list": EVENTS_READ}

    @operation(
        "listEvents",
        "What happened in a workspace",
        "Events",
        LoggedEventsSerializer,
        {"items": [event_shown("story.published")], "nextAfter": None, "oldest": 1},
        description=(
            "The log of the last 30 days, in order. Each event has the next number of its workspace, so that whoever "
            "misses one sees the gap and asks for it here. Webhooks deliver the very same objects."
        ),
        parameters=[EventsQuerySerializer, TYPE],
        refusals=[410],
        refused={
            410: {
                "error": "Events up to 12 are not kept any more. The oldest event that is kept is 13.",
                "details": [{"path": "after", "message": "oldest: 13."}],
            }
        },
    )
    def list(self, request: Request, workspace: str) -> Response:
        found = self.workspace(workspace)
        asked = request.query_params
        types = asked.getlist("type")
        values = {name: given[-1] for name, given in asked.lists() if name != "type"}
        repeated = [name for name, given in asked.lists() if name != "type" and len(given) > 1]
        if repeated:
            raise Invalid(
                faults=[Fault(name, "This parameter is given more than once.") for name in repeated]
            )
        if unknown := [type for type in types if type not in TYPES]:
            raise Invalid(faults=[Fault("type", f"Must be one of {', '.join(TYPES)}.") for _ in unknown[:1]])
        query = check(EventsQuerySerializer, values)
        page = reading.events_after(found, after=query.get("after"), types=types, limit=query["limit"])
        return Response({"items": page.items, "nextAfter": page.next_after, "oldest": page.oldest})
