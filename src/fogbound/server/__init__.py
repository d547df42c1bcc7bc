"""Matches over the network: the API, tables and their storage, bots that think beside it."""
