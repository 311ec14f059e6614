"""What authors and staff can do with stories: one function for each action, by subject."""
