"""Learning methods for Risk: nets that are evolved."""

METHODS = {"evolve": f"{__name__}.evolve:Evolve"}
