"""Why a label was given, for people: on a terminal, as a page, as an outline of a label tree."""
