"""Leduc poker: two players, six cards, two rounds of betting."""
