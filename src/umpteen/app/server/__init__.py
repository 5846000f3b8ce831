"""The tagging server: Annif's REST API, Umpteen's own beside it, and a page for people."""
