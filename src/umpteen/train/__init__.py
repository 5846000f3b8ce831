"""Training of networks: batches, the loop, its checkpoints, and the Classifier around it all."""
