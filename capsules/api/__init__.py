"""The API of authoring: workspaces, stories, scenes, previews, revisions, editions."""
