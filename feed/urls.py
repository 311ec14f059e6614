from django.urls import path
from django.views.decorators.http import conditional_page

from feed import llms, pages, sitemap, views

api = [path("feed", conditional_page(views.FeedViewSet.as_view({"get": "retrieve"})))]

urlpatterns = [
    path("", pages.showcase, name="showcase"),
    path("feed.atom", pages.newest, {"form": "atom"}, name="showcase-atom"),
    path("feed.json", pages.newest, {"form": "json"}, name="showcase-json"),
    path("llms.txt", llms.llms),
    path("sitemap.xml", sitemap.index),
    path("sitemaps/<int:first>.xml", sitemap.section),
    path("<slug:workspace>/feed.atom", pages.newest, {"form": "atom"}, name="profile-atom"),
    path("<slug:workspace>/feed.json", pages.newest, {"form": "json"}, name="profile-json"),
    path("<slug:workspace>", pages.profile, name="profile"),  # any single segment that nothing above answers
]
