"""The players of Scotland Yard and its family, one file a method."""
