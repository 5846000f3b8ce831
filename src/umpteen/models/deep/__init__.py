"""Models that read words in their order, trained with torch."""
