from django.urls import path

from accounts import views
from accounts.authentication import RESOURCE_METADATA_PATH

api = [path("me", views.MeViewSet.as_view({"get": "retrieve"}))]

urlpatterns = [
    path(".well-known/jwks.json", views.jwks),
    path(RESOURCE_METADATA_PATH.lstrip("/"), views.protected_resource),
]
