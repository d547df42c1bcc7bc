"""Eight-Minute Empire: cards, coins, armies and goods, for two to five players."""
