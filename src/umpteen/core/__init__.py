"""The nouns that everything else is made of: documents, labels, rankings, settings, folders."""
