"""Kuhn poker: two players, one card each, one bet."""
