"""One file per command; heavy libraries are imported when a command runs, so that help is quick."""
