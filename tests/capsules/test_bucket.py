"""Files in a bucket (STORAGE_URL): the real service against an S3 server on this machine."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request

import pytest

from tests.support.bucket import bucket
from tests.support.running import service


def test_a_capsule_lives_in_a_bucket_from_its_encodes_to_its_clip(tmp_path):
    with (
        bucket(secret="secret/+") as (address, s3, storage),
        service(tmp_path, stories=1, STORAGE_URL=storage) as running,
    ):
        answer = running.publication("PUT", running.seeded["stories"][0])
        assert answer.status == 200, answer.body
        page = running.call("GET", answer.json()["url"])
        assert address in page.headers["content-security-policy"]
        for ending in ("jpeg", "avif", "mp4"):
            blob = re.search(rf'{address}/capsules/blobs/[^" ]+\.{ending}', page.body.decode())
            with urllib.request.urlopen(blob[0], timeout=60) as picture:
                assert picture.headers["Cache-Control"] == "public, max-age=31536000, immutable"
                assert len(picture.read()) > 100
        until_the_clip_is_there(running, answer.json()["url"])
        (original, *_) = s3.list_objects_v2(Bucket="capsules", Prefix="originals/")["Contents"]
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"{address}/capsules/{original['Key']}", timeout=60)
    assert not any((tmp_path / "media").iterdir())


def until_the_clip_is_there(running, page: str) -> None:
    deadline = time.monotonic() + 60
    while b"og:video" not in running.call("GET", page).body:
        assert time.monotonic() < deadline, "no social clip"
        time.sleep(0.5)
