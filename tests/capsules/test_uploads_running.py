"""Uploads to the real service by another's tus client while its processes are killed: on disk and in a bucket."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.support.bucket import bucket
from tests.support.running import service
from tests.support.sending import SLICE, call, large_film, send, state_once_checked, until, web_memory

SIZE = {"disk": 30 * 10**6, "bucket": 12 * 10**6}
KILLS = {"disk": [SLICE, 3 * SLICE], "bucket": [SLICE]}  # once: a bucket in Python takes its time


@pytest.mark.parametrize("where", ["disk", "bucket"])
def test_a_film_arrives_whole_however_often_its_receivers_are_killed(where, tmp_path):
    source = large_film(tmp_path, SIZE[where])
    kills = [*KILLS[where]]
    with ExitStack() as stack:
        env, s3 = {"WEB_PROCESSES": "2", "UPLOAD_CHECK_LEASE": "12"}, None
        if where == "bucket":
            _, s3, env["STORAGE_URL"], _ = stack.enter_context(bucket())
        data = tmp_path / "data"
        data.mkdir()
        running = stack.enter_context(service(data, stories=0, **env))
        before = web_memory(running)

        def kill_at(offset: int) -> None:
            if kills and offset >= kills[0]:
                kills.pop(0)
                until(lambda: running.kill("web_server"), "a web server to kill")

        about = {"kind": "film", "filename": "ferry.mp4", "size": source.stat().st_size}
        begun = call(running, "POST", "/uploads", about)
        send(running, begun["uploadUrl"], source, kill_at)
        running.kill("celery")
        told = state_once_checked(running, begun["id"])
        assert told["state"] == "ready", told
        assert not kills and web_memory(running) - before < 100 * 2**20
        if s3 is None:
            (original,) = (data / "media/originals").rglob("*.mp4")
            assert original.read_bytes() == source.read_bytes()
            until(lambda: not any(path.is_file() for path in (data / "media/parts").rglob("*")), "no part")
        else:
            found = s3.list_objects_v2(Bucket="capsules", Prefix="originals/")["Contents"]
            (key,) = (entry["Key"] for entry in found if entry["Key"].endswith(".mp4"))
            assert s3.get_object(Bucket="capsules", Key=key)["Body"].read() == source.read_bytes()
            parts = {"Bucket": "capsules", "Prefix": "parts/"}
            until(lambda: s3.list_objects_v2(**parts)["KeyCount"] == 0, "no part")  # dropped after the answer
