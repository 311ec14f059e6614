"""Requests that get a thread of the web server when few are left."""

from __future__ import annotations

from config.listening import Listening


def group(threads: int, for_one_address: int) -> Listening:
    made = Listening(threads, for_one_address)
    made.join()
    return made


def test_one_address_gets_no_more_threads_than_its_share_until_one_comes_back():
    threads = group(threads=10, for_one_address=2)
    assert [threads.begin_work("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert threads.begin_work("192.0.2.2")
    threads.end_work("192.0.2.1")
    assert threads.begin_work("192.0.2.1")


def test_the_last_free_thread_only_answers_from_memory():
    threads = group(threads=3, for_one_address=9)
    assert [threads.begin_work(f"192.0.2.{number}") for number in range(3)] == [True, True, False]


def test_addresses_that_left_are_forgotten():
    threads = group(threads=10, for_one_address=2)
    for number in range(100):
        assert threads.begin_work(f"192.0.2.{number}")
        threads.end_work(f"192.0.2.{number}")
    assert not threads.by_address
