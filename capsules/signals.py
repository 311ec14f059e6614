"""News that higher apps may answer or hear."""

from typing import Any

from django.dispatch import Signal

#: Sent while blobs are collected; a receiver returns the names of the blobs that it still needs (an iterable of str).
blobs_in_use = Signal()

#: Sent while encodes are collected; a receiver returns the keys of those that it still needs (an iterable of int).
encodes_in_use = Signal()

#: Sent while old previews are forgotten; a receiver returns the keys of those that it still needs (an iterable of int).
previews_in_use = Signal()

#: Sent inside the transaction that gives an encode its outputs: who is killed has told nothing, or everything.
encode_done = Signal()  # encode

#: Sent inside the transaction that will change what readers see of a story at once, before its row is locked; a
#: receiver that shows it to readers locks its own rows first, as a publish does.
presentation_changing = Signal()  # story

#: Sent when what readers see of a story at once was changed: an edition's name, label or switch, or the cover.
presentation_changed = Signal()  # story, before, by

#: Sent inside the transaction that moves a story to the trash, before its row is locked; a receiver that shows it to
#: readers withdraws it where `unpublish` says so, else raises Conflict. It returns whether readers could open it.
story_leaving = Signal()  # story, unpublish, by

#: Sent for API answers; a receiver returns what the world may know of these stories' publications, by story id.
publications_of = Signal()  # stories

#: Sent for the log; a receiver returns the public link of a story with the host in front, or None.
story_links = Signal()  # story

#: Sent for lists; a receiver returns the ids of all stories that readers can read (a query).
live_stories = Signal()


def answers(signal: Signal, **asked: object) -> list[Any]:
    """What each receiver returns."""
    return [answer for _, answer in signal.send(sender=None, **asked)]


def keys_in_use(signal: Signal) -> set[Any]:
    """What the receivers of one of the signals `…_in_use` still need, all together."""
    return {key for keys in answers(signal) for key in keys or ()}
