"""What a ranking is worth beside the truth, and which of several is worth more."""
