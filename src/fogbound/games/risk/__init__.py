"""Risk: conquer the world, or whatever your secret mission says."""
