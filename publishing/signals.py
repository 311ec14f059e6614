"""News of publications for higher apps."""

from django.dispatch import Signal

#: Sent inside the transaction that changes what the public may see of a publication: publish, unpublish, visibility.
#: `follows_blobs` False: whoever sends it for many has their files looked at together.
publication_changed = Signal()  # publication, follows_blobs
