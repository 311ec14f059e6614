"""Bad input and bad moments in authoring: a 4xx with a sentence each, and nothing left behind."""

from __future__ import annotations

import pytest
import tomli_w
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import IdempotentAnswer
from capsules.models import Encode, Story
from config.errors import Conflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def story(api):
    return api.call("POST", "/stories", {"title": "Small voyages", "scenes": [{"text": "one"}]}).json()


LIMITS = [
    ({"title": "a" * 81}, "At most 80 characters; this has 81."),
    ({"text": "a" * 2001}, "At most 2000 characters; this has 2001."),
    ({"alt": "a" * 501}, "At most 500 characters; this has 501."),
    (
        {"text": "a\u0000b"},
        "This text has a character that cannot be stored (NUL or half of a surrogate pair).",
    ),
    ({"text": "a\u0007b"}, "This text has a control character (U+0007). Please remove it."),
    ({"alt": "a\uffff"}, "This text has a control character (U+FFFF). Please remove it."),
    (
        {"title": "a\u202eb"},
        "This text has a mark of direction without its counterpart on the same line (U+202E). Please remove it.",
    ),
    ({"title": "a\nb"}, "This is one line: it cannot have line breaks."),
    ({"focus": [1.5, 0]}, "Must be two fractions from 0 to 1."),
]


@pytest.mark.both_databases
def test_characters_that_no_text_needs_are_refused_at_their_field(api, story):
    for hostile in ("\u001b[31m", "\u0085", "\ufdd0", "\U0010ffff", "\u202c", "\u2067x\u202c", "\ud800"):
        fields = dict.fromkeys(("title", "summary", "author"), f"a{hostile}b")
        answer = api.call("PATCH", f"/stories/{story['id']}", fields)
        assert answer.status_code == 400
        assert {fault["path"] for fault in answer.json()["details"]} == set(fields), hostile


@pytest.mark.both_databases
def test_what_languages_are_written_with_is_taken(api, story):
    for text in (
        "one\ttab",
        "two\nlines",
        "\u2067שלום\u2069 is peace",
        "\u202bשלום\u202c",
        "می\u200cخواهم",
        "👩\u200d🚀" + "🛶" * 1997,
    ):
        scene = api.call("POST", f"/stories/{story['id']}/scenes", {"text": text, "alt": text[:9]})
        assert (scene.status_code, scene.json()["text"]) == (201, text)


def test_lines_of_windows_and_of_forms_are_kept_as_lines(api, story):
    body = {"title": "x", "summary": "a\r\nb", "scenes": [{"text": "a\r\nb\rc"}]}
    made = api.call("POST", "/stories", body).json()
    path = f"/stories/{made['id']}/scenes"
    (scene,) = api.get(path).json()["items"]
    assert (made["summary"], scene["text"]) == ("a\nb", "a\nb\nc")
    changed = api.call("PATCH", f"{path}/{scene['id']}", {"text": "d\r\ne"})
    assert changed.json()["text"] == "d\ne"
    assert api.call("POST", path, {"text": "f\r\ng"}).json()["text"] == "f\ng"
    assert api.call("PATCH", f"/stories/{made['id']}", {"summary": "h\r\ni"}).json()["summary"] == "h\ni"


def test_a_folder_and_a_call_are_refused_by_the_same_rule_in_the_same_words(api, tmp_path):
    body = {"title": "x", "scenes": [scene for scene, _ in LIMITS]}
    told = [(f"scenes.{n}.{next(iter(scene))}", message) for n, (scene, message) in enumerate(LIMITS)]
    answer = api.call("POST", "/stories", body)
    assert [(each["path"], each["message"]) for each in answer.json()["details"]] == told
    (tmp_path / "capsule.toml").write_text(tomli_w.dumps(body))
    with pytest.raises(CommandError) as refused:
        call_command("import_capsule", str(tmp_path), "--workspace", "north-shore")
    assert [
        f"{path}: {message}" for path, message in told if f"{path}: {message}" not in str(refused.value)
    ] == []
    assert not Story.objects.exists() and not Encode.objects.exists()


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"scenes": {}}, "scenes", "Must be a list."),
        ({"scenes": None}, "scenes", "Must not be null."),
        ({"scenes": [{}, 5]}, "scenes.1", "Must be a JSON object."),
        ({"scenes": [{"focus": None}]}, "scenes.0.focus", "Must not be null."),
        ({"scenes": [{"colour": 1}]}, "scenes.0.colour", "There is no field of this name."),
        ({"look": None}, "look", "Must not be null."),
        ({"look": "ink"}, "look", "Must be a JSON object."),
    ],
)
def test_what_is_of_another_type_is_named_in_the_words_of_json(api, body, path, message):
    answer = api.call("POST", "/stories", {"title": "x", **body})
    assert (answer.status_code, answer.json()["details"]) == (400, [{"path": path, "message": message}])


def test_a_folder_and_a_call_make_the_same_draft(api, tmp_path, north_shore):
    words = {"title": "Small voyages", "author": "Ines Okafor", "language": "pt-BR"}
    scenes = [{"text": "one", "title": "First", "alt": "A jetty."}, {"text": "two", "finale": True}]
    (tmp_path / "capsule.toml").write_text(
        tomli_w.dumps({**words, "visibility": "private", "scenes": scenes})
    )
    call_command("import_capsule", str(tmp_path), "--workspace", "north-shore")
    imported = Story.objects.get()
    made = Story.objects.get(pk=api.call("POST", "/stories", {**words, "scenes": scenes}).json()["id"])
    columns = (
        "title",
        "text",
        "alt",
        "still",
        "focus_x",
        "focus_y",
        "animation",
        "film",
        "finale",
        "position",
    )
    assert list(imported.scenes.values(*columns)) == list(made.scenes.values(*columns))
    fields = ("title", "author_name", "language", "visibility", "summary", "version")
    assert [getattr(imported, f) for f in fields] == [getattr(made, f) for f in fields]


def test_a_story_of_more_than_512_kib_is_too_large(api):
    body = {"title": "x", "scenes": [{"text": "🛶" * 2000}] * 100}
    answer = api.call("POST", "/stories", body)
    assert (answer.status_code, answer.json()) == (413, {"error": "The request body is larger than 512 KiB."})
    assert not Story.objects.exists()


WRONG = (
    ("PATCH", "", {"title": None}, "title"),
    ("PATCH", "", {"title": 5}, "title"),
    ("PATCH", "", {"cover": "x"}, "cover"),
    ("PATCH", "", {"cover": "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"}, "cover"),
    ("PATCH", "", {"language": "portuguese!"}, "language"),
    ("PATCH", "", {"visibility": "public"}, "visibility"),
    ("POST", "/scenes", {"animation": "spin"}, "animation"),
    ("POST", "/scenes", {"focus": [True, 0]}, "focus"),
    ("POST", "/scenes", {"finale": "yes"}, "finale"),
    ("POST", "/editions", {"name": "No Spaces"}, "name"),
    ("POST", "/revisions", {"label": "\u200b"}, "label"),
    ("POST", "/revisions", {"label": "Before\r\nlunch"}, "label"),
    ("PUT", "/scene-order", {"scenes": ["x"]}, "scenes.0"),
    ("PUT", "/scene-order", {"scenes": {}}, "scenes"),
)


def test_what_does_not_fit_is_named_at_its_field(api, story):
    for method, path, body, field in WRONG:
        answer = api.call(method, f"/stories/{story['id']}{path}", body)
        assert answer.status_code == 400, answer.content
        assert field in {fault["path"] for fault in answer.json()["details"]}, body
    assert api.get(f"/stories/{story['id']}").json()["revision"] == 1


@pytest.mark.both_databases
def test_what_was_done_and_its_answer_are_kept_together_or_not_at_all(api, monkeypatch):
    """A process that dies after the action and before the answer is written has made nothing."""

    def dies(*args, **kwargs):
        raise Conflict("The process died here.")

    monkeypatch.setattr("accounts.idempotency.keep_answer", dies)
    headers = {"Idempotency-Key": "k"}
    assert api.call("POST", "/stories", {"title": "x"}, headers=headers).status_code == 409
    assert not Story.objects.exists() and not IdempotentAnswer.objects.exists()
    monkeypatch.undo()
    assert api.call("POST", "/stories", {"title": "x"}, headers=headers).status_code == 201


def test_a_malformed_idempotency_key_is_refused(api, north_shore):
    for key in ("", "a" * 256, "with space", "ü"):
        answer = api.call("POST", "/stories", {"title": "x"}, headers={"Idempotency-Key": key})
        assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "Idempotency-Key"), key
