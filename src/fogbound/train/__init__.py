"""Learning: each method is one file; `training` runs any of them, with curves, checkpoints and a report.

PyTorch is imported here and nowhere else; playing what was learned does not need it.
"""
