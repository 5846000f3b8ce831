"""What every model is: the Classifier, what it takes for documents and labels, and how it answers."""
