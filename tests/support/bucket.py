"""A bucket as README asks for one, on an S3 server in this process."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from tests.support.ports import free_port

if TYPE_CHECKING:
    from moto.server import ThreadedMotoServer

REGION = "us-east-1"
#: Readers may open what is public, and nothing else.
READERS_MAY = {
    "Effect": "Allow",
    "Principal": "*",
    "Action": "s3:GetObject",
    "Resource": "arn:aws:s3:::capsules/blobs/*",
}


class Bucket(NamedTuple):
    """The bucket `capsules`: the address of its server, a client of it, its STORAGE_URL, and its server."""

    address: str
    s3: Any
    url: str
    server: ThreadedMotoServer


@contextmanager
def silent(address: str) -> Iterator[None]:
    """A server that takes connections and never answers, in the place of one that was stopped."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_server((host, int(port))):
        yield


@contextmanager
def bucket(secret: str = "secret") -> Iterator[Bucket]:
    import boto3  # late: each process of the tests reads this file, and one has a bucket
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=free_port(), verbose=False)
    server.start()
    try:
        address = "http://{}:{}".format(*server.get_host_and_port())
        # What other tests of this process left: all such servers share one memory.
        urllib.request.urlopen(urllib.request.Request(f"{address}/moto-api/reset", method="POST"))
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": secret, "region_name": REGION}
        s3 = boto3.client("s3", endpoint_url=address, **keys)
        s3.create_bucket(Bucket="capsules")
        policy = {"Version": "2012-10-17", "Statement": [READERS_MAY]}
        s3.put_bucket_policy(Bucket="capsules", Policy=json.dumps(policy))
        place = f"capsules?endpoint_url={address}&region_name={REGION}"
        yield Bucket(address, s3, f"s3://key:{quote(secret, safe='')}@{place}", server)
    finally:
        server.stop()
