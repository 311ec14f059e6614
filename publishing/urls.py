from django.urls import include, path

from publishing import privacy
from publishing.api import extras
from publishing.api.extras import PublicationExtrasViewSet
from publishing.api.publication import PublicationViewSet
from publishing.moderation import pages as moderation_pages
from publishing.pages import oembed
from publishing.pages import views as pages
from publishing.statistics import beacon
from publishing.statistics import pages as numbers
from publishing.statistics.api import StatisticsViewSet
from publishing.studio import capsules
from publishing.subscribers import owner_pages as audience
from publishing.subscribers import pages as subscription_views

STORY = "stories/<str:id>"
PUBLICATION = f"{STORY}/publication"
WORKSPACE = "workspaces/<str:workspace>"

api = [
    path(PUBLICATION, PublicationViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"})),
    path(f"{STORY}/visibility", extras.VisibilityViewSet.as_view({"put": "update"})),
    path(f"{PUBLICATION}/options", PublicationExtrasViewSet.as_view({"get": "options_"})),
    path(f"{PUBLICATION}/history", PublicationExtrasViewSet.as_view({"get": "history"})),
    path(f"{PUBLICATION}/versions", PublicationExtrasViewSet.as_view({"get": "versions"})),
    path(
        f"{PUBLICATION}/versions/<str:number>/restore", PublicationExtrasViewSet.as_view({"post": "restore"})
    ),
    path(f"{STORY}/premiere", extras.PremiereViewSet.as_view({"get": "retrieve", "delete": "destroy"})),
    path(f"{STORY}/premiere/letter", extras.PremiereViewSet.as_view({"get": "letter"})),
    path(f"{STORY}/statistics", StatisticsViewSet.as_view({"get": "story_numbers"})),
    path(f"{WORKSPACE}/statistics", StatisticsViewSet.as_view({"get": "workspace_numbers"})),
    path(f"{WORKSPACE}/audience", extras.AudienceViewSet.as_view({"get": "retrieve"})),
]

urlpatterns = [
    path("studio", capsules.home, name="studio"),
    path("studio/", capsules.home),  # on in one step, for each reads the session
    path("studio/<uuid:workspace>/statistics", numbers.workspace, name="studio_numbers"),
    path("studio/<uuid:workspace>/statistics.csv", numbers.workspace_csv, name="studio_numbers_csv"),
    path("studio/stories/<uuid:story>/statistics", numbers.story, name="studio_story_numbers"),
    path("studio/stories/<uuid:story>/statistics.csv", numbers.story_csv, name="studio_story_numbers_csv"),
    path("studio/", include("publishing.studio.urls")),
    path("oembed", oembed.oembed, name="oembed"),
    path("report", moderation_pages.report, name="report"),
    path("privacy", privacy.privacy, name="privacy"),
    path("subscribe/<slug:name>", subscription_views.subscribe, name="subscribe"),
    path("confirm/<str:token>", subscription_views.confirm, name="confirm-subscription"),
    path("unsubscribe/<str:token>", subscription_views.unsubscribe, name="unsubscribe"),
    path("unsubscribe/<str:token>/delete", subscription_views.erase, name="erase-subscription"),
    path("subscribers/<uuid:workspace>/delete", audience.erase, name="erase-subscriber"),
    path("subscribers/<uuid:workspace>", audience.overview, name="audience"),
    path("subscribers/<uuid:workspace>/import", audience.import_csv, name="import-subscribers"),
    path("subscribers/<uuid:workspace>/export.csv", audience.export_csv, name="export-subscribers"),
    path(
        "subscribers/<uuid:workspace>/premieres/<int:premiere>/<str:mode>",
        audience.preview,
        name="preview-premiere",
    ),
    path("<slug:workspace>/<slug:slug>.md", pages.markdown, name="markdown"),
    path("r/<int:publication>", beacon.told, name="told"),
    path("<slug:workspace>/<slug:slug>", pages.page, name="page"),
    path("<slug:workspace>/<slug:slug>/embed", pages.embed, name="embed"),
]
