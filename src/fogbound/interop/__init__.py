"""Doors to other libraries: Gymnasium, PettingZoo and OpenSpiel. Each module needs the extra of its name."""
