"""The pages of a person and of the workspaces they manage."""
