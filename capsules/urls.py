from django.urls import path

from capsules import views
from capsules.api.contents import ContentViewSet
from capsules.api.media import MediaViewSet
from capsules.api.previews import PreviewsViewSet
from capsules.api.revisions import EditionsViewSet, RevisionsViewSet
from capsules.api.scenes import ScenesViewSet
from capsules.api.stories import StoriesViewSet, WorkspacesViewSet
from capsules.api.upload_links import LinkedFileViewSet, UploadLinkViewSet
from capsules.api.uploads import UploadViewSet

STORY = "stories/<str:id>"
SCENE = f"{STORY}/scenes/<str:scene>"
PREVIEW = f"{STORY}/previews/<str:number>"
REVISION = f"{STORY}/revisions/<str:number>"

api = [
    path("workspaces", WorkspacesViewSet.as_view({"get": "list"})),
    path("stories", StoriesViewSet.as_view({"get": "list", "post": "create"})),
    path(
        STORY,
        StoriesViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
    ),
    path(f"{STORY}/draft", StoriesViewSet.as_view({"get": "draft"})),
    path(f"{STORY}/restore", StoriesViewSet.as_view({"post": "restore"})),
    path(f"{STORY}/duplicate", StoriesViewSet.as_view({"post": "duplicate"})),
    path(f"{STORY}/scenes", ScenesViewSet.as_view({"get": "list", "post": "create"})),
    path(f"{STORY}/scene-order", ScenesViewSet.as_view({"put": "order"})),
    path(SCENE, ScenesViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"})),
    path(f"{SCENE}/move", ScenesViewSet.as_view({"post": "move"})),
    path(f"{SCENE}/duplicate", ScenesViewSet.as_view({"post": "duplicate"})),
    path(f"{SCENE}/restore", ScenesViewSet.as_view({"post": "restore"})),
    path(f"{STORY}/previews", PreviewsViewSet.as_view({"get": "list", "post": "create"})),
    path(PREVIEW, PreviewsViewSet.as_view({"get": "retrieve"})),
    path(f"{PREVIEW}/retry", PreviewsViewSet.as_view({"post": "retry"})),
    path(f"{STORY}/readiness", PreviewsViewSet.as_view({"get": "readiness"})),
    path(f"{STORY}/revisions", RevisionsViewSet.as_view({"get": "list", "post": "create"})),
    path(REVISION, RevisionsViewSet.as_view({"get": "retrieve"})),
    path(f"{REVISION}/restore", RevisionsViewSet.as_view({"post": "restore"})),
    path(f"{STORY}/editions", EditionsViewSet.as_view({"get": "list", "post": "create"})),
    path("media", MediaViewSet.as_view({"get": "list"})),
    path("media/<str:id>", MediaViewSet.as_view({"get": "retrieve", "delete": "destroy"})),
    path("media/<str:id>/still", MediaViewSet.as_view({"post": "still"})),
    path("uploads", UploadViewSet.as_view({"post": "create", "options": "capabilities"})),
    path("uploads/links", UploadLinkViewSet.as_view({"post": "create"})),
    path("uploads/<str:id>", UploadViewSet.as_view({"get": "retrieve"})),
    path(
        "uploads/<str:id>/content",
        ContentViewSet.as_view(
            {"head": "head", "patch": "partial_update", "delete": "destroy", "options": "capabilities"}
        ),
    ),
]

urlpatterns = [
    path("media/<path:name>", views.blob, name="blob"),
    path(
        "studio/up/<str:secret>/<path:filename>",
        LinkedFileViewSet.as_view({"put": "update", "post": "create", "options": "capabilities"}),
    ),
]
