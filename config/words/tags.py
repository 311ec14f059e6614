"""Tags and filters for templates whose words follow the language of a page; loaded as `words`."""

from __future__ import annotations

from datetime import date, datetime

from babel.dates import format_date, format_time
from babel.numbers import format_decimal
from django import template
from django.forms.utils import flatatt
from django.utils.html import format_html, json_script
from django.utils.safestring import SafeString

from config.words import languages, scripts

register = template.Library()


register.simple_tag(languages.page_language)


@register.simple_tag
def page_direction() -> str:
    return languages.direction(languages.page_language())


@register.simple_tag
def ours() -> SafeString:
    """For each element with words of ours: its `lang` and `dir` where they are not those of the page."""
    if not languages.is_foreign():
        return SafeString()
    spoken, page = languages.spoken(), languages.page_language()
    turned = languages.direction(spoken) != languages.direction(page)
    return format_html(
        ' lang="{}"{}', spoken, format_html(' dir="{}"', languages.direction(spoken)) if turned else ""
    )


@register.simple_tag
def page_tag() -> str:
    """The language as forms send it."""
    return languages.asked_language()


@register.simple_tag
def language_query() -> str:
    """For links to pages that speak the language of their address: lists, and the form to subscribe."""
    tag = languages.asked_language()
    return "" if tag == languages.ENGLISH else f"?language={tag}"


@register.simple_tag
def language_further() -> SafeString:
    """The same after another parameter."""
    return format_html("{}", language_query().replace("?", "&"))


@register.simple_tag
def script_words(*names: str) -> SafeString:
    """What these of the studio's scripts say, all where none is named; nothing in English. Before the scripts."""
    found = scripts.catalogue(*names)
    return (
        SafeString(json_script(found).replace("<script", "<script data-words", 1)) if found else SafeString()
    )


@register.filter
def in_language(tag: str) -> SafeString:
    """For an element with a text of another story: `lang` and `dir`, with a blank before them."""
    return format_html(' lang="{}" dir="{}"', tag, languages.direction(tag))


@register.filter
def bdi(text: str, classes: str = "") -> SafeString:
    """A name inside a sentence of ours, which may be written in the other direction."""
    return format_html("<bdi{}>{}</bdi>", flatatt({"class": classes or None}), text)


@register.filter
def linked(path: str) -> SafeString:
    """A path of ours inside a sentence, leading there."""
    return format_html('<a href="{}">{}</a>', path, bdi(path))


@register.filter
def day(moment: date | datetime) -> str:
    """A date in words: 3. November 2026."""
    return format_date(moment, "long", locale=languages.locale())


@register.filter
def hour(moment: datetime) -> str:
    return format_time(moment, "short", locale=languages.locale())


@register.filter
def number(value: int) -> str:
    """With the separators of the language: 12.345."""
    return format_decimal(value, locale=languages.locale())
