"""One route at a time may be asked for by as many as like: the others, and their threads, stay free."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import resolve

from config import lanes
from config.lanes import Lanes


@pytest.fixture(autouse=True)
def narrow(settings, monkeypatch):
    settings.ROUTE_REQUESTS, settings.ROUTE_PATIENCE, settings.WEB_THREADS = 2, 5.0, 3
    monkeypatch.setattr(lanes, "release_connection", lambda: None)


class House:
    """Views that go on for as long as `open` is not set."""

    def __init__(self, when_in: Callable[[], None] = lambda: None) -> None:
        self.open = threading.Event()
        self.when_in = when_in
        self.running: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.lanes = Lanes(self.answer)

    def answer(self, request: HttpRequest) -> HttpResponse:
        view = request.resolver_match.func  # type: ignore[union-attr]
        refused = self.lanes.process_view(request, view, (), {})
        if refused is not None:
            return refused
        with self.lock:
            self.running[request.path] += 1
            self.most[request.path] = max(self.most[request.path], self.running[request.path])
        self.when_in()
        assert self.open.wait(20)
        with self.lock:
            self.running[request.path] -= 1
        return HttpResponse("done")

    def ask(self, path: str, method: str = "GET") -> HttpResponse:
        request = RequestFactory().generic(method, path)
        request.resolver_match = resolve(path)
        return self.lanes(request)


@pytest.fixture
def asked():
    """Asks in a thread of its own; what it gives back waits for the answer."""
    with ThreadPoolExecutor(20) as pool:
        yield pool.submit


def until(holds: Any) -> None:
    for _ in range(500):
        if holds():
            return
        threading.Event().wait(0.01)
    raise AssertionError("It did not come to this.")


def test_a_full_route_has_others_wait_and_refuses_those_beyond(asked):
    house = House()
    running = [asked(house.ask, "/api/v2/feed") for _ in range(2)]
    until(lambda: house.running["/api/v2/feed"] == 2)
    waiting = [asked(house.ask, "/api/v2/feed") for _ in range(3)]
    until(lambda: house.lanes.waiting._value == 0)
    refused = house.ask("/api/v2/feed")
    assert (refused.status_code, refused["Retry-After"]) == (503, "2")
    assert b"Please try again" in refused.content
    house.open.set()
    assert {answer.result().status_code for answer in [*running, *waiting]} == {200}
    assert house.most["/api/v2/feed"] == 2
    assert house.ask("/api/v2/feed").status_code == 200, "every place is given back"


def test_other_routes_and_the_writes_of_the_same_one_go_on(asked):
    house = House()
    full = [asked(house.ask, "/account/login/", "POST") for _ in range(5)]
    until(lambda: house.lanes.waiting._value == 0)
    others = [asked(house.ask, "/account/login/"), asked(house.ask, "/"), asked(house.ask, "/api/v2/me")]
    until(lambda: sum(house.running.values()) == 5)
    house.open.set()
    assert {answer.result().status_code for answer in [*full, *others]} == {200}


def test_a_place_that_does_not_come_free_in_time_is_refused(asked, settings):
    settings.ROUTE_PATIENCE = 0.05
    house = House()
    full = [asked(house.ask, "/") for _ in range(2)]
    until(lambda: house.running["/"] == 2)
    assert house.ask("/").status_code == 503
    house.open.set()
    assert {answer.result().status_code for answer in full} == {200}


def test_who_waits_for_a_place_holds_no_connection(asked, monkeypatch):
    released = threading.Event()
    monkeypatch.setattr(lanes, "release_connection", released.set)
    house = House()
    full = [asked(house.ask, "/") for _ in range(3)]
    assert released.wait(30)
    house.open.set()
    assert {answer.result().status_code for answer in full} == {200}


def test_each_method_that_writes_has_a_lane_of_its_own(asked):
    house, path = House(), "/api/v2/stories/4f1c/publication"
    full = [asked(house.ask, path, "PUT") for _ in range(2)]
    until(lambda: house.running[path] == 2)
    others = [asked(house.ask, path, method) for method in ("GET", "HEAD", "DELETE")]
    until(lambda: house.running[path] == 5)
    house.open.set()
    assert {answer.result().status_code for answer in [*full, *others]} == {200}


def test_who_leaves_a_lane_lets_the_next_one_in_and_does_so_once(asked, settings):
    settings.ROUTE_REQUESTS, settings.ROUTE_PATIENCE = 1, 0.01
    house = House(when_in=lanes.leave)
    left = [asked(house.ask, "/") for _ in range(3)]
    until(lambda: house.running["/"] == 3)
    house.open.set()
    assert {answer.result().status_code for answer in left} == {200}
    house.when_in = house.open.clear
    full = asked(house.ask, "/")
    until(lambda: house.running["/"] == 1 and not house.open.is_set())
    assert house.ask("/").status_code == 503, "none of them gave its place back twice"
    house.open.set()
    assert full.result().status_code == 200


def test_a_view_that_breaks_gives_its_place_back():
    def breaks(request: HttpRequest) -> HttpResponse:
        middleware.process_view(request, request.resolver_match.func, (), {})  # type: ignore[union-attr]
        raise ValueError

    middleware = Lanes(breaks)
    for _ in range(5):
        request = RequestFactory().get("/")
        request.resolver_match = resolve("/")
        with pytest.raises(ValueError):
            middleware(request)
