"""GET /health, and the pages for what went wrong outside the API."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import ApiViewSet, unexpected
from config.schema import example


class HealthViewSet(ApiViewSet):
    """Liveness: the process answers. It asks nothing of the database."""

    @extend_schema(
        operation_id="getHealth",
        summary="Liveness",
        tags=["Service"],
        auth=[],
        responses=inline_serializer("Health", {"status": serializers.ChoiceField(["ok"])}),
        examples=[example("Healthy", {"status": "ok"})],
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"status": "ok"})


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    return render(request, "500.html", {"message": unexpected(None)}, status=500)
