"""The players of Eight-Minute Empire, one file a method."""
