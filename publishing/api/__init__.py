"""The API around a publication: visibility, options, history, versions, premiere, audience."""
