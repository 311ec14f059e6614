"""News of accounts for the apps above."""

from django.dispatch import Signal

#: A workspace's title, plan or provisional name changed; sent inside the transaction. Arguments: `workspace`.
workspace_changed = Signal()

#: Staff suspended a workspace; sent inside the transaction. Arguments: `workspace`, `by`, `statement` (statements.py).
workspace_suspended = Signal()

#: Staff ended a suspension; sent inside the transaction. Arguments: `workspace`, `by`, `words` to its owners.
workspace_resumed = Signal()

#: A workspace is about to be deleted; sent inside the transaction. A receiver holds the rows that others hold while
#: they work in it (without keys), deletes what the database would not, and raises Locked where it cannot be deleted
#: now. Arguments: `workspace`.
workspace_erased = Signal()

#: Somebody downloads their data. A receiver returns {subject: JSON-able} of what its app has of `user`.
personal_data_wanted = Signal()

#: The daily round of housekeeping. A receiver deletes what its app need not keep and returns {what: how many}.
housekeeping_due = Signal()
