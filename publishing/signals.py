"""News of publications for higher apps."""

from django.dispatch import Signal

#: Sent inside the transaction that changes what the public may see of a publication: publish, unpublish, visibility.
publication_changed = Signal()  # publication
