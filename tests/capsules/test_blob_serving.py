"""A blob by its name: what the disk is asked for it, and what becomes of one that goes meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.http import Http404
from django.test import RequestFactory

from capsules import storage, views

NAME = f"ee/{'e' * 64}.webp"


@pytest.fixture
def kept():
    path = Path(storage.blobs().path(NAME))
    storage.blobs().save(NAME, ContentFile(b"a picture"))
    yield path
    path.unlink(missing_ok=True)


def test_the_disk_is_asked_once_for_each_blob(kept, monkeypatch):
    looks, stat = [], os.stat

    def counted(path, *args, **kwargs):
        looks.extend([1] if str(path) == str(kept) else [])
        return stat(path, *args, **kwargs)

    monkeypatch.setattr(os, "stat", counted)
    answer = views.blob(RequestFactory().get("/media"), NAME)
    assert (b"".join(answer.streaming_content), len(looks)) == (b"a picture", 1)


def test_a_blob_that_goes_between_the_look_and_the_reading_is_not_found(kept, monkeypatch):
    found = views.blob_in(storage.blobs(), NAME, cached="no-store")
    kept.unlink()
    monkeypatch.setattr(views, "blob_in", lambda *args, **kwargs: found)
    monkeypatch.setattr(views, "may_see", lambda *args: True)
    with pytest.raises(Http404):
        views.blob(RequestFactory().get("/media"), NAME)
