"""Learning methods that know Risk."""
