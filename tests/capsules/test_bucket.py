"""Files in a bucket (STORAGE_URL): the real service against an S3 server on this machine."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tests.support.ports import free_port
from tests.support.running import service

KEYS = {"aws_access_key_id": "key", "aws_secret_access_key": "secret/+", "region_name": "us-east-1"}
#: What README asks of a bucket.
READERS_MAY = {
    "Effect": "Allow",
    "Principal": "*",
    "Action": "s3:GetObject",
    "Resource": "arn:aws:s3:::capsules/blobs/*",
}
POLICY = {"Version": "2012-10-17", "Statement": [READERS_MAY]}


@pytest.fixture
def bucket():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=free_port(), verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    # What other tests of this process left: all such servers share one memory.
    urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/moto-api/reset", method="POST"))
    s3 = boto3.client("s3", endpoint_url=f"http://{host}:{port}", **KEYS)
    s3.create_bucket(Bucket="capsules")
    s3.put_bucket_policy(Bucket="capsules", Policy=json.dumps(POLICY))
    yield s3
    server.stop()


def test_a_capsule_lives_in_a_bucket_from_its_encodes_to_its_clip(bucket, tmp_path):
    address = bucket.meta.endpoint_url
    storage = f"s3://key:secret%2F%2B@capsules?endpoint_url={address}&region_name=us-east-1"
    with service(tmp_path, stories=1, STORAGE_URL=storage) as running:
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
    (original, *_) = bucket.list_objects_v2(Bucket="capsules", Prefix="originals/")["Contents"]
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"{address}/capsules/{original['Key']}", timeout=60)
    assert not any((tmp_path / "media").iterdir())


def until_the_clip_is_there(running, page: str) -> None:
    deadline = time.monotonic() + 60
    while b"og:video" not in running.call("GET", page).body:
        assert time.monotonic() < deadline, "no social clip"
        time.sleep(0.5)
