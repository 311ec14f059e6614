"""The premiere email: armed when a capsule goes live, swept when it is due, rendered from the live bake, sent once."""
