"""Scotland Yard and its family: hidden movement on a graph."""
