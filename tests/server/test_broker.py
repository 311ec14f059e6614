"""The embedded broker: a message is there as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from kombu import Connection

from config import stopping
from config.celery import app


@pytest.fixture
def queue(tmp_path):
    folder = str(tmp_path)
    options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": f"{folder}/control"}
    with Connection(
        "filesystem://localhost", transport="config.broker:Transport", transport_options=options
    ) as connection:
        connection.transport.state.clear()  # which kombu keeps for all connections of a process, whatever their folder
        yield connection.SimpleQueue("celery")


def test_a_message_arrives_once_and_in_order(queue):
    for number in range(3):
        queue.put({"number": number})
    assert queue.qsize() == 3
    assert [queue.get(timeout=10).payload["number"] for _ in range(3)] == [0, 1, 2]
    with pytest.raises(queue.Empty):
        queue.get(block=False)


def test_a_message_whose_writer_was_killed_is_no_message(queue, monkeypatch):
    def killed(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "replace", killed)
        queue.put({"number": 0})
    queue.put({"number": 1})
    assert queue.get(timeout=10).payload == {"number": 1}


def test_what_asks_whether_a_worker_stops_is_told_also_where_an_error_ends_it(monkeypatch):
    monkeypatch.setattr(stopping, "_ends_at", None)
    worker = app.WorkController(app=app, pool="solo")

    def broken(consumer):
        raise OSError("the folder of the broker is gone")

    monkeypatch.setattr(type(worker.consumer), "start", broken)
    worker.start()
    assert worker.exitcode == 1
    assert stopping.has_begun()
    stopping._told.clear()


@pytest.mark.parametrize("call", settings.CELERY_BEAT_SCHEDULE.values(), ids=lambda call: call["task"])
def test_what_the_timer_asked_for_while_no_worker_was_there_is_not_done_over_and_over(call):
    """Not sooner than ten minutes: the clocks of two machines may differ, and the next call has to be there."""
    assert 600 <= call["options"]["expires"] == max(600, call["schedule"])
