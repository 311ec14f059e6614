from django.urls import path

from publishing import audience, oembed, pages, subscription_views, views

api = [
    path(
        "stories/<str:id>/publication",
        views.PublicationViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    )
]

urlpatterns = [
    path("oembed", oembed.oembed, name="oembed"),
    path("subscribe/<slug:name>", subscription_views.subscribe, name="subscribe"),
    path("confirm/<str:token>", subscription_views.confirm, name="confirm-subscription"),
    path("unsubscribe/<str:token>", subscription_views.unsubscribe, name="unsubscribe"),
    path("subscribers/<slug:name>", audience.overview, name="audience"),
    path("subscribers/<slug:name>/import", audience.import_csv, name="import-subscribers"),
    path("subscribers/<slug:name>/export.csv", audience.export_csv, name="export-subscribers"),
    path(
        "subscribers/<slug:name>/premieres/<int:premiere>/<str:mode>",
        audience.preview,
        name="preview-premiere",
    ),
    path("<slug:workspace>/<slug:slug>", pages.page, name="page"),
    path("<slug:workspace>/<slug:slug>/embed", pages.embed, name="embed"),
    path("<slug:workspace>/<slug:slug>/view", pages.view, name="view"),
]
