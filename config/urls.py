"""Every address of the service. The first match wins; public pages come last, because they match any name."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.decorators.http import conditional_page, require_safe
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularSwaggerView

import accounts.urls
import capsules.urls
import feed.urls
import publishing.urls
from config import api, metrics, readiness, views

DOCS = {"url_name": "schema", "template_name": "docs.html"}
v2 = [
    path("health", views.HealthViewSet.as_view({"get": "retrieve"})),
    *accounts.urls.api,
    *capsules.urls.api,
    *publishing.urls.api,
    *feed.urls.api,
    path("schema", conditional_page(views.SchemaViewSet.as_view({"get": "retrieve"})), name="schema"),
    path("docs", require_safe(SpectacularSwaggerView.as_view(**DOCS)), name="docs"),
]

urlpatterns = [
    path("api/v2/", include(v2)),
    re_path(r"^api(/|$)", api.not_found),
    path("readyz", readiness.readyz),
    path("metrics", metrics.metrics),
    path("robots.txt", views.robots),
    path("favicon.ico", views.favicon),
    path("admin", RedirectView.as_view(url="/admin/")),
    path("admin/", admin.site.urls),
    *accounts.urls.urlpatterns,
    *capsules.urls.urlpatterns,
    *publishing.urls.urlpatterns,
    *feed.urls.urlpatterns,
]

handler404 = "config.views.page_not_found"
handler500 = "config.views.server_error"
