"""GET /health, and the pages for what went wrong outside the API."""

from __future__ import annotations

import sys

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import Resolver404, is_valid_path
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.names import reserved_names
from config import outage
from config.api import ApiViewSet, as_json, error_headers, error_response, error_status, unexpected
from config.errors import CapsulesError
from config.links import absolute
from config.middleware import JSON_PATHS
from config.schema import documents, example, failures

JSON_ANSWERS = (*JSON_PATHS, "/oembed")  # where programs ask


class HealthViewSet(ApiViewSet):
    """Liveness: the process answers. It asks nothing of the database."""

    @extend_schema(
        operation_id="getHealth",
        summary="Liveness",
        tags=["Service"],
        auth=[],
        responses={
            200: inline_serializer("Health", {"status": serializers.ChoiceField(["ok"])}),
            **failures(400),
        },
        examples=[example("Healthy", {"status": "ok"})],
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"status": "ok"})


class SchemaViewSet(ApiViewSet):
    """The OpenAPI document: YAML, or JSON for `?format=json` or an Accept header that names it."""

    schema = None  # it does not describe itself

    def retrieve(self, request: Request) -> HttpResponse:
        wanted = request.query_params.get("format") or request.headers.get("Accept", "")
        kind = "json" if "json" in wanted else "yaml"
        document = documents()[kind]
        return HttpResponse(
            document.content,
            content_type=document.content_type,
            headers={
                "ETag": document.etag,
                "Cache-Control": "public, max-age=300",
                "Content-Disposition": f'inline; filename="openapi.{kind}"',
                "Vary": "Accept",
            },
        )


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What search engines may fetch, and where the sitemap is."""
    lines = ["User-agent: *", "Disallow: /api/", "Disallow: /admin/", "Allow: /", ""]
    lines.append(f"Sitemap: {absolute('/sitemap.xml')}\n")
    return HttpResponse(
        "\n".join(lines),
        content_type="text/plain; charset=utf-8",
        headers={"Cache-Control": "public, max-age=3600"},
    )


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The icon, for programs that request it without having read a page."""
    return redirect(static("favicon.ico"))


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Where only a slash at the end is too much, on to the address without it; no workspace has a reserved name."""
    bare = request.path.rstrip("/")
    page = is_valid_path(bare) if isinstance(exception, Resolver404) else None
    if page and request.method in ("GET", "HEAD") and page.kwargs.get("workspace") not in reserved_names():
        query = request.META.get("QUERY_STRING", "")
        return redirect(f"{bare}?{query}" if query else bare, permanent=True)
    return render(None, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """What Django asks for after an exception, inside a view or a middleware."""
    exc = sys.exc_info()[1]
    if away := outage.answer_for(exc):
        return unavailable(request, away)
    if request.path.startswith(JSON_ANSWERS):
        return as_json({"error": unexpected(exc)}, status=500)
    return render(None, "500.html", {"message": unexpected(exc)}, status=500)


def came_from_elsewhere(request: HttpRequest, reason: str = "") -> HttpResponse:
    """What Django asks for after a form without its token: leads back to the page that has the form, which need not be
    the address that it was sent to.
    """
    came_from = request.headers.get("Referer", "")
    is_ours = came_from.startswith(request.build_absolute_uri("/"))
    form_at = came_from if is_ours else request.get_full_path()
    return render(request, "403_csrf.html", {"form_at": form_at}, status=403)


def unavailable(request: HttpRequest, error: CapsulesError) -> HttpResponse:
    """The answer while something that the service needs is away: 503 or 507, and when to come back."""
    if request.path.startswith(JSON_ANSWERS):
        return error_response(error)
    is_framed = request.path.endswith("/embed")  # an embed says so inside its frame
    show = xframe_options_exempt(csp_replace({"frame-ancestors": ["*"]})(render)) if is_framed else render
    context = {"message": str(error), "framed": is_framed}
    answer: HttpResponse = show(None, "503.html", context, status=error_status(error))
    answer["Cache-Control"] = "no-store"
    for name, value in error_headers(error).items():
        answer[name] = value
    return answer
