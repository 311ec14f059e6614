"""What people and staff can do with accounts, one file a subject."""
