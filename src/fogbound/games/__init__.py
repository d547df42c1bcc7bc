"""The games that live in Fogbound, a package each."""
