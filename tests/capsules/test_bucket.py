"""Files in a bucket (STORAGE_URL): the real service against an S3 server on this machine."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request

import pytest
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError

from config import outage
from tests.support.bucket import bucket, silent
from tests.support.running import service
from tests.support.sending import call


def test_a_capsule_lives_in_a_bucket_from_its_encodes_to_its_clip(tmp_path):
    with (
        bucket(secret="secret/+") as (address, s3, storage, server),
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
        tell_of_a_bucket_away(running, address, server, tmp_path)
    assert not any((tmp_path / "media").iterdir())


def tell_of_a_bucket_away(running, address, server, folder) -> None:
    """First it refuses connections, then it takes them and says nothing."""
    film = folder / "ferry.mp4"
    film.write_bytes(b"a film")
    begun = call(running, "POST", "/uploads", {"kind": "film", "filename": "ferry.mp4", "size": 6})
    client = TusClient(begun["uploadUrl"], headers={"Authorization": f"Bearer {running.seeded['token']}"})
    server.stop()
    with pytest.raises(TusCommunicationError) as refused:
        client.uploader(str(film), url=begun["uploadUrl"], retries=0).upload_chunk()
    assert (refused.value.status_code, outage.AWAY in str(refused.value.response_content)) == (503, True)
    with silent(address):
        answer = running.call("GET", "/readyz", timeout=30)
    assert (answer.status, "storage" in answer.json()["reasons"]) == (503, True)


def until_the_clip_is_there(running, page: str) -> None:
    deadline = time.monotonic() + 60
    while b"og:video" not in running.call("GET", page).body:
        assert time.monotonic() < deadline, "no social clip"
        time.sleep(0.5)
