"""Umpteen tags a document with the right few labels out of umpteen: dozens, thousands or millions."""

__version__ = "0.1.0"
