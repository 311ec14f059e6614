"""A language is complete or not offered: catalogues say what code and templates say, and nothing else."""

from __future__ import annotations

import gettext
import re
from functools import cache

import polib
import pytest
from django.conf import settings
from django.template.loader import render_to_string

from config.words import languages
from config.words.compiling import PUBLIC, ROOT, STUDIO, compile_one, outdated
from config.words.gathering import studio_catalogues, template, update
from config.words.tags import day, number

HOLES = re.compile(r"%\(\w+\)s|\{\w+\}|</?\w+")  # placeholders and markup


def faults(catalogue: polib.POFile, said: set[tuple[str, str]], language: str) -> list[str]:
    """What is wrong with a catalogue; `said`: context and words of everything that code and templates say."""
    forms = int(re.search(r"nplurals=(\d)", catalogue.metadata["Plural-Forms"])[1])
    there = {(entry.msgctxt or "", entry.msgid) for entry in catalogue if not entry.obsolete}
    found = [f"not said: {words}" for _, words in there - said]
    found += [f"missing: {words}" for _, words in said - there]
    found += [f"obsolete: {entry.msgid}" for entry in catalogue.obsolete_entries()]
    for entry in catalogue:
        translated = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
        if entry.fuzzy or not all(translated) or (entry.msgid_plural and len(translated) != forms):
            found.append(f"untranslated: {entry.msgid}")
        wanted = set(HOLES.findall(entry.msgid + entry.msgid_plural))
        for words in translated:
            held = set(HOLES.findall(words))
            if held - wanted or (not entry.msgid_plural and held != wanted):
                found.append(f"other placeholders or markup: {words}")
        if (
            language != "en"
            and not entry.msgid_plural
            and len(entry.msgid) > 40
            and entry.msgstr == entry.msgid
        ):
            found.append(f"still English: {entry.msgid}")
    return found


def test_every_catalogue_is_complete_and_holds_nothing_else():
    said = words_of(PUBLIC)
    assert len(said) > 150
    found = {}
    for code, _ in settings.LANGUAGES:
        catalogue = polib.pofile(
            str(ROOT / "locale" / code / "LC_MESSAGES" / "django.po"), check_for_duplicates=True
        )
        found[code] = faults(catalogue, said, code)
    assert found == {code: [] for code, _ in settings.LANGUAGES}
    assert outdated() == []


def test_the_words_of_account_and_studio_are_in_catalogues_of_their_own(tmp_path):
    said = words_of(STUDIO)
    assert not said & words_of(PUBLIC)
    for path in studio_catalogues():
        language = path.parent.parent.name
        catalogue = polib.pofile(str(path), check_for_duplicates=True)
        if language == "en":  # the one without translations, with which translators begin
            for entry in catalogue:
                entry.msgstr, entry.msgstr_plural = entry.msgid, dict.fromkeys((0, 1), entry.msgid_plural)
        assert faults(catalogue, said, language) == [], f"{path}: run `make words`"
    assert ROOT / "locale/en/LC_MESSAGES/studio.po" in studio_catalogues()


def test_a_translation_of_the_studio_begins_empty_and_is_compiled_with_the_public_words(tmp_path):
    folder = tmp_path / "pl" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    public, studio = folder / "django.po", folder / "studio.po"
    for path in (public, studio):
        update(path)
    catalogue = polib.pofile(str(studio))
    assert {(entry.msgctxt or "", entry.msgid) for entry in catalogue} == words_of(STUDIO)
    assert not any(entry.translated() for entry in catalogue)
    catalogue[0].msgstr = "po polsku"
    catalogue.save()
    compile_one(public)
    assert gettext.translation("django", tmp_path, ["pl"]).gettext(catalogue[0].msgid) == "po polsku"


@cache
def words_of(kind: str) -> set[tuple[str, str]]:
    """Context and words."""
    return {(message.context or "", message_id(message)) for message in template(kind) if message.id}


def message_id(message) -> str:
    return message.id[0] if isinstance(message.id, tuple) else message.id


@pytest.mark.parametrize(
    "spoil, fault",
    [
        (lambda entry: setattr(entry, "msgstr", ""), "untranslated"),
        (lambda entry: entry.flags.append("fuzzy"), "untranslated"),
        (lambda entry: setattr(entry, "obsolete", True), "missing"),
        (lambda entry: setattr(entry, "msgid", "Nobody says this %(number)s"), "not said"),
        (lambda entry: setattr(entry, "msgstr", "Ihre Meldung %(nummer)s"), "other placeholders"),
    ],
)
def test_the_first_fault_of_a_catalogue_is_found(spoil, fault):
    catalogue = polib.pofile(str(ROOT / "locale" / "de" / "LC_MESSAGES" / "django.po"))
    said = {(entry.msgctxt or "", entry.msgid) for entry in catalogue}
    assert faults(catalogue, said, "de") == []
    spoil(catalogue.find("Your report %(number)s"))
    assert any(each.startswith(fault) for each in faults(catalogue, said, "de"))


@pytest.mark.parametrize(
    "tag, spoken, direction",
    [
        ("pt-BR", "pt", "ltr"), ("en-GB", "en", "ltr"), ("AR-eg", "ar", "rtl"), ("fa", "en", "rtl"),
        ("az-Arab", "en", "rtl"), ("ur-Latn", "en", "ltr"), ("", "en", "ltr"), ('x"><b>', "en", "ltr"),
    ],
)  # fmt: skip
def test_words_follow_the_first_part_of_a_tag_and_its_direction(tag, spoken, direction):
    with languages.page_in(tag):
        assert languages.spoken() == spoken
        assert languages.direction(languages.page_language()) == direction
        assert languages.is_foreign() == (spoken == "en" and tag in ("fa", "az-Arab", "ur-Latn"))


#: The forms of "3 scenes" for 1, 2, 5, 22 and 101.
SCENES = {
    "ar": ["مشهد واحد", "مشهدان", "5 مشاهد", "22 مشهدًا", "101 مشهد"],
    "pl": ["1 scena", "2 sceny", "5 scen", "22 sceny", "101 scen"],
    "uk": ["1 сцена", "2 сцени", "5 сцен", "22 сцени", "101 сцена"],
    "ja": ["1 場面", "2 場面", "5 場面", "22 場面", "101 場面"],
    "de": ["1 Szene", "2 Szenen", "5 Szenen", "22 Szenen", "101 Szenen"],
}


@pytest.mark.parametrize("language", SCENES)
def test_numbers_have_the_plural_forms_of_their_language(language):
    with languages.page_in(language):
        shown = [render_to_string("publishing/scene_count.html", {"count": n}) for n in (1, 2, 5, 22, 101)]
    assert [" ".join(words.split()) for words in shown] == SCENES[language]


def test_dates_and_numbers_are_written_as_in_the_language():
    from datetime import date

    shown = {}
    for language in ("en", "de", "ja", "fa"):
        with languages.page_in(language):
            shown[language] = (day(date(2026, 11, 3)), number(12345))
    assert shown["en"] == ("3 November 2026", "12,345") == shown["fa"]
    assert shown["de"] == ("3. November 2026", "12.345")
    assert shown["ja"][0] == "2026年11月3日"


STIFF = {
    "de": ("Ihre Nummer:", "auf den Knopf", "die hier war"),
    "es": ("hecha", "ya no vale", "Su número es"),
    "fr": ("désabonné", "informé du", "sans doute"),
    "ar": ("إنسان", "لا تعرض %(workspace)s", "لن تراسلك %(workspace)s"),
    "ja": ("文：", "符号", "欺まん"),
    "nl": ("Een mens",),
    "tr": ("ir insan ",),
    "pt": ("Assinatura feita",),
}


@pytest.mark.parametrize("language", STIFF)
def test_words_that_native_readers_found_odd_do_not_come_back(language):
    said = (ROOT / "locale" / language / "LC_MESSAGES" / "django.po").read_text().replace('"\n"', "")
    assert [words for words in STIFF[language] if words in said] == []
