"""The hot loops, compiled. Each is a plain single-threaded function without the interpreter lock.

Parallel work runs them from ordinary threads over blocks (`threads.py`), so several callers at once, as in a server,
are safe, and results never depend on the number of threads.
"""
