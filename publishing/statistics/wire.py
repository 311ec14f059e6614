"""Numbers as the API tells them and as CSV files have them."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

import re
from datetime import date
from typing import Any, ClassVar

from rest_framework import serializers

from config.api import Choice, ListQuerySerializer, WireSerializer
from publishing.statistics.figures import StoryNumbers, WorkspaceNumbers, table_of
from publishing.subscribers.csv_files import csv_text

DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
YEARS = range(2000, 2200)


class Day(serializers.DateField):
    default_error_messages: ClassVar = {
        "invalid": "Must be a day like 2026-11-23.",
        "year": f"Must be a day of the years {YEARS.start} to {YEARS.stop - 1}.",
    }

    def to_internal_value(self, value: Any) -> date:
        if not DAY.fullmatch(value):
            self.fail("invalid", format="YYYY-MM-DD")
        day = super().to_internal_value(value)
        if day.year not in YEARS:
            self.fail("year")
        return day


class SpanQuerySerializer(WireSerializer):
    vars()["from"] = Day(
        required=False, help_text="The first day; 30 days before the last where it is left out."
    )
    to = Day(required=False, help_text="The last day; today where it is left out.")


class StoryQuerySerializer(SpanQuerySerializer):
    edition = serializers.CharField(
        required=False, allow_blank=True, help_text="The name of an edition; empty for the default one."
    )
    table = Choice(choices=["days", "scenes", "sources"], required=False, help_text="Which one, as CSV.")


class WorkspaceQuerySerializer(SpanQuerySerializer, ListQuerySerializer):
    table = Choice(choices=["days", "stories"], required=False, help_text="Which one, as CSV.")


class ReadsSerializer(WireSerializer):
    opened = serializers.IntegerField(help_text="The page was visible for a second in one piece.")
    read = serializers.IntegerField(help_text="The second scene was reached.")
    finished = serializers.IntegerField(help_text="The last scene was reached.")


class DayReadsSerializer(WireSerializer):
    date = serializers.DateField()
    opened = serializers.IntegerField()
    read = serializers.IntegerField()
    finished = serializers.IntegerField()


class SceneReadsSerializer(WireSerializer):
    sceneId = serializers.CharField(allow_null=True, help_text="Null where the draft has it no longer.")
    position = serializers.IntegerField(help_text="From 1, in the version that is live or was last.")
    title = serializers.CharField()
    reached = serializers.IntegerField(help_text="It was in the middle of the screen for half a second.")


class SurfacesSerializer(WireSerializer):
    page = serializers.IntegerField()
    embed = serializers.IntegerField()
    mail = serializers.IntegerField()


class SourceSerializer(WireSerializer):
    host = serializers.CharField(
        allow_null=True, help_text="Null: none was told. `others`: under three readers that day."
    )
    opened = serializers.IntegerField()


class VersionLiveSerializer(WireSerializer):
    number = serializers.IntegerField()
    at = serializers.DateTimeField()


class StoryReadsSerializer(WireSerializer):
    storyId = serializers.CharField()
    title = serializers.CharField()
    opened = serializers.IntegerField()
    read = serializers.IntegerField()
    finished = serializers.IntegerField()
    editionLabel = serializers.CharField(
        source="edition", help_text="Of an edition, its label; empty for a capsule itself."
    )


class NumbersSerializer(WireSerializer):
    vars()["from"] = serializers.DateField(source="span.first")
    to = serializers.DateField(source="span.last")
    timeZone = serializers.CharField(source="span.time_zone", help_text="Whose days they are.")
    totals = ReadsSerializer(help_text="Readers a day, added up.")
    days = DayReadsSerializer(many=True)


class StoryNumbersSerializer(NumbersSerializer):
    scenes = SceneReadsSerializer(
        many=True, help_text="Of the edition that is asked for, else of the default one."
    )
    surfaces = SurfacesSerializer(help_text="Where readers met it first that day; they add up to opened.")
    sources = SourceSerializer(many=True)
    versions = VersionLiveSerializer(many=True, help_text="When another version went live.")


class WorkspaceNumbersSerializer(NumbersSerializer):
    stories = StoryReadsSerializer(many=True, help_text="Those that were read, the most opened first.")
    nextCursor = serializers.CharField(allow_null=True)


def csv_of(numbers: StoryNumbers | WorkspaceNumbers, table: str) -> str:
    """UTF-8 with a mark, so that a spreadsheet reads it as such; nothing in it is a formula."""
    return "\ufeff" + csv_text(table_of(numbers, table))
