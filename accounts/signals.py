"""News of accounts for the apps above."""

from django.dispatch import Signal

#: A workspace's title, plan or provisional name changed; sent inside the transaction. Arguments: `workspace`.
workspace_changed = Signal()
