"""Learning methods for Scotland Yard: what a net sees, what it learns from, and whom it plays."""

METHODS = {
    "qtable": f"{__name__}.qtable:QTable",
    "dqn": f"{__name__}.dqn:Dqn",
    "supervised": f"{__name__}.supervised:Supervised",
    "resolve": f"{__name__}.resolve:ResolveLearner",
}
