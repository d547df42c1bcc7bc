"""Learning methods that know Scotland Yard: what a net sees, what it learns from, whom it plays."""
