"""The demo content: drawn pictures, and the stories told with them."""
