"""More than one machine, by Ray: the same work on the same arrays, done where there is room."""
