"""The studio: where people write, preview and publish in the browser. Its pages are first-party clients of the API."""
