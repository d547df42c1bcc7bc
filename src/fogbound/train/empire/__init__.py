"""Learning Eight-Minute Empire: games for the value net, and its training (`python -m fogbound.train.empire.selfplay`)."""

METHODS: dict[str, str] = {}
