"""Our own words in the languages of readers: catalogues, which language a page speaks, and tags for templates."""
