"""News that higher apps may answer or hear."""

from django.dispatch import Signal

#: Sent while blobs are collected; a receiver returns the names of the blobs that it still needs (an iterable of str).
blobs_in_use = Signal()
