"""Trials by fire, as commands: fuzz, leaks, kills, load, soak. Short versions of them are in the ordinary tests."""
