from django.urls import path

from capsules import views

urlpatterns = [path("media/<path:name>", views.blob, name="blob")]
