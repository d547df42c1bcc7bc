"""Digger, a game for Fogbound: see game.py."""
