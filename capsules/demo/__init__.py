"""The demo content: pictures that are drawn by code, and the stories told with them."""
