"""What the front page of the admin asks for."""

from __future__ import annotations

from django import template

from config.json_types import JsonObject
from config.texts import LONGEST_SEARCH
from publishing import front_desk

register = template.Library()
register.simple_tag(front_desk.concerns, name="concerns")
register.simple_tag(front_desk.sections, name="sections")


@register.simple_tag(takes_context=True)
def found(context: JsonObject) -> list[front_desk.Hits]:
    request = context["request"]
    return front_desk.find(request, request.GET.get("q", "")[:LONGEST_SEARCH])
