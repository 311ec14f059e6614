"""What the markup of every template keeps, in whichever state of a page it is shown: for ears, hands, mail programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.conf import settings
from django.template.base import Lexer, TokenType

TEMPLATES = settings.BASE_DIR / "templates"
VOID = {"br", "hr", "img", "input", "link", "meta", "source"}
SAYS = {"translate", "static", "url"}  # tags that put something into the page


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    within: list[Element] = field(default_factory=list)
    holds: set[str] = field(default_factory=set)  # the tags in it, and "value" where it shows one

    def __str__(self) -> str:
        shown = "".join(f' {name}="{value}"' for name, value in self.attributes.items())
        return f"<{self.tag}{shown}>"

    def __contains__(self, name: str) -> bool:
        return name in self.attributes

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")

    def is_in(self, tag: str) -> bool:
        return any(each.tag == tag for each in self.within)

    @property
    def classes(self) -> list[str]:
        return self.get("class").split()


class Markup(HTMLParser):
    """The elements of a template: of what is said only in one case, too."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.open: list[Element] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attributes}, [*self.open])
        self.elements.append(element)
        for each in self.open:
            each.holds.add(tag)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if "[" in data:
            for each in self.open:
                each.holds.add("value")

    def handle_endtag(self, tag: str) -> None:
        for place in reversed(range(len(self.open))):
            if self.open[place].tag == tag:
                del self.open[place:]
                return


def elements_of(source: str) -> list[Element]:
    """`{{ value|filter }}` stands in attributes as `[value]`."""
    html, is_apart = "", False
    for token in Lexer(source).tokenize():
        name = (token.contents.split() or [""])[0]
        if token.token_type == TokenType.BLOCK and name in ("comment", "endcomment"):
            is_apart = name == "comment"
        elif is_apart:
            continue
        elif token.token_type == TokenType.TEXT:
            html += token.contents
        elif token.token_type == TokenType.VAR:
            html += f"[{token.contents.partition('|')[0]}]"
        elif name == "csrf_token":
            html += "<csrf-token></csrf-token>"
        elif name in SAYS and " as " not in token.contents:
            html += "said"
    markup = Markup()
    markup.feed(html)
    markup.close()
    return markup.elements


PAGES = {
    str(path.relative_to(TEMPLATES)): elements_of(path.read_text())
    for path in sorted(TEMPLATES.rglob("*.html"))
    if path.name != "button.html" or path.parent.name != "elements"  # a link or a button, by what it is given
}
OWN = ("admin/", "premiere/", "mail", "account/email/")  # pages of Django's admin, and mails


def find(*tags: str, places: Callable[[str], bool] = lambda place: True) -> Iterator[tuple[str, Element]]:
    for place, elements in PAGES.items():
        for element in elements:
            if element.tag in tags and places(place):
                yield place, element


def all_but(kept: Callable[[Element], bool], *tags: str, **where: Callable[[str], bool]) -> list[str]:
    """What does not keep a rule, of which there are some elements at least."""
    found = list(find(*tags, **where))
    assert found
    return [f"{place}: {element}" for place, element in found if not kept(element)]


def has(*names: str) -> Callable[[Element], bool]:
    return lambda element: all(name in element for name in names)


def of_the_service(place: str) -> bool:
    return not place.startswith(OWN)


# --- Pictures and films ------------------------------------------------------------------------------------------


def test_a_film_that_plays_by_itself_is_silent_stays_in_the_page_and_is_nothing_to_hear_or_reach():
    def is_quiet(film: Element) -> bool:
        if has("controls")(film):  # staff play it themselves
            return bool(film.get("preload") == "none")
        told = (film.get("preload"), film.get("aria-hidden"), film.get("tabindex"))
        return has("muted", "playsinline", "loop")(film) and told == ("none", "true", "-1")

    assert all_but(is_quiet, "video") == []


def test_every_picture_says_what_it_shows_and_keeps_its_place_before_it_is_there():
    def keeps_its_place(picture: Element) -> bool:
        is_of_a_class = picture.classes in (["being-prepared"], ["still"])  # these have their size by style
        return "alt" in picture and (has("width", "height")(picture) or is_of_a_class)

    assert all_but(keeps_its_place, "img") == []


def test_pictures_that_come_once_somebody_is_near_are_told_so():
    assert all_but(
        lambda it: it.get("loading") == "lazy", "img", places=lambda p: p == "publishing/first_picture.html"
    ) == []  # fmt: skip
    for place in ("publishing/stage.html", "feed/cover.html", "studio/card.html"):
        first_and_others = [it for _, it in find("img", places=lambda p, at=place: p == at)]
        told = {"loading": "lazy", "fetchpriority": "high"}
        assert any(told.items() <= it.attributes.items() for it in first_and_others), place


def test_a_picture_of_several_widths_says_how_wide_it_stands():
    wide = [(place, it) for place, it in find("img", "source") if "srcset" in it]
    assert len(wide) >= 3
    assert [f"{place}: {it}" for place, it in wide if "sizes" not in it] == []


def test_a_drawing_is_hidden_from_ears_or_says_what_it_shows():
    def is_told(drawing: Element) -> bool:
        return drawing.get("aria-hidden") == "true" or (
            drawing.get("role") == "img" and "aria-label" in drawing
        )

    assert all_but(is_told, "svg") == []


# --- Links and frames --------------------------------------------------------------------------------------------


def test_every_link_leads_somewhere():
    assert all_but(lambda it: it.get("href") != "", "a") == []


def test_a_link_of_a_page_of_readers_that_opens_a_new_page_tells_it_nothing_of_ours():
    public = ("publishing/", "feed/", "subscriptions/", "moderation/")
    new = [(place, link) for place, link in find("a") if link.get("target") and place.startswith(public)]
    assert len(new) >= 4
    assert [f"{place}: {link}" for place, link in new if "noopener" not in link.get("rel").split()] == []


def test_search_engines_follow_no_link_that_reports_and_none_that_somebody_typed():
    reports = [link for _, link in find("a") if "/report?link=" in link.get("href")]
    typed = [link for _, link in find("a") if link.get("href") == "[link]" and "rel" in link]
    assert len(reports) >= 3 and typed
    assert [str(link) for link in (*reports, *typed) if "nofollow" not in link.get("rel").split()] == []
    assert [link.get("rel") for link in typed] == ["me nofollow ugc noopener"]


def test_every_frame_has_a_title_and_one_of_a_mail_runs_nothing():
    assert all_but(has("title"), "iframe") == []
    letters = [frame for place, frame in find("iframe") if "studio_letter" in (TEMPLATES / place).read_text()]
    assert sum(frame.get("sandbox") == "" and "sandbox" in frame for frame in letters) == 2


def test_whatever_is_said_of_a_page_says_about_what():
    assert all_but(lambda it: "charset" in it or "name" in it or "property" in it, "meta") == []
    assert all_but(has("rel", "href"), "link") == []


# --- Scripts -----------------------------------------------------------------------------------------------------


def test_every_script_is_a_module_that_waits_for_its_page():
    programs = [script for _, script in find("script") if "src" in script]
    assert len(programs) > 5
    assert [str(script) for script in programs if script.get("type") != "module"] == []


def test_what_only_a_script_does_is_hidden_until_the_script_is_there():
    for place in ("publishing/", "studio/card.html", "studio/publish_live.html"):
        buttons = [it for at, it in find("button") if at.startswith(place) and it.get("type") == "button"]
        idle = [str(it) for it in buttons if "hidden" not in it and "popovertarget" not in it]
        assert buttons and idle == []


# --- Forms -------------------------------------------------------------------------------------------------------

#: Forms of pages without a session, which work without a cookie; each asks for what only its own link or person has.
WITHOUT_A_SESSION = {
    "moderation/form.html",
    "studio/send.html",
    "studio/stop.html",
    "subscriptions/confirm.html",
    "subscriptions/form.html",
    "subscriptions/leave.html",
    "subscriptions/left.html",
}


def test_every_form_of_somebody_who_is_signed_in_carries_the_token_and_no_other_does():
    forms = [
        (place, form) for place, form in find("form", places=of_the_service) if form.get("method") == "post"
    ]
    assert {place for place, form in forms if "csrf-token" not in form.holds} == WITHOUT_A_SESSION
    assert not [place for place, form in forms if "csrf-token" in form.holds and place in WITHOUT_A_SESSION]


def test_forms_that_write_are_posted_and_files_are_sent_whole():
    for _, form in find("form", places=of_the_service):
        if form.get("method") not in ("post", "[attrs.method]"):
            assert "csrf-token" not in form.holds, f"{form} would put its token into the address"
    files = [it for _, it in find("input") if it.get("type") == "file"]
    around = [next(each for each in it.within if each.tag == "form") for it in files]
    assert len(files) >= 4
    assert {form.get("enctype") for form in around} == {"multipart/form-data"}
    assert [str(it) for it in files if not has("accept", "required")(it)] == []


def test_what_is_chosen_or_sent_along_has_a_name_and_a_value():
    """A script fills in what was worked out for a challenge; of the way to an empty capsule its name is enough."""

    def is_told(it: Element) -> bool:
        return "name" in it and ("value" in it or "data-challenge" in it or it.get("name") == "empty")

    sent = [(p, it) for p, it in find("input") if it.get("type") in ("radio", "hidden")]
    sent += [(p, it) for p, it in find("button", places=of_the_service) if "name" in it]
    assert len(sent) > 20
    assert [f"{place}: {it}" for place, it in sent if not is_told(it)] == []
    assert all_but(has("value"), "option", places=of_the_service) == []


def test_every_field_has_a_label():
    unlabelled = []
    for place, it in find("input", "select", "textarea", places=of_the_service):
        labels = {label.get("for") for label in PAGES[place] if label.tag == "label"}
        is_named = it.is_in("label") or "aria-label" in it or it.get("id") in labels
        if not is_named and it.get("type") != "hidden":
            unlabelled.append(f"{place}: {it}")
    assert unlabelled == []


def test_every_label_is_of_a_field():
    """A click on it leads there. A field that Django makes is a value here."""
    fields = {"input", "select", "textarea", "value"}
    assert all_but(lambda it: "for" in it or bool(fields & it.holds), "label", places=of_the_service) == []


def test_a_trap_for_programs_is_out_of_the_way_of_people():
    traps = [it for _, it in find("input") if it.get("name") == "website"]
    assert len(traps) == 2
    for trap in traps:
        assert (trap.get("tabindex"), trap.get("autocomplete")) == ("-1", "off")
        assert any("visually-hidden" in it.classes and it.get("aria-hidden") == "true" for it in trap.within)
        assert "required" not in trap


def test_an_address_is_asked_for_as_such():
    mails = [it for _, it in find("input") if it.get("name") == "email"]
    assert mails and all(it.get("type") == "email" and "required" in it for it in mails)
    (form,) = (it for place, it in find("input") if place == "subscriptions/form.html" and it in mails)
    assert (form.get("autocomplete"), form.get("dir"), form.get("maxlength")) == ("email", "ltr", "254")


# --- What ears are told ------------------------------------------------------------------------------------------


WITH_SHEETS = ("publishing/page.html", "publishing/finale.html")


def test_what_a_label_or_a_note_is_for_is_there():
    lost = []
    for place, it in find(*{each.tag for page in PAGES.values() for each in page}):
        for name in ("for", "aria-labelledby", "popovertarget", "form"):
            wanted = it.get(name)
            parts = [place, *(["publishing/sheets.html"] if place in WITH_SHEETS else [])]
            ids = {each.get("id") for part in parts for each in PAGES[part]}
            is_made = "[" in wanted or wanted == "dialog-title" or wanted.startswith("id_")
            if wanted and not is_made and wanted not in ids:
                lost.append(f"{place}: {it}")
    assert lost == []


def test_every_navigation_and_every_dialog_has_a_name():
    def is_named(it: Element) -> bool:
        return "aria-label" in it or "aria-labelledby" in it

    assert all_but(is_named, "nav", places=of_the_service) == []
    assert all_but(is_named, "dialog") == []
    sheets = [it for _, it in find("div") if it.get("role") in ("dialog", "group", "region")]
    assert len(sheets) > 5 and all(map(is_named, sheets))
    assert all(it.get("role") == "dialog" for _, it in find("div") if "sheet" in it.classes)


def test_what_scrolls_by_itself_can_be_reached_by_keys_and_has_a_name():
    def is_reached(it: Element) -> bool:
        return (it.get("tabindex"), it.get("role")) == ("0", "region") and "aria-label" in it

    wide = [
        (p, it) for p, it in find("div", "pre", places=of_the_service) if {"table", "snippet"} & {*it.classes}
    ]
    assert len(wide) > 5
    assert [f"{place}: {it}" for place, it in wide if not is_reached(it)] == []


def test_the_heads_of_tables_say_what_they_are_for():
    assert all_but(lambda it: it.get("scope") in ("col", "row"), "th", places=of_the_service) == []


def test_why_a_form_was_not_taken_is_said_at_once():
    """The browser leads to a fault beside its field, which has an id for that; one above the form is said."""
    said = re.compile(
        r'<[^<>]*class="(?:message error|fault|errornote)"[^<>]*>'
        r"\s*{{ (?:fault|faults\.0|problem|error|form\.\w+\.0) }}"
    )
    found = [(place, it[0]) for place in PAGES for it in said.finditer((TEMPLATES / place).read_text())]
    assert len(found) >= 12
    assert [(place, it) for place, it in found if 'role="alert"' not in it and " id=" not in it] == []


# --- What is written as it is ------------------------------------------------------------------------------------


def test_words_of_people_are_never_taken_for_markup():
    """Plain texts are written as they are; in a page only the help of our own forms and what the code made is."""
    for path in sorted(TEMPLATES.rglob("*.*")):
        source = path.read_text()
        place = str(path.relative_to(TEMPLATES))
        is_text = path.suffix in (".txt", ".css")
        assert "autoescape off" not in source or is_text, place
        assert "mark_safe" not in source and "|safeseq" not in source, place
        assert ("|safe }}" in source) == (place == "accounts/fields.html"), place


def test_names_of_people_keep_to_themselves_in_sentences_that_readers_get():
    """A title in the other direction would turn the words around it."""
    readers = ("subscriptions/", "moderation/", "publishing/", "feed/", "premiere/")
    named = re.compile(r"blocktranslate [^%]*?=([\w.]*(?:title|author_name|email))(\S*)")
    found = [
        (place, value, filters)
        for place in PAGES
        if place.startswith(readers)
        for value, filters in named.findall((TEMPLATES / place).read_text())
    ]
    assert len(found) > 10
    assert [each for each in found if not each[2].startswith("|bdi")] == []


def test_a_mail_in_plain_text_has_no_signs_of_markup_in_the_names_of_people():
    bases = tuple(
        f'{{% extends "{base}" %}}'
        for base in (
            "account/email/base_message.txt",
            "account/email/base_notification.txt",
            "premiere/base.txt",
        )
    )
    texts = {path: path.read_text() for path in sorted(TEMPLATES.rglob("*.txt")) if "{{" in path.read_text()}
    assert len(texts) > 10
    for path, source in texts.items():
        is_whole = "{% autoescape off %}" in source.partition("{{")[0]
        assert is_whole or source.startswith(bases), path
