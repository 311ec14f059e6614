from django.urls import path

from accounts.oauth import metadata, views
from accounts.oauth.registration import register

urlpatterns = [
    path("oauth/authorize", views.ConsentView.as_view(), name="oauth-authorize"),
    path("oauth/token", views.TokenView.as_view(), name="oauth-token"),
    path("oauth/revoke", views.RevokeView.as_view(), name="oauth-revoke"),
    path("oauth/register", register, name="oauth-register"),
    path(".well-known/oauth-authorization-server", metadata.authorization_server),
]
