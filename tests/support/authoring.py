"""Drafts over HTTP, as short calls."""

from __future__ import annotations


def made(api, **body):
    answer = api.call("POST", "/stories", {"title": "Small voyages", **body})
    assert answer.status_code == 201, answer.content
    return answer.json()


def scenes_of(api, story) -> list[dict]:
    return api.get(f"/stories/{story['id']}/scenes").json()["items"]


def texts(api, story) -> list[str]:
    return [scene["text"] for scene in scenes_of(api, story)]


def url(story, scene=None, more="") -> str:
    return f"/stories/{story['id']}" + (f"/scenes/{scene['id']}" if scene else "") + more
