"""What models read of the arguments and answers of tools: few words, and nothing that is not so."""

from __future__ import annotations

from accounts.mcp.tools import inlined, slim
from capsules.mcp.scenes import add_scenes, update_scene
from capsules.mcp.stories import add_edition, create_story
from publishing.mcp.reading import get_story

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
PART = {
    "type": "object",
    "description": "Of a film, in seconds: at most 12",
    "properties": {"start": NUMBER, "length": NUMBER},
    "required": ["start", "length"],
    "additionalProperties": False,
}
#: The fields of a scene without their hints.
FIELDS = {
    "title": TEXT,
    "text": TEXT,
    "alt": TEXT,
    "focus": {"type": "array", "items": NUMBER, "description": "[x, y] from 0 to 1 that crops keep"},
    "animation": {"type": "string", "enum": ["none", "auto", "film"]},
    "trim": {"anyOf": [PART, {"type": "null"}]},
    "fit": {"type": "string", "enum": ["auto", "cover", "contain"]},
    "place": {"type": "string", "enum": ["auto", "top", "middle", "bottom"]},
    "size": {"type": "string", "enum": ["auto", "large", "small"]},
    "finale": {"type": "boolean"},
}
FILES = {
    "media_id": {**TEXT, "description": "A picture or film of the workspace"},
    "media_url": {**TEXT, "description": "Public address of a picture or film, instead of media_id"},
}
HINTS = {
    "text": "20 to 280 characters read best",
    "alt": "What the picture shows, for people who cannot see it",
    "animation": "auto: slow camera move, the default of a picture; film: the default of a film",
    "finale": "Only the last scene: a still",
}


def test_a_change_of_a_scene_takes_its_fields_and_says_each_once():
    version = {"type": "integer", "description": "The scene's version that you read"}
    assert update_scene.parameters == {
        "type": "object",
        "properties": {
            "story": {**TEXT, "description": "Id of the capsule"},
            "scene": {**TEXT, "description": "Id of the scene"},
            **FIELDS,
            **FILES,
            "position": {"type": "integer", "minimum": 1, "description": "Its new number, from 1"},
            "expected_version": version,
        },
        "required": ["story", "scene"],
        "additionalProperties": False,
    }


def test_a_new_scene_takes_the_same_with_hints_and_needs_a_text():
    scene = {
        "type": "object",
        "properties": {
            **{name: {**FIELDS[name], **hinted(name)} for name in FIELDS},
            **FILES,
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    made, added = create_story.parameters, add_scenes.parameters
    assert made["properties"]["scenes"] == {"type": "array", "items": scene}
    assert added["properties"]["scenes"] == {"type": "array", "items": scene, "minItems": 1}
    assert made["required"] == ["title", "language"] and added["required"] == ["story", "scenes"]
    assert made["properties"]["title"] == {**TEXT, "description": "At most 70 characters read best"}


def hinted(name: str) -> dict[str, str]:
    return {"description": HINTS[name]} if name in HINTS else {}


def test_the_words_of_an_edition_are_those_of_a_scene_of_the_original():
    words = {"title": TEXT, "text": TEXT, "alt": TEXT}
    assert add_edition.parameters["properties"]["texts"]["items"] == {
        "type": "object",
        "properties": {**words, "scene": {**TEXT, "description": "Id of the original's scene"}},
        "required": ["text", "scene"],
        "additionalProperties": False,
    }


def test_the_answer_about_a_capsule_says_what_each_field_is():
    told = get_story.output_schema["properties"]
    fields = told["scenes"]["items"]["properties"]
    texts = ("title", "text", "alt", "animation", "fit", "place", "size", "id", "rendering")
    count = {"type": "integer"}
    assert fields == {
        **dict.fromkeys(texts, TEXT),
        "focus": {"type": "array", "items": NUMBER},
        "trim": {"type": ["object", "null"], "additionalProperties": NUMBER},
        "finale": {"type": "boolean"},
        "media_id": {"type": ["string", "null"]},
        "number": count,
        "version": count,
    }
    assert (told["look"], told["title"]) == ({"type": "object"}, TEXT)


def test_the_schema_of_arguments_is_without_what_is_clear_anyway():
    told = {
        "title": "Arguments",
        "type": "object",
        "additionalProperties": True,
        "properties": {
            "title": {"title": "Title", "type": "string", "description": "Its name."},
            "label": {"title": "Label", "type": "string", "default": ""},
            "count": {"type": "integer", "default": 0},
            "other": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": None,
                "description": "Or not.",
            },
            "back": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "nullable": True},
            "part": {"anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}], "nullable": True},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "three": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        },
        "required": ["title"],
        "$defs": {"Part": {"type": "object", "additionalProperties": False}},
    }
    assert slim(told, optional=True)["properties"] == {
        "title": {"type": "string", "description": "Its name."},
        "label": {"type": "string"},
        "count": {"type": "integer", "default": 0},
        "other": {"type": "string", "description": "Or not."},
        "back": {"type": ["string", "null"]},
        "part": {"anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}]},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "three": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
    }
    assert {key: value for key, value in slim(told, optional=True).items() if key != "properties"} == {
        "type": "object",
        "required": ["title"],
        "$defs": {"Part": {"type": "object", "additionalProperties": False}},
    }


def test_the_schema_of_an_answer_says_neither_what_is_always_there_nor_what_it_means():
    told = {
        "properties": {
            "url": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "description": "Where.",
                "default": None,
            },
            "description": {"type": "string"},
        },
        "required": ["url"],
        "description": "An answer.",
    }
    assert slim(told) == {
        "properties": {
            "url": {"type": ["string", "null"], "default": None},
            "description": {"type": "string"},
        }
    }


def test_a_definition_stands_where_it_is_used():
    definitions = {"Part": {"items": [{"$ref": "#/$defs/Start"}]}, "Start": {"type": "number"}}
    told = {"properties": {"trim": {"$ref": "#/$defs/Part"}, "n": {"default": 1}}, "$defs": definitions}
    assert inlined(told) == {
        "properties": {"trim": {"items": [{"type": "number"}]}, "n": {"default": 1}},
    }
