"""What the experiments of one document share."""
