"""Learning methods for Risk: nets that are evolved, and who wins."""

METHODS = {"evolve": f"{__name__}.evolve:Evolve", "value": f"{__name__}.value:LearnValue"}
