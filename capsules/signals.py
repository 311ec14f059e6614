"""News that higher apps may answer or hear."""

from django.dispatch import Signal

#: Sent while blobs are collected; a receiver returns the names of the blobs that it still needs (an iterable of str).
blobs_in_use = Signal()

#: Sent while encodes are collected; a receiver returns the keys of those that it still needs (an iterable of int).
encodes_in_use = Signal()

#: Sent when an encode has its outputs.
encode_done = Signal()  # encode
