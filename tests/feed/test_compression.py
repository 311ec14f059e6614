"""The lists are sent packed to readers who can unpack them."""

from __future__ import annotations

import gzip

import pytest


@pytest.mark.django_db
def test_lists_are_sent_packed(client, live_story):
    path = "/north-shore"
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = client.get(path)
    assert packed.status_code == plain.status_code == 200
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2
    assert "Accept-Encoding" in packed.headers["Vary"]
    kept = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
    assert client.get(path, headers=kept).status_code == 304
