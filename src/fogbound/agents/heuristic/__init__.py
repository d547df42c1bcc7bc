"""Scripted players, a file a game."""
