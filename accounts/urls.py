from django.urls import include, path
from django.views.generic import RedirectView

import accounts.oauth.urls
import accounts.pages.urls
from accounts import views
from accounts.events.api import EventsViewSet
from accounts.resources import METADATA_PATHS
from accounts.webhooks.api import WebhookViewSet
from config.api import not_found

WEBHOOKS = "workspaces/<str:workspace>/webhooks"
WEBHOOK = f"{WEBHOOKS}/<str:webhook>"

api = [
    path("me", views.MeViewSet.as_view({"get": "retrieve"})),
    path("connected-apps", views.ConnectedAppViewSet.as_view({"get": "list"})),
    path("connected-apps/<str:id>", views.ConnectedAppViewSet.as_view({"delete": "destroy"})),
    path("workspaces/<str:workspace>/events", EventsViewSet.as_view({"get": "list"})),
    path(WEBHOOKS, WebhookViewSet.as_view({"get": "list", "post": "create"})),
    path(
        WEBHOOK,
        WebhookViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
    ),
    path(f"{WEBHOOK}/secret", WebhookViewSet.as_view({"post": "secret"})),
    path(f"{WEBHOOK}/test", WebhookViewSet.as_view({"post": "test"})),
    path(f"{WEBHOOK}/deliveries", WebhookViewSet.as_view({"get": "deliveries"})),
    path(f"{WEBHOOK}/replay", WebhookViewSet.as_view({"post": "replay"})),
]

urlpatterns = [
    path(".well-known/jwks.json", views.jwks),
    path(".well-known/change-password", RedirectView.as_view(pattern_name="account_change_password")),
    *(
        path(where.lstrip("/"), views.protected_resource, {"audience": audience})
        for audience, where in METADATA_PATHS.items()
    ),
    *accounts.oauth.urls.urlpatterns,
    path("account", RedirectView.as_view(pattern_name="account_home")),
    path("account/", include(accounts.pages.urls)),
    path("account/", include("allauth.urls")),
    path("account/api/app/v1/account/phone", not_found),  # allauth routes to it also where nobody has one
    path("account/api/", include("allauth.headless.urls")),
]
