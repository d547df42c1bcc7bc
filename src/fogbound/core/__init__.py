"""The contract between games, agents and everything around them. This package knows no game."""
