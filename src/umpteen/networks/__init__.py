"""What networks are made of: word vectors, encoders, label attention. No training here."""
