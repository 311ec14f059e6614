"""GET /health, and the pages for what went wrong outside the API."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe
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


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What search engines may fetch, and where the sitemap is."""
    lines = ["User-agent: *", "Disallow: /api/", "Disallow: /admin/", "Allow: /", ""]
    lines.append(f"Sitemap: {settings.APP_URL}/sitemap.xml\n")
    return HttpResponse(
        "\n".join(lines),
        content_type="text/plain; charset=utf-8",
        headers={"Cache-Control": "public, max-age=3600"},
    )


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """For programs that ask for it without having read a page."""
    return redirect(static("favicon.ico"))


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(None, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    return render(None, "500.html", {"message": unexpected(None)}, status=500)
