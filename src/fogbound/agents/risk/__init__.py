"""The players of Risk, one file a method."""
