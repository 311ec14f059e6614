"""How files come in: slice by slice, from an address, or by a link; and how they become assets."""
