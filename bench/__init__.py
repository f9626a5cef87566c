"""Benchmarks: clerk side by side with others, in one run, as ratios."""
