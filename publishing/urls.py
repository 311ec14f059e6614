from django.urls import path

from publishing import pages, views

api = [
    path(
        "stories/<str:id>/publication",
        views.PublicationViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    )
]

urlpatterns = [path("<slug:workspace>/<slug:slug>", pages.page, name="page")]
