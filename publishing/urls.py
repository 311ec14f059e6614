from django.urls import path

from publishing import oembed, pages, views

api = [
    path(
        "stories/<str:id>/publication",
        views.PublicationViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    )
]

urlpatterns = [
    path("oembed", oembed.oembed, name="oembed"),
    path("<slug:workspace>/<slug:slug>", pages.page, name="page"),
    path("<slug:workspace>/<slug:slug>/embed", pages.embed, name="embed"),
]
