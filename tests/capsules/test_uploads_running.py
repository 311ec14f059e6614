"""Uploads to the real service by another's tus client while its processes are killed: on disk and in a bucket."""

from __future__ import annotations

import os
import struct
import time
from contextlib import ExitStack
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer
from tusclient.client import TusClient
from tusclient.exceptions import TusCommunicationError, TusUploadFailed

from tests.support import media_files
from tests.support.running import Service, free_port, service

SLICE = 8 * 2**20
SIZE = 30 * 10**6
PATIENCE = 90  # seconds: a killed server is back after about ten, and its lease lapses after fifteen
KEYS = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}


def large_film(folder: Path) -> bytes:
    """A short film that is large: players pass over a box that is free."""
    film = media_files.film(folder, size="64x64").read_bytes()
    filling = os.urandom(SIZE)
    return film + struct.pack(">I4s", len(filling) + 8, b"free") + filling


def call(running: Service, method: str, path: str, body: object = None) -> dict:
    answer = running.call(method, f"/api/v2{path}", body, Authorization=f"Bearer {running.seeded['token']}")
    assert answer.status < 300, answer.body
    return answer.json()


def until(found, what: str):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if result := found():
            return result
        time.sleep(0.2)
    raise AssertionError(f"{what}: not within {PATIENCE} s")


def web_memory(running: Service) -> int:
    """Bytes of the largest web process at its height."""
    peaks = [0]
    for pid, command in running.processes().items():
        if "web_server" in command:
            status = Path(f"/proc/{pid}/status").read_text()
            peaks.append(int(status.partition("VmHWM:")[2].split()[0]) * 1024)
    return max(peaks)


def send_while_web_is_killed(running: Service, address: str, source: Path, kills: list[int]) -> None:
    """Sends slice after slice with tuspy; kills the web server once each of these offsets is reached."""
    client = TusClient(address, headers={"Authorization": f"Bearer {running.seeded['token']}"})
    deadline = time.monotonic() + 2 * PATIENCE
    uploader = client.uploader(str(source), chunk_size=SLICE, url=address)
    while uploader.offset < source.stat().st_size:
        assert time.monotonic() < deadline, f"stuck at {uploader.offset}"
        if kills and uploader.offset >= kills[0]:
            kills.pop(0)
            until(lambda: running.kill("web_server"), "a web server to kill")
        try:
            uploader.upload_chunk()
        except (TusCommunicationError, TusUploadFailed, OSError):
            time.sleep(0.5)
            try:
                uploader.offset = uploader.get_offset()
            except (TusCommunicationError, OSError):
                continue


@pytest.mark.parametrize("where", ["disk", "bucket"])
def test_a_film_arrives_whole_however_often_its_receivers_are_killed(where, tmp_path):
    source = tmp_path / "ferry.mp4"
    source.write_bytes(large_film(tmp_path))
    with ExitStack() as stack:
        env, s3 = {}, None
        if where == "bucket":
            server = ThreadedMotoServer(ip_address="127.0.0.1", port=free_port(), verbose=False)
            server.start()
            stack.callback(server.stop)
            s3 = boto3.client("s3", endpoint_url="http://{}:{}".format(*server.get_host_and_port()), **KEYS)
            s3.create_bucket(Bucket="capsules")
            address = f"endpoint_url={s3.meta.endpoint_url}&region_name=us-east-1"
            env = {"STORAGE_URL": f"s3://key:secret@capsules?{address}"}
        data = tmp_path / "data"
        data.mkdir()
        running = stack.enter_context(service(data, stories=0, **env))
        before = web_memory(running)
        size = source.stat().st_size
        begun = call(running, "POST", "/uploads", {"kind": "film", "filename": "ferry.mp4", "size": size})
        send_while_web_is_killed(running, begun["uploadUrl"], source, kills=[SLICE, 3 * SLICE])
        running.kill("celery")
        until(lambda: running.call("GET", "/api/v2/health").status == 200, "the web server")
        told = until(
            lambda: (
                (state := call(running, "GET", f"/uploads/{begun['id']}"))["state"] != "checking" and state
            ),
            "the worker",
        )
        assert told["state"] == "ready", told
        assert web_memory(running) - before < 100 * 2**20
        if s3 is None:
            (original,) = (data / "media/originals").rglob("*.mp4")
            assert original.read_bytes() == source.read_bytes()
            assert not any(path.is_file() for path in (data / "media/parts").rglob("*"))
        else:
            found = s3.list_objects_v2(Bucket="capsules", Prefix="originals/")["Contents"]
            (key,) = (entry["Key"] for entry in found if entry["Key"].endswith(".mp4"))
            assert s3.get_object(Bucket="capsules", Key=key)["Body"].read() == source.read_bytes()
            assert s3.list_objects_v2(Bucket="capsules", Prefix="parts/")["KeyCount"] == 0
