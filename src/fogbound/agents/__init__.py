"""Players, a file a method."""
