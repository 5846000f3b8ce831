"""Models on sparse features; they need nothing beyond the base install."""
